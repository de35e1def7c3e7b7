/* Reading a checkpoint image.  Everything in it is checked before it is handed out: a file that was cut, changed or made
 * up is refused, never followed. */
#ifndef DVM_MPIR_IMAGE_H
#define DVM_MPIR_IMAGE_H
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/error.h"
#include "mpir/image/image_format.h"

struct mpir_image { /* all pointers borrow from the file's mapping */
  const struct mpir_image_header *header;
  const struct mpir_image_map *maps;
  const struct mpir_image_thread *threads;
  const struct mpir_image_extent *extents;
  const struct mpir_image_file *files;
  const struct mpir_image_timer *timers;
  const struct mpir_image_action *actions;  /* [MPIR_SIGNALS] */
  const struct mpir_image_credentials *credentials; /* [thread_count] */
  const struct mpir_image_process *process;
  const uint32_t *groups;
  const unsigned char *filters;             /* flags, length, instructions of 8 bytes, one filter behind the other */
  const char *strings;
  const unsigned char *auxv;                /* pairs of 8-byte words; not aligned */
  const Elf64_Phdr *loads;                  /* of the uncompressed form, the note segment first */
  size_t map_count, thread_count, extent_count, file_count, timer_count, strings_size, auxv_bytes, load_count;
  size_t credential_count, group_count, filters_size, filter_count;
  const struct mpir_image_chain *chain;     /* NULL unless incremental */
  const struct mpir_image_kept *kept;
  const struct mpir_image_kept *guards;
  const struct mpir_image_semaphore *semaphores; /* NULL where the image describes none */
  size_t kept_count, guard_count, semaphore_count;
  const unsigned char *data;                /* the whole file */
  size_t size;
  uint64_t notes_offset, notes_size;
  int fd;                                   /* -1 if opened from memory */
};

/* Opens an image and verifies its metadata.  The caller closes it.  NULL: not an image, damaged, or of another version. */
struct mpir_image *mpir_image_open(const char *path, struct dvm_error *err);
/* The same of an open descriptor, which the image then owns (also on failure); 'name' is for messages. */
struct mpir_image *mpir_image_open_fd(int fd, const char *name, struct dvm_error *err);
/* The same of 'size' bytes that stay the caller's and must outlive the image, aligned to 8. */
struct mpir_image *mpir_image_open_memory(const void *data, size_t size, struct dvm_error *err);
void mpir_image_close(struct mpir_image *image);

/* The string at an offset that stands in the image. */
const char *mpir_image_string(const struct mpir_image *image, uint32_t offset);
/* Verifies the checksum of every piece of data.  Returns 0, or -EBADMSG naming the first bad address. */
int mpir_image_verify(const struct mpir_image *image, struct dvm_error *err);
/* The same of one piece; 'space' has MPIR_EXTENT_MAX bytes. */
int mpir_image_verify_extent(const struct mpir_image *image, const struct mpir_image_extent *e, void *space, struct dvm_error *err);
/* The mapping that holds an address, or NULL. */
const struct mpir_image_map *mpir_image_map_at(const struct mpir_image *image, uint64_t address);
/* The mapping is the ring of a context of asynchronous I/O. */
bool mpir_image_is_ring(const struct mpir_image *image, const struct mpir_image_map *map);
#endif
