#include "mpir/image/compress.h"
#include "mpir/image/writer.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "mpir/image/codec.h"
#include "mpir/image/crc32c.h"

int mpir_writer_put(struct mpir_writer *w, const void *from, size_t size, uint64_t offset) {
  const char *p = from;

  while (size) {
    ssize_t n = pwrite(w->fd, p, size, (off_t)offset);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return n ? dvm_error_errno(w->err, "cannot write the image") : dvm_error_set(w->err, -ENOSPC, "cannot write the image");
    p += n;
    size -= (size_t)n;
    offset += (uint64_t)n;
  }
  return 0;
}

static size_t padded(size_t size) { return (size + 7) & ~7ul; }

/* The image's notes with another header and data table, and the program headers of the plain form where wanted. */
struct notes {
  unsigned char *bytes; /* owned */
  size_t size;
};

static void note_put(struct notes *n, const char *name, uint32_t type, const void *content, size_t size) {
  Elf64_Nhdr head = {(uint32_t)strlen(name) + 1, (uint32_t)size, type};

  memcpy(n->bytes + n->size, &head, sizeof(head));
  memcpy(n->bytes + n->size + 12, name, head.n_namesz);
  memcpy(n->bytes + n->size + 12 + ((head.n_namesz + 3) & ~3u), content, size);
  n->size += 12 + ((head.n_namesz + 3) & ~3u) + ((size + 3) & ~3ul);
}

/* Core notes are kept as they are; ours are written anew.  Fails only for want of memory. */
static int notes_build(const struct mpir_image *image, const struct mpir_image_header *header, const struct mpir_image_extent *extents,
                       size_t extent_count, bool with_loads, struct notes *out) {
  const unsigned char *from = image->data + image->notes_offset;
  size_t at = 0, room = image->notes_size + image->load_count * sizeof(Elf64_Phdr) + extent_count * sizeof(*extents) + 4096;
  const bool chained = header->flags & MPIR_IMAGE_INCREMENTAL;

  out->size = 0;
  out->bytes = calloc(1, room);
  if (!out->bytes)
    return -ENOMEM;
  while (at + 12 <= image->notes_size) { /* the reader has checked the lengths */
    Elf64_Nhdr head;
    const char *name = (const char *)from + at + 12;
    size_t whole;

    memcpy(&head, from + at, sizeof(head));
    whole = 12 + ((head.n_namesz + 3) & ~3ul) + ((head.n_descsz + 3) & ~3ul);
    if (head.n_namesz == sizeof(MPIR_NOTE_NAME) && memcmp(name, MPIR_NOTE_NAME, sizeof(MPIR_NOTE_NAME)) == 0) {
      const void *content = name + sizeof(MPIR_NOTE_NAME);
      size_t size = head.n_descsz;

      if (head.n_type == MPIR_NOTE_HEADER) {
        content = header;
      } else if (head.n_type == MPIR_NOTE_EXTENTS) {
        content = extents;
        size = extent_count * sizeof(*extents);
      }
      if (head.n_type != MPIR_NOTE_CHECKSUM && head.n_type != MPIR_NOTE_LOADS &&
          (chained || (head.n_type != MPIR_NOTE_CHAIN && head.n_type != MPIR_NOTE_KEPT)))
        note_put(out, MPIR_NOTE_NAME, head.n_type, content, size);
    } else {
      memcpy(out->bytes + out->size, from + at, whole);
      out->size += whole;
    }
    at += whole;
  }
  if (with_loads)
    note_put(out, MPIR_NOTE_NAME, MPIR_NOTE_LOADS, image->loads, image->load_count * sizeof(Elf64_Phdr));
  return 0;
}

