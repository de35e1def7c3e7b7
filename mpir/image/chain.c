#include "mpir/image/chain.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "mpir/image/codec.h"
#include "mpir/image/crc32c.h"
#include "mpir/image/writer.h"

#define CHAIN_MAX 4096

/* The images of a chain, the newest first, which is borrowed. */
struct chain {
  const struct mpir_image *images[CHAIN_MAX];
  size_t count;
  char folder[PATH_MAX];
  struct mpir_image_extent *extents; /* of the whole form */
  size_t extent_count;
};

static void chain_close(struct chain *c) {
  for (size_t i = 1; i < c->count; i++)
    mpir_image_close((struct mpir_image *)(uintptr_t)c->images[i]);
  free(c->extents);
  free(c);
}

/* A restart trusts every byte of all of them. */
static int check_owner(const struct mpir_image *newest, const struct mpir_image *base, const char *path, struct dvm_error *err) {
  struct stat st, ours;

  if (newest->fd < 0 || fstat(base->fd, &st) || fstat(newest->fd, &ours))
    return dvm_error_set(err, -EBADMSG, "cannot look at '%s'", path);
  return st.st_uid == ours.st_uid && !(st.st_mode & 022)
             ? 0
             : dvm_error_set(err, -EPERM, "other users can write to '%s', on which the image is based", path);
}

static int add_base(struct chain *c, struct dvm_error *err) {
  const struct mpir_image *image = c->images[c->count - 1];
  const char *name = mpir_image_string(image, image->chain->base_name);
  char path[PATH_MAX + NAME_MAX];
  struct mpir_image *base;

  snprintf(path, sizeof(path), "%s%s", c->folder, name);
  base = c->count < CHAIN_MAX ? mpir_image_open(path, err) : NULL;
  if (!base)
    return dvm_error_wrap(err, "the image holds only changes, and the one before it is missing or damaged");
  c->images[c->count++] = base;
  if (base->header->pid != image->header->pid || base->header->sequence != image->chain->base_sequence ||
      base->header->taken_at_ns != image->chain->base_taken_at_ns)
    return dvm_error_set(err, -EBADMSG, "the image holds only changes, and '%s' is not the one it is based on", path);
  return check_owner(c->images[0], base, path, err);
}

static struct chain *chain_open(const struct mpir_image *image, const char *path, struct dvm_error *err) {
  struct chain *c = calloc(1, sizeof(*c));
  const char *slash = strrchr(path, '/');
  int rc = 0;

  if (!c) {
    dvm_error_set(err, -ENOMEM, "out of memory");
    return NULL;
  }
  snprintf(c->folder, sizeof(c->folder), "%.*s", slash ? (int)(slash - path) + 1 : 0, path);
  c->images[c->count++] = image;
  while (!rc && c->images[c->count - 1]->chain)
    rc = add_base(c, err);
  if (!rc)
    return c;
  chain_close(c);
  return NULL;
}

/* Where an address of the memory lies in the whole form: by its program headers, which are ascending. */
static uint64_t place_of(const struct mpir_image *image, uint64_t address) {
  for (size_t i = 1; i < image->load_count; i++) {
    const Elf64_Phdr *ph = &image->loads[i];

    if (address >= ph->p_vaddr && address - ph->p_vaddr < ph->p_filesz)
      return ph->p_offset + (address - ph->p_vaddr);
  }
  return 0;
}

static int add_piece(struct mpir_writer *w, struct chain *c, const struct mpir_image_extent *like, const char *content, uint64_t address,
                     uint64_t length, uint64_t plain) {
  struct mpir_image_extent *more = c->extent_count & (c->extent_count - 1)
                                       ? c->extents
                                       : realloc(c->extents, (c->extent_count ? 2 * c->extent_count : 1) * sizeof(*more));

  if (!more)
    return dvm_error_set(w->err, -ENOMEM, "out of memory");
  c->extents = more;
  more[c->extent_count++] = (struct mpir_image_extent){.address = address,
                                                       .length = length,
                                                       .file_offset = plain,
                                                       .stored = length,
                                                       .plain_offset = plain,
                                                       .crc = mpir_crc32c(0, content, length),
                                                       .codec = MPIR_CODEC_NONE,
                                                       .file = like->file,
                                                       .flags = like->flags};
  return mpir_writer_put(w, content, length, plain);
}

/* As the image after it calls it. */
static const char *name_of(const struct chain *c, size_t level) {
  return level ? mpir_image_string(c->images[level - 1], c->images[level - 1]->chain->base_name) : "";
}

