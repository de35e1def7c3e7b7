/* The checkpoint image on disk; docs/checkpoint-format.md has the tables.
 *
 * An image is an ELF core file (ET_CORE, x86-64, little endian) that debuggers open as such.  Beside the usual notes it
 * carries notes named "DVMCKPT-IMG" with what a restart needs.  Layout:
 *   ELF header, program headers (PT_NOTE first, then one PT_LOAD a mapping), memory data (sparse), notes.
 * All structures have natural alignment and no hidden padding; a field is added at an end, never reused. */
#ifndef DVM_MPIR_IMAGE_FORMAT_H
#define DVM_MPIR_IMAGE_FORMAT_H
#include <stdint.h>
#include "mpir/image/context.h"

#define MPIR_NOTE_NAME "DVMCKPT-IMG" /* twelve bytes, so that contents are aligned to 8 */
#define MPIR_IMAGE_VERSION 3
#define MPIR_PAGE 4096u
#define MPIR_EXTENT_MAX (4u << 20)  /* bytes of memory covered by one extent */
#define MPIR_SIGNALS 64
#define MPIR_RING_NAME "/[aio]"     /* mapping with the events of a context of asynchronous I/O */

/* Numbers that no other note has: some tools look at the number alone and would print a table as a platform's name. */
enum mpir_note_type {
  MPIR_NOTE_BASE = 0x44564d00,
  MPIR_NOTE_HEADER = MPIR_NOTE_BASE + 1,   /* one mpir_image_header */
  MPIR_NOTE_MAPS = MPIR_NOTE_BASE + 2,     /* mpir_image_map[], ascending addresses */
  MPIR_NOTE_THREADS = MPIR_NOTE_BASE + 3,  /* mpir_image_thread[], the main thread first, the helper last */
  MPIR_NOTE_EXTENTS = MPIR_NOTE_BASE + 4,  /* mpir_image_extent[], ascending file offsets */
  MPIR_NOTE_FILES = MPIR_NOTE_BASE + 5,    /* mpir_image_file[] */
  MPIR_NOTE_TIMERS = MPIR_NOTE_BASE + 6,   /* mpir_image_timer[] */
  MPIR_NOTE_ACTIONS = MPIR_NOTE_BASE + 7,  /* mpir_image_action[64], signal 1 first */
  MPIR_NOTE_STRINGS = MPIR_NOTE_BASE + 8,  /* bytes; names are offsets of terminated strings */
  MPIR_NOTE_CHECKSUM = MPIR_NOTE_BASE + 9, /* one mpir_image_checksum; the last note */
  MPIR_NOTE_LOADS = MPIR_NOTE_BASE + 10,   /* compressed images: the program headers of the uncompressed form */
  MPIR_NOTE_CREDENTIALS = MPIR_NOTE_BASE + 11, /* mpir_image_credentials[], one for each thread, in the order of the threads */
  MPIR_NOTE_GROUPS = MPIR_NOTE_BASE + 12,  /* numbers of groups, 4 bytes each; credentials tell which */
  MPIR_NOTE_FILTERS = MPIR_NOTE_BASE + 13, /* seccomp filters in the order of their installation: flags, length, instructions */
  MPIR_NOTE_PROCESS = MPIR_NOTE_BASE + 14, /* one mpir_image_process */
  MPIR_NOTE_CHAIN = MPIR_NOTE_BASE + 15,   /* incremental images: one mpir_image_chain */
  MPIR_NOTE_GUARDS = MPIR_NOTE_BASE + 17,  /* mpir_image_kept[]: pages under MADV_GUARD_INSTALL */
  MPIR_NOTE_SEMAPHORES = MPIR_NOTE_BASE + 18, /* mpir_image_semaphore[] */
  MPIR_NOTE_KEPT = MPIR_NOTE_BASE + 16,    /* incremental images: mpir_image_kept[], ascending */
};

enum mpir_codec { MPIR_CODEC_NONE = 0, MPIR_CODEC_ZLIB = 1, MPIR_CODEC_ZSTD = 2 };

enum { /* mpir_image_header.flags */
       MPIR_IMAGE_ALL_FILES = 1,   /* mapped files are in the image too */
       MPIR_IMAGE_COMPRESSED = 2,  /* extents are compressed: to be expanded before a debugger or restart can read it */
       MPIR_IMAGE_TEXT_CHANGED = 4, /* a code page differs from its file */
       MPIR_IMAGE_INCREMENTAL = 16, /* holds what has changed since another image */
       MPIR_IMAGE_DEBUGGED = 8,    /* taken while a debugger meant to come back */
};

