/* Changes a field of an image and makes its checksums right again: an image of another kernel, another user, another
 * version.  With the field 'data' one bit of the saved memory is changed instead.  patch FIELD IMAGE OUT */
#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mpir/image/crc32c.h"
#include "mpir/image/image.h"

static const struct { const char *name; size_t offset; uint32_t value; } fields[] = {
  { "vdso", offsetof(struct mpir_image_header, vdso_hash), 0x12345678 },
  { "uid", offsetof(struct mpir_image_header, uid), 4242 },
  { "version", offsetof(struct mpir_image_header, version), MPIR_IMAGE_VERSION + 1 },
};

int main(int argc, char **argv)
{
  struct dvm_error err = DVM_ERROR_INIT;
  struct mpir_image *image = argc == 4 ? mpir_image_open(argv[2], &err) : NULL;
  unsigned char *copy;
  FILE *out;

  if (!image || !(copy = malloc(image->size)))
    return 2;
  memcpy(copy, image->data, image->size);
  for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
    if (strcmp(fields[i].name, argv[1]) == 0)
      memcpy(copy + ((const unsigned char *)image->header - image->data) + fields[i].offset, &fields[i].value, 4);
  if (strcmp(argv[1], "data") == 0)
    copy[image->extents[image->extent_count / 2].file_offset + 5] ^= 1;
  const size_t sum_at = image->size - sizeof(struct mpir_image_checksum);
  const size_t notes_size = sum_at - 12 - sizeof(MPIR_NOTE_NAME) - image->notes_offset;
  const uint32_t crc = mpir_crc32c(0, copy + image->notes_offset, notes_size);
  memcpy(copy + sum_at + offsetof(struct mpir_image_checksum, notes_crc), &crc, 4);
  out = fopen(argv[3], "w");
  return !out || fwrite(copy, image->size, 1, out) != 1 || fclose(out);
}