/* Closes the file with notes and headers.  'loads' are the file's own program headers, the first of which is set here. */
int mpir_writer_finish(struct mpir_writer *w, const struct mpir_image *image, struct mpir_image_header *header,
                       const struct mpir_image_extent *extents, size_t extent_count, Elf64_Phdr *loads, uint64_t notes_at,
                       bool with_loads) {
  Elf64_Ehdr eh;
  struct mpir_image_checksum sum;
  struct notes notes;
  size_t table = image->load_count * sizeof(Elf64_Phdr);
  const size_t sum_size = 12 + sizeof(MPIR_NOTE_NAME) + sizeof(sum);
  int rc = notes_build(image, header, extents, extent_count, with_loads, &notes);

  if (rc)
    return dvm_error_set(w->err, rc, "out of memory");
  header->image_size = notes_at + notes.size + sum_size;
  free(notes.bytes);
  rc = notes_build(image, header, extents, extent_count, with_loads, &notes);
  if (rc)
    return dvm_error_set(w->err, rc, "out of memory");
  memcpy(&eh, image->data, sizeof(eh));
  eh.e_phnum = (uint16_t)image->load_count;
  loads[0].p_offset = notes_at;
  loads[0].p_filesz = notes.size + sum_size;
  sum.headers_crc = mpir_crc32c(mpir_crc32c(0, &eh, sizeof(eh)), loads, table);
  sum.notes_crc = mpir_crc32c(0, notes.bytes, notes.size);
  note_put(&notes, MPIR_NOTE_NAME, MPIR_NOTE_CHECKSUM, &sum, sizeof(sum));
  rc = mpir_writer_put(w, notes.bytes, notes.size, notes_at);
  if (!rc)
    rc = mpir_writer_put(w, loads, table, sizeof(eh));
  if (!rc)
    rc = mpir_writer_put(w, &eh, sizeof(eh), 0);
  free(notes.bytes);
  return rc;
}

/* A piece that does not shrink is stored as it is. */
static int compress_extents(struct mpir_writer *w, const struct mpir_image *image, struct mpir_image_extent *extents, enum mpir_codec codec,
                            uint64_t *offset) {
  void *space = malloc(MPIR_EXTENT_MAX), *plain_space = malloc(MPIR_EXTENT_MAX);
  int rc = space && plain_space ? 0 : dvm_error_set(w->err, -ENOMEM, "out of memory");

  for (size_t i = 0; i < image->extent_count && !rc; i++) {
    const struct mpir_image_extent *e = &image->extents[i];
    const void *plain = mpir_codec_expand(e, image->data + e->file_offset, plain_space);
    size_t size = plain ? mpir_codec_compress(codec, plain, e->length, space, e->length - 1) : 0;

    if (!plain || mpir_crc32c(0, plain, e->length) != e->crc) {
      rc = dvm_error_set(w->err, -EBADMSG, "the image is damaged at address %#llx", (unsigned long long)e->address);
      break;
    }
    extents[i].file_offset = *offset;
    extents[i].stored = size ? size : e->length;
    extents[i].codec = size ? codec : MPIR_CODEC_NONE;
    rc = mpir_writer_put(w, size ? space : plain, extents[i].stored, *offset);
    *offset += padded(extents[i].stored);
  }
  free(space);
  free(plain_space);
  return rc;
}

static int compress_into(struct mpir_writer *w, const struct mpir_image *image, enum mpir_codec codec) {
  struct mpir_image_extent *extents = calloc(image->extent_count + 1, sizeof(*extents));
  Elf64_Phdr *loads = calloc(image->load_count, sizeof(*loads));
  struct mpir_image_header header = *image->header;
  uint64_t offset = padded(sizeof(Elf64_Ehdr) + image->load_count * sizeof(Elf64_Phdr));
  int rc = extents && loads ? 0 : dvm_error_set(w->err, -ENOMEM, "out of memory");

  if (!rc) {
    memcpy(extents, image->extents, image->extent_count * sizeof(*extents));
    memcpy(loads, image->loads, image->load_count * sizeof(*loads));
    for (size_t i = 1; i < image->load_count; i++) /* a debugger sees the ranges, not the content */
      loads[i].p_filesz = loads[i].p_offset = 0;
    header.flags |= MPIR_IMAGE_COMPRESSED;
    rc = compress_extents(w, image, extents, codec, &offset);
  }
  if (!rc)
    rc = mpir_writer_finish(w, image, &header, extents, image->extent_count, loads, offset, true);
  free(extents);
  free(loads);
  return rc;
}

static int expand_extents(struct mpir_writer *w, const struct mpir_image *image, struct mpir_image_extent *extents) {
  void *space = malloc(MPIR_EXTENT_MAX);
  int rc = space ? 0 : dvm_error_set(w->err, -ENOMEM, "out of memory");

  for (size_t i = 0; i < image->extent_count && !rc; i++) {
    const struct mpir_image_extent *e = &image->extents[i];
    const void *plain = mpir_codec_expand(e, image->data + e->file_offset, space);

    if (!plain || mpir_crc32c(0, plain, e->length) != e->crc)
      rc = dvm_error_set(w->err, -EBADMSG, "the image is damaged at address %#llx", (unsigned long long)e->address);
    else
      rc = mpir_writer_put(w, plain, e->length, e->plain_offset);
    extents[i].file_offset = e->plain_offset;
    extents[i].stored = e->length;
    extents[i].codec = MPIR_CODEC_NONE;
  }
  free(space);
  return rc;
}