struct mpir_image_header {
  uint32_t version, size;        /* size of this structure */
  uint64_t flags;
  int32_t pid, umask;
  uint32_t uid, gid;
  uint64_t image_size;           /* bytes of the file */
  int64_t taken_at_ns;           /* CLOCK_REALTIME */
  uint64_t start_code, end_code, start_data, end_data, start_brk, brk, start_stack;
  uint64_t arg_start, arg_end, env_start, env_end;
  uint64_t restart_info;         /* address of the struct mpir_restart_info in the saved memory */
  uint32_t rseq_length, rseq_signature; /* length 0: threads have no restartable-sequence area */
  uint64_t vdso_start, vdso_size, vdso_hash; /* hash of the vdso's pages: another kernel build has another */
  uint32_t exe, cwd, comm, command_line, kernel, host; /* offsets in the strings */
  uint64_t itimers[3][4];        /* ITIMER_REAL, VIRTUAL, PROF: interval s, us, value s, us */
  uint64_t rlimits[16][2];       /* soft, hard */
  uint64_t personality;
  uint64_t sequence;             /* number of this image of this process, from 1 */
  uint32_t dumpable, subreaper, no_huge_pages; /* prctl(2): PR_GET_DUMPABLE, _CHILD_SUBREAPER, _THP_DISABLE */
  uint32_t lock_future;          /* flags of mlockall(2) that hold for mappings to come */
};

enum mpir_map_kind {
  MPIR_MAP_ANON = 1,       /* private memory: extents, the rest is zero */
  MPIR_MAP_FILE = 2,       /* private mapping of a file: extents over the file's content */
  MPIR_MAP_FILE_SHARED = 3, /* shared mapping of a file: its content stays in the file */
  MPIR_MAP_SHARED = 4,     /* memory shared inside the process; maps of one 'inode' are one object */
  MPIR_MAP_KERNEL = 5,     /* vdso and its data: moved from the new process */
};

enum { /* mpir_image_map.flags */
       MPIR_MAP_GROWSDOWN = 1,
       MPIR_MAP_COMPLETE = 2,   /* extents hold the whole content: the file is not needed */
       MPIR_MAP_HOLDS_TEXT = 4, /* executable when saved */
       MPIR_MAP_LOCKED = 8,     /* mlock(2); with the next: pages as they are touched */
       MPIR_MAP_LOCKED_ON_FAULT = 16,
       MPIR_MAP_SEALED = 32,    /* mseal(2) */
       MPIR_MAP_KEPT =
           64,      /* shared mapping of a file: what it shows of the file is in the image, for when the file is gone or to be put back */
  /* Hints of madvise(2): */
       MPIR_MAP_HUGE = 1 << 8,
       MPIR_MAP_NO_HUGE = 1 << 9,
       MPIR_MAP_MERGEABLE = 1 << 10,
       MPIR_MAP_SEQUENTIAL = 1 << 11,
       MPIR_MAP_RANDOM = 1 << 12,
       MPIR_MAP_NO_DUMP = 1 << 13,
       MPIR_MAP_NO_FORK = 1 << 14,
       MPIR_MAP_WIPE_ON_FORK = 1 << 15,
       MPIR_MAP_KEY_SHIFT = 24, /* four bits: the protection key, pkey_mprotect(2) */
};

struct mpir_image_map {
  uint64_t start, end;     /* page addresses, end exclusive */
  uint64_t file_offset;    /* where the PT_LOAD's data lie in the image; 0 if it has none */
  uint64_t map_offset;     /* offset in the mapped file or object */
  uint64_t device, inode;
  uint64_t file_size;      /* the mapped file, as met at the checkpoint */
  int64_t file_mtime_ns;
  uint32_t kind, prot, flags;
  uint32_t name;           /* offset in the strings; 0 is "" */
};

struct mpir_image_extent {
  uint64_t address;        /* memory address; with 'file' >= 0 the offset in that file's content */
  uint64_t length;         /* bytes of memory, at most MPIR_EXTENT_MAX */
  uint64_t file_offset;    /* in the image */
  uint64_t stored;         /* bytes in the image; equal to length unless compressed */
  uint64_t plain_offset;   /* file_offset in the uncompressed form */
  uint32_t crc;            /* CRC-32C of the expanded bytes */
  uint32_t codec;
  int32_t file;            /* index in the file table (pipe and memfd contents), or -1 */
  uint32_t flags;
};

enum { MPIR_EXTENT_VIEW = 1 }; /* equal to the mapped file: for debuggers, not restored */

/* The image that an incremental one was taken on: a file in the same folder, by these marks. */
struct mpir_image_chain {
  int64_t base_taken_at_ns;
  uint64_t base_sequence;
  uint32_t base_name;      /* in the strings */
  uint32_t depth;          /* images back to the whole one */
};

/* Memory whose content is that of the image before; what has no content there either is zero. */
struct mpir_image_kept {
  uint64_t address, length;
};

/* System V semaphore that the process has changed under SEM_UNDO: by 'value' in all, which its end undoes. */
struct mpir_image_semaphore {
  int32_t id;
  uint16_t number;
  int16_t value;
};

#define MPIR_AFFINITY_WORDS 16

