/* Writing an image made of others. */
#ifndef DVM_MPIR_WRITER_H
#define DVM_MPIR_WRITER_H
#include <stdbool.h>
#include "mpir/image/image.h"

struct mpir_writer {
  int fd;
  struct dvm_error *err;
};

int mpir_writer_put(struct mpir_writer *w, const void *from, size_t size, uint64_t offset);
/* Closes the file with the notes of 'image', where header and extents are replaced, and headers.  'loads' are the file's own program
 * headers, the first of which is set here; 'with_loads': those of the image go into a note. */
int mpir_writer_finish(struct mpir_writer *w, const struct mpir_image *image, struct mpir_image_header *header,
                       const struct mpir_image_extent *extents, size_t extent_count, Elf64_Phdr *loads, uint64_t notes_at, bool with_loads);
/* Writes a file under a temporary name and renames it when it is whole and on the medium. */
int mpir_writer_file(const char *path, int (*write)(struct mpir_writer *w, void *arg), void *arg, struct dvm_error *err);
/* Into a file without a name, opened as an image. */
struct mpir_image *mpir_writer_nameless(const char *name, int (*write)(struct mpir_writer *w, void *arg), void *arg, struct dvm_error *err);
#endif