static int expand_into(struct mpir_writer *w, const struct mpir_image *image) {
  struct mpir_image_extent *extents = calloc(image->extent_count + 1, sizeof(*extents));
  Elf64_Phdr *loads = calloc(image->load_count, sizeof(*loads));
  struct mpir_image_header header = *image->header;
  uint64_t end = MPIR_PAGE;
  int rc = extents && loads ? 0 : dvm_error_set(w->err, -ENOMEM, "out of memory");

  if (!rc) {
    memcpy(extents, image->extents, image->extent_count * sizeof(*extents));
    memcpy(loads, image->loads, image->load_count * sizeof(*loads));
    header.flags &= ~(uint64_t)MPIR_IMAGE_COMPRESSED;
    rc = expand_extents(w, image, extents);
    for (size_t i = 1; i < image->load_count; i++)
      if (loads[i].p_filesz && loads[i].p_offset + loads[i].p_filesz > end)
        end = loads[i].p_offset + loads[i].p_filesz;
    for (size_t i = 0; i < image->extent_count; i++)
      if (extents[i].plain_offset + extents[i].length > end)
        end = extents[i].plain_offset + extents[i].length;
  }
  if (!rc)
    rc = mpir_writer_finish(w, image, &header, extents, image->extent_count, loads, padded(end), image->chain != NULL);
  free(extents);
  free(loads);
  return rc;
}

int mpir_writer_file(const char *path, int (*write)(struct mpir_writer *w, void *arg), void *arg, struct dvm_error *err) {
  struct mpir_writer w = {-1, err};
  char *temporary;
  int rc;

  if (asprintf(&temporary, "%s.tmp%d", path, (int)getpid()) < 0)
    return dvm_error_set(err, -ENOMEM, "out of memory");
  w.fd = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (w.fd < 0) {
    rc = dvm_error_errno(err, "cannot create '%s'", temporary);
    free(temporary);
    return rc;
  }
  rc = write(&w, arg);
  if (!rc && fdatasync(w.fd))
    rc = dvm_error_errno(err, "cannot write '%s'", temporary);
  if (close(w.fd) && !rc)
    rc = dvm_error_errno(err, "cannot write '%s'", temporary);
  if (!rc && rename(temporary, path))
    rc = dvm_error_errno(err, "cannot rename '%s'", temporary);
  if (rc)
    unlink(temporary);
  free(temporary);
  return rc;
}

struct conversion {
  const struct mpir_image *image;
  enum mpir_codec codec;
};

static int convert(struct mpir_writer *w, void *arg) {
  const struct conversion *c = arg;

  return c->codec == MPIR_CODEC_NONE ? expand_into(w, c->image) : compress_into(w, c->image, c->codec);
}

int mpir_image_compress(const struct mpir_image *image, const char *path, enum mpir_codec codec, struct dvm_error *err) {
  struct conversion c = {image, codec};

  return mpir_writer_file(path, convert, &c, err);
}

int mpir_image_expand_to(const struct mpir_image *image, const char *path, struct dvm_error *err) {
  return mpir_image_compress(image, path, MPIR_CODEC_NONE, err);
}

/* In the folder for passing files or, where that has no room, in memory. */
static int open_nameless(bool in_memory) {
  const char *folder = getenv("TMPDIR");

  return in_memory ? memfd_create("checkpoint-image", MFD_CLOEXEC) : open(folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static bool is_no_room(int code) { return code == -ENOSPC || code == -EDQUOT || code == -EFBIG; }

struct mpir_image *mpir_writer_nameless(const char *name, int (*write)(struct mpir_writer *w, void *arg), void *arg,
                                        struct dvm_error *err) {
  for (int in_memory = 0; in_memory < 2; in_memory++) {
    struct dvm_error own = DVM_ERROR_INIT;
    struct mpir_writer w = {open_nameless(in_memory), &own};

    if (w.fd >= 0 && !write(&w, arg))
      return mpir_image_open_fd(w.fd, name, err);
    if (w.fd < 0)
      dvm_error_errno(&own, "no place to expand the image");
    else
      close(w.fd);
    *err = own;
    if (w.fd >= 0 && !is_no_room(own.code))
      break;
  }
  return NULL;
}

struct mpir_image *mpir_image_expand(const struct mpir_image *image, const char *name, struct dvm_error *err) {
  struct conversion c = {image, MPIR_CODEC_NONE};

  return mpir_writer_nameless(name, convert, &c, err);
}