struct mpir_image_thread {
  int32_t tid, nice;
  struct mpir_context context;   /* where the restorer resumes it; of a main thread that has ended: zeros */
  uint64_t fs_base, gs_base;
  uint64_t robust_list, robust_length;
  uint64_t clear_tid;            /* set_tid_address; 0 if none */
  uint64_t rseq;                 /* address of its area; 0 if none */
  uint64_t signal_frame;         /* ucontext of the stop signal; 0 for the helper */
  uint64_t affinity[MPIR_AFFINITY_WORDS];
  char name[16];
  uint64_t scheduling[7];        /* struct sched_attr of the kernel, 56 bytes */
  uint64_t timer_slack_ns;
  int32_t parent_death_signal;
  uint32_t io_priority;          /* ioprio_get(2) */
  uint32_t no_new_privileges, securebits;
};

struct mpir_image_credentials {
  uint32_t uids[4], gids[4];     /* real, effective, saved, of file access */
  uint64_t inheritable, permitted, effective, bounding, ambient; /* capabilities(7) */
  uint32_t securebits, no_new_privileges;
  uint32_t filters;              /* the first so many of the image's seccomp filters */
  uint32_t groups_at, group_count, reserved;
};

enum { MPIR_FILTER_BY_PRCTL = 1u << 31 }; /* flags of a filter: installed by prctl(2); else those of seccomp(2) */

struct mpir_image_process {
  int32_t session, group, terminal; /* terminal: tty_nr of /proc/PID/stat, 0 if none */
  int32_t oom_score_adjust;
  uint32_t core_filter;          /* /proc/PID/coredump_filter */
  uint32_t no_exec_gain;         /* PR_GET_MDWE */
  uint32_t barriers;             /* registrations of membarrier(2) */
  uint32_t inherited_filters;    /* seccomp filters that the program was started with */
};

enum mpir_file_kind {
  MPIR_FILE_REGULAR = 1,
  MPIR_FILE_DIRECTORY = 2,
  MPIR_FILE_DEVICE = 3,
  MPIR_FILE_PIPE = 4,
  MPIR_FILE_EVENTFD = 5,
  MPIR_FILE_TIMERFD = 6,
  MPIR_FILE_EPOLL = 7,
  MPIR_FILE_SIGNALFD = 8,
  MPIR_FILE_MEMFD = 9,
  MPIR_FILE_INHERIT = 10,  /* standard stream on a terminal or an outside pipe: taken from the restarting command */
  MPIR_FILE_SOCKET = 11,
  MPIR_FILE_PIDFD = 12,    /* of the process itself, or of a child in the set */
  MPIR_FILE_INOTIFY = 13,
  MPIR_FILE_QUEUE = 14,    /* of POSIX messages */
  MPIR_FILE_KINDS,
};

enum { MPIR_FILE_KEPT = 1 }; /* capacity of a regular file: its content is in the image */

/* Content of a queue of POSIX messages: each has this before it. */
struct mpir_image_message {
  uint32_t priority, length;
};

struct mpir_image_file {
  int32_t fd;
  uint32_t kind;
  int32_t same_as;         /* index of an earlier entry with the same open file description, or -1 */
  uint32_t open_flags;     /* F_GETFL */
  uint32_t close_on_exec;
  uint32_t mode;           /* st_mode */
  uint64_t position, size, device, inode;
  uint64_t capacity;       /* pipe: F_GETPIPE_SZ; memfd: seals; queue: messages << 32 | bytes of one; regular file: MPIR_FILE_KEPT or 0 */
  uint32_t name;           /* link of /proc/PID/fd, in the strings */
  uint32_t info;           /* text of /proc/PID/fdinfo, in the strings */
};

struct mpir_image_timer {
  int32_t id, signo, notify, tid, clock, reserved;
  uint64_t value;          /* sigev_value */
  int64_t interval_ns, left_ns; /* left 0: not armed */
};

struct mpir_image_action { /* as the kernel has it */
  uint64_t handler, flags, restorer, mask;
};

struct mpir_image_checksum {
  uint32_t headers_crc;    /* ELF header and program headers */
  uint32_t notes_crc;      /* the note segment up to this note's own start */
};

/* Lives in the saved process's memory; the restorer fills it for the helper thread that wakes up. */
#define MPIR_PATH_MAX 4096
struct mpir_restart_info {
  uint32_t valid, debug;
  int32_t outer_pid, status_fd;  /* status_fd: write one byte 'K' when running, then close */
  uint64_t area, area_size;      /* the restorer's own pages: to unmap when all threads have left them */
  uint64_t image_device, image_inode; /* of lazily mapped pages; 0 if none */
  char image[MPIR_PATH_MAX];
  int32_t pager_fd, fault_fd;    /* lazily restarted: who gives the memory, and userfaultfd(2); else -1 */
  int32_t go_fd, reserved;       /* member of a set: wait for one byte before the threads go on; -1 if alone */
};
#endif
