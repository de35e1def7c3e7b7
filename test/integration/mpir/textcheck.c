/* Compares every code page in an image with the file that was mapped.  Ends with 0 if all are equal; says how many it saw.
 * textcheck IMAGE */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "mpir/image/image.h"

int main(int argc, char **argv)
{
  struct dvm_error err = DVM_ERROR_INIT;
  struct mpir_image *image = argc == 2 ? mpir_image_open(argv[1], &err) : NULL;
  unsigned pages = 0, changed = 0, breakpoints = 0;

  if (!image) {
    fprintf(stderr, "textcheck: %s\n", err.text);
    return 2;
  }
  for (size_t i = 0; i < image->extent_count; i++) {
    const struct mpir_image_extent *e = &image->extents[i];
    const struct mpir_image_map *m = e->file < 0 ? mpir_image_map_at(image, e->address) : NULL;
    int fd;

    if (!m || !(m->prot & PROT_EXEC) || m->kind != MPIR_MAP_FILE)
      continue;
    fd = open(mpir_image_string(image, m->name), O_RDONLY);
    for (uint64_t at = 0; at < e->length; at += 4096, pages++) {
      unsigned char file[4096] = { 0 };
      const unsigned char *saved = image->data + e->file_offset + at;

      if (fd < 0 || pread(fd, file, sizeof(file), (off_t)(m->map_offset + e->address - m->start + at)) < 0)
        return 2;
      changed += memcmp(file, saved, sizeof(file)) != 0;
      for (unsigned k = 0; k < sizeof(file); k++)
        breakpoints += saved[k] == 0xcc && file[k] != 0xcc;
    }
    close(fd);
  }
  printf("%u code pages in the image, %u differ, %u breakpoint bytes\n", pages, changed, breakpoints);
  return changed || breakpoints;
}
