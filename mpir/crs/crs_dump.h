/* The work area of one image: lives in memory that is mapped for the checkpoint and is not part of the image. */
#ifndef DVM_MPIR_CRS_DUMP_H
#define DVM_MPIR_CRS_DUMP_H
#include <elf.h>
#include <stdatomic.h>
#include "mpir/crs/crs_private.h"
#include "mpir/crs/plain.h"

#define DUMP_MAPS_MAX 65536
#define DUMP_RUNS_MAX (1u << 20)
#define DUMP_EXTENTS_MAX (1u << 20)
#define DUMP_FILES_MAX 16384
#define DUMP_STRINGS_MAX (16u << 20)
#define DUMP_TEXT_MAX (16u << 20)   /* /proc/self/maps */
#define DUMP_NOTES_MAX (128u << 20)
#define DUMP_PIPES_MAX (8u << 20)   /* contents of pipes */
#define DUMP_PIPE_PIECES_MAX 65536u /* packets, and contents of pipes without */
#define DUMP_GROUPS_MAX 65536
#define DUMP_FILTERS_MAX (512u << 10) /* bytes */
#define DUMP_COPY_MAX MPIR_EXTENT_MAX

/* Pages of one mapping that have content of their own. */
struct dump_run {
  uint64_t start, end;
  uint32_t map;
  uint32_t through_buffer; /* not readable in place */
};

/* Memory that has been written since the image before. */
struct dump_range {
  uint64_t start, end;
};

/* Content of a descriptor that lies in 'pipes'. */
struct dump_pipe {
  uint32_t file, offset, length;
};

/* Shared with the forked writer. */
struct dump_result {
  atomic_uint shared_written;  /* futex: what others could still change is in the file */
  atomic_int code;             /* 1 until the image is whole, or has failed */
  atomic_uint detached;        /* futex: the writer holds nothing any more but its own number and memory */
  uint64_t image_size, data_size;
  char text[CRS_TEXT_MAX];
  atomic_uint hinted; /* futex: 1: 'hints' are those of the copy's mappings, by the helper beside it; 2: it could not read them */
  uint32_t hints[DUMP_MAPS_MAX];
};

struct crs_dump {
  const struct crs_request *request;
  struct dump_result *result; /* NULL when not forked */
  struct mpir_image_header header;
  struct mpir_image_process process;
  struct mpir_image_thread threads[CRS_THREADS_MAX];
  struct mpir_image_credentials credentials[CRS_THREADS_MAX];
  uint32_t groups[DUMP_GROUPS_MAX + 1];
  unsigned group_count;
  uint32_t filters_len;
  unsigned char filters[DUMP_FILTERS_MAX];
  uint64_t frames[CRS_THREADS_MAX];
  unsigned thread_count, map_count, run_count, extent_count, file_count, timer_count, pipe_count;
  unsigned load_count, phdr_max;
  bool incremental; /* the image holds what is dirty, and the rest is in the one before */
  unsigned dirty_count, kept_count, guard_count;
  uint64_t plain_end; /* incremental: where the contents of files lie in the whole form */
  struct mpir_image_chain chain;
  uint32_t extent_flags; /* of memory that is being written */
  bool locks, hinted; /* some memory is locked; what smaps tells of the mappings is noted */
  const struct mpir_image_semaphore *semaphores;
  unsigned semaphore_count;
  uint32_t strings_len, pipes_len;
  uint64_t notes_len, data_end, data_size;
  int fd; /* the image, while written */
  int own_fds[7]; /* descriptors of the checkpointer, not the program's */
  struct plain_text why; /* what went wrong; in 'reply' or the result */
  struct plain_text notices; /* lines: what will not come back as it was */
  char notices_text[CRS_TEXT_MAX];
  uint64_t auxv[128];
  unsigned auxv_bytes;
  struct mpir_image_timer timers[CRS_TIMERS_MAX];
  struct mpir_image_action actions[MPIR_SIGNALS];
  struct dump_pipe pipe_contents[DUMP_PIPE_PIECES_MAX];
  struct mpir_image_map maps[DUMP_MAPS_MAX];
  struct dump_run runs[DUMP_RUNS_MAX];
  struct dump_range dirty[DUMP_RUNS_MAX];
  struct mpir_image_kept kept[DUMP_RUNS_MAX];
  struct mpir_image_kept guards[DUMP_MAPS_MAX];
  Elf64_Phdr whole_phdrs[DUMP_MAPS_MAX + 1]; /* incremental: those of the whole form */
  struct mpir_image_extent extents[DUMP_EXTENTS_MAX];
  struct mpir_image_file files[DUMP_FILES_MAX];
  Elf64_Phdr phdrs[DUMP_MAPS_MAX + 1];
  char strings[DUMP_STRINGS_MAX];
  char text[DUMP_TEXT_MAX];
  char pipes[DUMP_PIPES_MAX];
  unsigned char notes[DUMP_NOTES_MAX];
  unsigned char copy[DUMP_COPY_MAX] __attribute__((aligned(4096)));
  unsigned char compare[MPIR_PAGE] __attribute__((aligned(4096)));
};

