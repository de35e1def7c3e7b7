/* A checkpoint image from anywhere.  The checksums are put right first, so that the reader's own checks are reached; what
 * it takes must then be safe to walk through. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "mpir/image/crc32c.h"
#include "mpir/image/image.h"

/* Walks the notes as far as they make sense and fills in the checksum note. */
static void close_again(unsigned char *p, size_t size)
{
  Elf64_Ehdr eh;
  Elf64_Phdr ph;
  size_t table;

  if (size < sizeof(eh) + sizeof(ph))
    return;
  memcpy(&eh, p, sizeof(eh));
  memcpy(&ph, p + sizeof(eh), sizeof(ph));
  table = eh.e_phnum * sizeof(ph);
  if (table > size - sizeof(eh) || ph.p_filesz > size || ph.p_offset > size - ph.p_filesz)
    return;
  for (size_t at = 0; at + 12 <= ph.p_filesz;) {
    unsigned char *note = p + ph.p_offset + at;
    Elf64_Nhdr head;
    size_t name, whole;

    memcpy(&head, note, sizeof(head));
    name = ((size_t)head.n_namesz + 3) & ~3ul;
    whole = 12 + name + (((size_t)head.n_descsz + 3) & ~3ul);
    if (whole > ph.p_filesz - at)
      return;
    if (head.n_type == MPIR_NOTE_CHECKSUM && head.n_descsz == sizeof(struct mpir_image_checksum)) {
      struct mpir_image_checksum sum = { mpir_crc32c(0, p, sizeof(eh) + table), mpir_crc32c(0, p + ph.p_offset, at) };

      memcpy(note + 12 + name, &sum, sizeof(sum));
      return;
    }
    at += whole;
  }
}

static void walk(const struct mpir_image *image)
{
  struct dvm_error err = DVM_ERROR_INIT;
  size_t sum = 0;

  for (size_t i = 0; i < image->map_count; i++)
    if (mpir_image_map_at(image, image->maps[i].start) != &image->maps[i] ||
        mpir_image_map_at(image, image->maps[i].end - 1) != &image->maps[i])
      abort();
  for (size_t i = 0; i < image->map_count; i++)
    sum += strlen(mpir_image_string(image, image->maps[i].name));
  for (size_t i = 0; i < image->file_count; i++)
    sum += strlen(mpir_image_string(image, image->files[i].name)) + strlen(mpir_image_string(image, image->files[i].info));
  for (size_t i = 0; i < image->load_count; i++)
    sum += image->loads[i].p_filesz;
  for (size_t i = 0; i < image->auxv_bytes; i++)
    sum += image->auxv[i];
  mpir_image_verify(image, &err);
  if (sum == 1)
    abort(); /* keeps the sums alive; an image's names and tables are longer than that */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct dvm_error err = DVM_ERROR_INIT;
  unsigned char *copy = aligned_alloc(16, (size + 16) & ~15ul);
  struct mpir_image *image;

  if (!copy)
    return 0;
  memcpy(copy, data, size);
  close_again(copy, size);
  image = mpir_image_open_memory(copy, size, &err);
  if (image)
    walk(image);
  else if (!err.code || !err.text[0])
    abort();
  mpir_image_close(image);
  free(copy);
  return 0;
}