static int put_extents(struct mpir_writer *w, struct chain *c, size_t level, uint64_t start, uint64_t end, void *space) {
  const struct mpir_image *image = c->images[level];
  int rc = 0;

  for (size_t i = 0; i < image->extent_count && !rc; i++) {
    const struct mpir_image_extent *e = &image->extents[i];
    uint64_t from = e->address > start ? e->address : start, to = e->address + e->length < end ? e->address + e->length : end, plain;
    const char *content;

    if (e->file >= 0 || from >= to)
      continue;
    content = mpir_codec_expand(e, image->data + e->file_offset, space);
    plain = place_of(c->images[0], from);
    if (!content || mpir_crc32c(0, content, e->length) != e->crc)
      rc = dvm_error_set(w->err, -EBADMSG, "'%s', image %llu of the process, is damaged at address %#llx", name_of(c, level),
                         (unsigned long long)image->header->sequence, (unsigned long long)e->address);
    else if (!plain || !place_of(c->images[0], to - 1))
      rc = dvm_error_set(w->err, -EBADMSG, "kept memory at %#llx has no place in the image", (unsigned long long)from);
    else
      rc = add_piece(w, c, e, content + (from - e->address), from, to - from, plain);
  }
  return rc;
}

/* Memory of the image 'level', which may have it from the one before. */
static int put_range(struct mpir_writer *w, struct chain *c, size_t level, uint64_t start, uint64_t end, void *space) {
  const struct mpir_image *image = c->images[level];
  int rc = put_extents(w, c, level, start, end, space);

  for (size_t i = 0; i < image->kept_count && !rc; i++) {
    const struct mpir_image_kept *k = &image->kept[i];
    uint64_t from = k->address > start ? k->address : start, to = k->address + k->length < end ? k->address + k->length : end;

    if (from < to)
      rc = put_range(w, c, level + 1, from, to, space);
  }
  return rc;
}

static int put_own(struct mpir_writer *w, struct chain *c, void *space) {
  const struct mpir_image *image = c->images[0];
  int rc = 0;

  for (size_t i = 0; i < image->extent_count && !rc; i++) {
    const struct mpir_image_extent *e = &image->extents[i];
    const char *content = mpir_codec_expand(e, image->data + e->file_offset, space);

    rc = !content || mpir_crc32c(0, content, e->length) != e->crc
             ? dvm_error_set(w->err, -EBADMSG, "the image is damaged at address %#llx", (unsigned long long)e->address)
             : add_piece(w, c, e, content, e->address, e->length, e->plain_offset);
  }
  for (size_t i = 0; i < image->kept_count && !rc; i++)
    rc = put_range(w, c, 1, image->kept[i].address, image->kept[i].address + image->kept[i].length, space);
  return rc;
}

static int by_place(const void *a, const void *b) {
  const struct mpir_image_extent *x = a, *y = b;

  return x->file_offset < y->file_offset ? -1 : x->file_offset > y->file_offset;
}

static int write_whole(struct mpir_writer *w, void *arg) {
  struct chain *c = arg;
  const struct mpir_image *image = c->images[0];
  struct mpir_image_header header = *image->header;
  Elf64_Phdr *loads = calloc(image->load_count, sizeof(*loads));
  void *space = malloc(MPIR_EXTENT_MAX);
  uint64_t end = MPIR_PAGE;
  int rc = loads && space ? put_own(w, c, space) : dvm_error_set(w->err, -ENOMEM, "out of memory");

  for (size_t i = 1; i < image->load_count && !rc; i++)
    if (image->loads[i].p_filesz && image->loads[i].p_offset + image->loads[i].p_filesz > end)
      end = image->loads[i].p_offset + image->loads[i].p_filesz;
  for (size_t i = 0; i < c->extent_count && !rc; i++)
    if (c->extents[i].file_offset + c->extents[i].length > end)
      end = c->extents[i].file_offset + c->extents[i].length;
  if (!rc) {
    memcpy(loads, image->loads, image->load_count * sizeof(*loads));
    qsort(c->extents, c->extent_count, sizeof(*c->extents), by_place);
    header.flags &= ~(uint64_t)(MPIR_IMAGE_INCREMENTAL | MPIR_IMAGE_COMPRESSED);
    rc = mpir_writer_finish(w, image, &header, c->extents, c->extent_count, loads, (end + 7) & ~7ull, false);
  }
  free(space);
  free(loads);
  return rc;
}

struct mpir_image *mpir_chain_whole(const struct mpir_image *image, const char *path, struct dvm_error *err) {
  struct chain *c = chain_open(image, path, err);
  struct mpir_image *whole = c ? mpir_writer_nameless(path, write_whole, c, err) : NULL;

  if (c)
    chain_close(c);
  return whole;
}

int mpir_chain_compact(const struct mpir_image *image, const char *path, const char *out, struct dvm_error *err) {
  struct chain *c = chain_open(image, path, err);
  int rc = c ? mpir_writer_file(out, write_whole, c, err) : err->code;

  if (c)
    chain_close(c);
  return rc;
}