/* Keeps a string; returns its offset. 0 (the empty string) when there is no room. */
uint32_t mpir_dump_string(struct crs_dump *d, const char *s);
/* Says what went wrong and returns 'code'. */
int mpir_dump_fail(struct crs_dump *d, int code, const char *what);
/* Notes what will not come back as it was: "descriptor 7: WHAT 'NAME'"; fd < 0, name NULL: without. */
void mpir_dump_notice(struct crs_dump *d, int fd, const char *what, const char *name);
bool mpir_dump_owns_fd(const struct crs_dump *d, int fd);
/* CRS_OBJECT_* of a pipe, socket or piece of memory that other members of the set have too; 0 if none has, or the process is
 * saved alone.  'device' as stat(2) tells it. */
uint32_t mpir_dump_object(const struct crs_dump *d, uint64_t device, uint64_t inode);
/* Another member saves the content of this object. */
bool mpir_dump_is_others(const struct crs_dump *d, uint64_t device, uint64_t inode);

/* A line of /proc/PID/maps: "start-end perms offset major:minor inode   name".  'name' points into the line, which is terminated
 * there.  Returns the next line, or NULL if this one is cut. */
struct map_line {
  uint64_t start, end, offset, device, inode;
  char perms[5];
  char *name;
};
char *mpir_dump_map_line(char *line, struct map_line *m);
/* The program could change its content while a copy of the process is being saved. */
static inline bool dump_is_written_first(const struct mpir_image_map *map) {
  return map->kind == MPIR_MAP_SHARED || (map->kind == MPIR_MAP_FILE_SHARED && (map->flags & MPIR_MAP_KEPT));
}
/* The content of the descriptor's file is written from the file; that of small ones has been read before. */
static inline bool dump_is_copied_later(const struct crs_dump *d, const struct mpir_image_file *file) {
  return file->kind == MPIR_FILE_MEMFD ||
         (file->kind == MPIR_FILE_REGULAR && file->capacity == MPIR_FILE_KEPT && (d->request->flags & CRS_SAVE_FILES));
}
/* The name of a file or object that has none any more. */
bool mpir_dump_is_deleted(const char *name);

/* Whether memory from 'start' on is to be written; '*end' becomes the end of what is like it, if that is less.  crs_track.c */
bool mpir_dump_is_dirty(const struct crs_dump *d, const struct mpir_image_map *map, uint64_t start, uint64_t *end);

/* Each returns 0 or -E... with the reason in d->why. */
int mpir_dump_threads(struct crs_dump *d); /* crs_collect.c: what must be read before the release */
int mpir_dump_credentials(struct crs_dump *d); /* crs_confine.c: after the threads */
int mpir_dump_header(struct crs_dump *d);
int mpir_dump_timers(struct crs_dump *d);
int mpir_dump_children(struct crs_dump *d);
int mpir_dump_files(struct crs_dump *d); /* crs_files.c */
/* crs_sockets.c: makes the entry one of a socket.  Returns NULL, or why it cannot be restored. */
/* crs_queue.c: the kind of a descriptor that is a queue of POSIX messages, 0: cannot be restored; its messages. */
struct stat;
uint32_t mpir_dump_queue(struct crs_dump *d, struct mpir_image_file *file, const struct stat *st);
int mpir_dump_queue_content(struct crs_dump *d, unsigned index);
/* What of the calling process goes into a core file; nothing is told where its main thread has ended. */
uint32_t mpir_dump_core_filter(void);
const char *mpir_dump_socket(struct crs_dump *d, struct mpir_image_file *file);
int mpir_dump_socket_content(struct crs_dump *d, unsigned index);
/* Watches of descriptors that stand for another file by now.  crs_epoll.c */
int mpir_dump_epolls(struct crs_dump *d);
/* Names what inotify descriptors watch.  crs_inotify.c */
int mpir_dump_inotify(struct crs_dump *d);
/* The content of a file with this name is kept: all are wanted, or it is small and lies where it may be gone at the restart. */
bool mpir_dump_keeps_file(const struct crs_dump *d, const char *name, uint64_t size);
int mpir_dump_maps(struct crs_dump *d); /* crs_maps.c: the address range */
/* Locks and hints of the mappings, as far as /proc tells.  A forked copy has no locks, so those are read before. */
void mpir_dump_hints(struct crs_dump *d);
/* To read the hints takes as long as the page tables are large: a forked copy has its parent do it meanwhile, and awaits them when it needs them. */
void mpir_dump_hints_for(struct crs_dump *d, pid_t writer);
void mpir_dump_hints_await(struct crs_dump *d);
int mpir_dump_runs(struct crs_dump *d); /* and the pages to be saved */
int mpir_dump_notes(struct crs_dump *d); /* crs_notes.c */
int mpir_dump_write(struct crs_dump *d, const char *path); /* crs_write.c */
#endif
