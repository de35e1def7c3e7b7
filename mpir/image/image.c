#include "mpir/image/image.h"
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <libelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "mpir/image/codec.h"
#include "mpir/image/crc32c.h"

#define ADDRESS_END 0x7ffffffff000ull
#define TABLE_MAX (1u << 24)

/* One of our notes: where its content goes, and how large its elements are. */
struct note_slot {
  const char *what;
  size_t element;
  const void **content;
  size_t *count;
};

static int note_take(const struct note_slot *slot, const void *content, size_t size, struct dvm_error *err) {
  if (*slot->content)
    return dvm_error_set(err, -EBADMSG, "the image has two notes for its %s", slot->what);
  if (size % slot->element || size / slot->element > TABLE_MAX || (slot->element > 1 && (uintptr_t)content % 8))
    return dvm_error_set(err, -EBADMSG, "the image's %s has the wrong size %zu or is misaligned", slot->what, size);
  *slot->content = content;
  *slot->count = size / slot->element;
  return 0;
}

#define SLOT(type) [MPIR_NOTE_##type - MPIR_NOTE_BASE]

static int note_dispatch(struct mpir_image *image, const char *name, size_t name_size, uint32_t type, const void *content, size_t size,
                         const struct mpir_image_checksum **sum, struct dvm_error *err) {
  size_t headers = 0, actions = 0, sums = 0, processes = 0, chains = 0;
  const struct note_slot slots[] = {
      SLOT(HEADER) = {"header", sizeof(*image->header), (const void **)&image->header, &headers},
      SLOT(MAPS) = {"memory map", sizeof(*image->maps), (const void **)&image->maps, &image->map_count},
      SLOT(THREADS) = {"thread table", sizeof(*image->threads), (const void **)&image->threads, &image->thread_count},
      SLOT(EXTENTS) = {"data table", sizeof(*image->extents), (const void **)&image->extents, &image->extent_count},
      SLOT(FILES) = {"file table", sizeof(*image->files), (const void **)&image->files, &image->file_count},
      SLOT(TIMERS) = {"timer table", sizeof(*image->timers), (const void **)&image->timers, &image->timer_count},
      SLOT(ACTIONS) = {"signal table", sizeof(*image->actions), (const void **)&image->actions, &actions},
      SLOT(STRINGS) = {"names", 1, (const void **)&image->strings, &image->strings_size},
      SLOT(CHECKSUM) = {"checksums", sizeof(**sum), (const void **)sum, &sums},
      SLOT(CREDENTIALS) = {"credentials", sizeof(*image->credentials), (const void **)&image->credentials, &image->credential_count},
      SLOT(GROUPS) = {"groups", sizeof(*image->groups), (const void **)&image->groups, &image->group_count},
      SLOT(FILTERS) = {"filters", 1, (const void **)&image->filters, &image->filters_size},
      SLOT(PROCESS) = {"process", sizeof(*image->process), (const void **)&image->process, &processes},
      SLOT(CHAIN) = {"chain", sizeof(*image->chain), (const void **)&image->chain, &chains},
      SLOT(GUARDS) = {"guards", sizeof(*image->guards), (const void **)&image->guards, &image->guard_count},
      SLOT(SEMAPHORES) = {"semaphores", sizeof(*image->semaphores), (const void **)&image->semaphores, &image->semaphore_count},
      SLOT(KEPT) = {"kept memory", sizeof(*image->kept), (const void **)&image->kept, &image->kept_count},
      SLOT(LOADS) = {"program headers", sizeof(*image->loads), (const void **)&image->loads, &image->load_count},
  };
  const struct note_slot auxv = {"auxiliary vector", 1, (const void **)&image->auxv, &image->auxv_bytes};
  int rc;

  if (name_size == sizeof("CORE") && memcmp(name, "CORE", sizeof("CORE")) == 0 && type == NT_AUXV) {
    return size % 16 ? dvm_error_set(err, -EBADMSG, "the image's auxiliary vector has the wrong size %zu", size)
                     : note_take(&auxv, content, size, err);
  }
  if (name_size != sizeof(MPIR_NOTE_NAME) || memcmp(name, MPIR_NOTE_NAME, sizeof(MPIR_NOTE_NAME)) != 0)
    return 0;
  if (type <= MPIR_NOTE_BASE || type - MPIR_NOTE_BASE >= sizeof(slots) / sizeof(slots[0]))
    return 0; /* of a later version that is still readable */
  rc = note_take(&slots[type - MPIR_NOTE_BASE], content, size, err);
  if (!rc && type == MPIR_NOTE_HEADER && headers != 1)
    rc = dvm_error_set(err, -EBADMSG, "the image has %zu headers", headers);
  if (!rc && type == MPIR_NOTE_PROCESS && processes != 1)
    rc = dvm_error_set(err, -EBADMSG, "the image describes %zu processes", processes);
  if (!rc && type == MPIR_NOTE_CHAIN && chains != 1)
    rc = dvm_error_set(err, -EBADMSG, "the image names %zu predecessors instead of one", chains);
  if (!rc && type == MPIR_NOTE_ACTIONS && actions != MPIR_SIGNALS)
    rc = dvm_error_set(err, -EBADMSG, "the image has %zu signal actions, not %d", actions, MPIR_SIGNALS);
  return rc;
}

static int notes_read(struct mpir_image *image, Elf *elf, const GElf_Phdr *ph, struct dvm_error *err) {
  Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)ph->p_offset, ph->p_filesz, ELF_T_NHDR);
  const struct mpir_image_checksum *sum = NULL;
  size_t at = 0, next, name_at, desc_at, sum_at = 0;
  uint32_t crc;
  GElf_Nhdr head;
  int rc = 0;

  if (!data || !data->d_buf)
    return dvm_error_set(err, -EBADMSG, "the image is truncated: its notes are missing");
  while (!rc && (next = gelf_getnote(data, at, &head, &name_at, &desc_at)) > 0) {
    const char *base = data->d_buf;

    if (desc_at + head.n_descsz > data->d_size || name_at + head.n_namesz > data->d_size)
      return dvm_error_set(err, -EBADMSG, "a note of the image is longer than its segment");
    if (!sum)
      sum_at = at;
    rc = note_dispatch(image, base + name_at, head.n_namesz, head.n_type, base + desc_at, head.n_descsz, &sum, err);
    at = next;
  }
  if (rc)
    return rc;
  if (!sum)
    return dvm_error_set(err, -EBADMSG, "not a checkpoint image: it lacks the notes that a restart needs");
  crc = mpir_crc32c(0, image->data + ph->p_offset, sum_at);
  if (crc != sum->notes_crc)
    return dvm_error_set(err, -EBADMSG, "the image's notes are damaged: checksum %08x, expected %08x", crc, sum->notes_crc);
  crc = mpir_crc32c(0, image->data, sizeof(Elf64_Ehdr));
  crc = mpir_crc32c(crc, image->data + sizeof(Elf64_Ehdr), ((const Elf64_Ehdr *)image->data)->e_phnum * sizeof(Elf64_Phdr));
  if (crc != sum->headers_crc)
    return dvm_error_set(err, -EBADMSG, "the image's headers are damaged: checksum %08x, expected %08x", crc, sum->headers_crc);
  return 0;
}

static bool string_ok(const struct mpir_image *image, uint32_t offset) { return offset == 0 || offset < image->strings_size; }

static int check_header(const struct mpir_image *image, struct dvm_error *err) {
  const struct mpir_image_header *h = image->header;

  if (h && h->version != MPIR_IMAGE_VERSION)
    return dvm_error_set(err, -EPROTO,
                         "the image has version %u, but this program reads version %d: restart it with the "
                         "version that wrote it",
                         h->version, MPIR_IMAGE_VERSION);
  if (!h || !image->credentials || !image->groups || !image->filters || !image->process || !image->maps || !image->threads ||
      !image->extents || !image->files || !image->timers || !image->actions || !image->strings || !image->auxv)
    return dvm_error_set(err, -EBADMSG, "the image lacks a table");
  if (h->version != MPIR_IMAGE_VERSION || h->size != sizeof(*h))
    return dvm_error_set(err, -EPROTO,
                         "the image has version %u, but this program reads version %d: restart it with the "
                         "version that wrote it",
                         h->version, MPIR_IMAGE_VERSION);
  if (h->image_size != image->size)
    return dvm_error_set(err, -EBADMSG, "the image is truncated: it has %zu bytes, but its header says %llu", image->size,
                         (unsigned long long)h->image_size);
  if (!image->strings_size || image->strings[image->strings_size - 1])
    return dvm_error_set(err, -EBADMSG, "the image's names are not terminated");
  if (!string_ok(image, h->exe) || !string_ok(image, h->cwd) || !string_ok(image, h->comm) || !string_ok(image, h->command_line) ||
      !string_ok(image, h->kernel) || !string_ok(image, h->host))
    return dvm_error_set(err, -EBADMSG, "the image's header has a bad name");
  if (h->pid <= 0 || (h->rseq_length != 0 && (h->rseq_length < 32 || h->rseq_length > 4096)))
    return dvm_error_set(err, -EBADMSG, "the image's header has a bad process number or rseq length");
  return 0;
}

static int check_maps(const struct mpir_image *image, struct dvm_error *err) {
  uint64_t last = MPIR_PAGE;

  for (size_t i = 0; i < image->map_count; i++) {
    const struct mpir_image_map *m = &image->maps[i];

    if (m->start < last || m->end <= m->start || m->end > ADDRESS_END || (m->start | m->end | m->map_offset) % MPIR_PAGE ||
        m->kind < MPIR_MAP_ANON || m->kind > MPIR_MAP_KERNEL || m->prot & ~7u || !string_ok(image, m->name))
      return dvm_error_set(err, -EBADMSG, "entry %zu of the image's memory map is bad", i);
    last = m->end;
  }
  return 0;
}

static int check_threads(const struct mpir_image *image, struct dvm_error *err) {
  if (!image->thread_count || image->threads[0].tid != image->header->pid)
    return dvm_error_set(err, -EBADMSG, "the image has no main thread");
  for (size_t i = 0; i < image->thread_count; i++)
    if (image->threads[i].tid <= 0 || !memchr(image->threads[i].name, 0, sizeof(image->threads[i].name)))
      return dvm_error_set(err, -EBADMSG, "thread %zu of the image is bad", i);
  return 0;
}

/* Each filter: flags, length, instructions. */
static int check_filters(struct mpir_image *image, struct dvm_error *err) {
  uint32_t head[2];

  for (size_t at = 0; at < image->filters_size; at += sizeof(head) + head[1] * 8ul) {
    if (image->filters_size - at < sizeof(head))
      return dvm_error_set(err, -EBADMSG, "the image's filters are truncated");
    memcpy(head, image->filters + at, sizeof(head));
    if (!head[1] || head[1] > 4096 || image->filters_size - at - sizeof(head) < head[1] * 8ul)
      return dvm_error_set(err, -EBADMSG, "filter %zu of the image is bad", image->filter_count);
    image->filter_count++;
  }
  return 0;
}

static int check_credentials(struct mpir_image *image, struct dvm_error *err) {
  int rc = check_filters(image, err);

  if (!rc && image->credential_count != image->thread_count)
    rc = dvm_error_set(err, -EBADMSG, "the image has credentials for %zu of %zu threads", image->credential_count, image->thread_count);
  for (size_t i = 0; i < image->credential_count && !rc; i++) {
    const struct mpir_image_credentials *c = &image->credentials[i];

    if (c->filters > image->filter_count || c->group_count > image->group_count || c->groups_at > image->group_count - c->group_count)
      rc = dvm_error_set(err, -EBADMSG, "the credentials of thread %zu of the image are bad", i);
  }
  return rc;
}

const struct mpir_image_map *mpir_image_map_at(const struct mpir_image *image, uint64_t address) {
  size_t low = 0, high = image->map_count;

  while (low < high) {
    size_t middle = low + (high - low) / 2;

    if (image->maps[middle].end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low < image->map_count && image->maps[low].start <= address ? &image->maps[low] : NULL;
}

bool mpir_image_is_ring(const struct mpir_image *image, const struct mpir_image_map *map) {
  return map->kind == MPIR_MAP_SHARED && strncmp(mpir_image_string(image, map->name), MPIR_RING_NAME, sizeof(MPIR_RING_NAME) - 1) == 0;
}

static int check_extents(const struct mpir_image *image, struct dvm_error *err) {
  for (size_t i = 0; i < image->extent_count; i++) {
    const struct mpir_image_extent *e = &image->extents[i];
    const struct mpir_image_map *m = e->file < 0 ? mpir_image_map_at(image, e->address) : NULL;
    bool plain = e->codec == MPIR_CODEC_NONE;

    if (!e->length || e->length > MPIR_EXTENT_MAX || e->stored > image->size || e->file_offset > image->size - e->stored ||
        e->codec > MPIR_CODEC_ZSTD || (plain && e->stored != e->length) || e->plain_offset > (1ull << 62))
      return dvm_error_set(err, -EBADMSG, "entry %zu of the image's data table is bad", i);
    if (e->file >= (int64_t)image->file_count || (e->file >= 0 && e->address > (1ull << 62)))
      return dvm_error_set(err, -EBADMSG, "entry %zu of the image's data table names no file", i);
    if (e->file < 0 && (!m || e->length > m->end - e->address || (e->address | e->length) % MPIR_PAGE || e->plain_offset % MPIR_PAGE))
      return dvm_error_set(err, -EBADMSG, "entry %zu of the image's data table lies outside its mapping", i);
  }
  return 0;
}

static int check_files(const struct mpir_image *image, struct dvm_error *err) {
  for (size_t i = 0; i < image->file_count; i++) {
    const struct mpir_image_file *f = &image->files[i];

    if (f->fd < 0 || f->fd > (1 << 24) || f->kind < MPIR_FILE_REGULAR || f->kind >= MPIR_FILE_KINDS || f->same_as >= (int64_t)i ||
        f->same_as < -1 || !string_ok(image, f->name) || !string_ok(image, f->info) || (i && image->files[i - 1].fd >= f->fd))
      return dvm_error_set(err, -EBADMSG, "entry %zu of the image's file table is bad", i);
  }
  return 0;
}

static int check_timers(const struct mpir_image *image, struct dvm_error *err) {
  for (size_t i = 0; i < image->timer_count; i++) {
    const struct mpir_image_timer *t = &image->timers[i];

    if (t->id < 0 || t->signo < 0 || t->signo > MPIR_SIGNALS || t->interval_ns < 0 || t->left_ns < 0)
      return dvm_error_set(err, -EBADMSG, "timer %zu of the image is bad", i);
  }
  return 0;
}

static int check_pieces(const struct mpir_image *image, const struct mpir_image_kept *pieces, size_t count, struct dvm_error *err) {
  uint64_t last = 0;

  for (size_t i = 0; i < count; i++) {
    const struct mpir_image_kept *k = &pieces[i];
    const struct mpir_image_map *m = mpir_image_map_at(image, k->address);

    if (!m || !k->length || (k->address | k->length) % MPIR_PAGE || k->address < last || k->length > m->end - k->address)
      return dvm_error_set(err, -EBADMSG, "entry %zu of the image's kept or guarded memory is bad", i);
    last = k->address + k->length;
  }
  return 0;
}

/* A neighbour's name, or "../SET/FILE". */
static bool base_name_ok(const char *name) {
  const char *slash;

  if (strncmp(name, "../", 3) == 0) {
    name += 3;
    slash = strchr(name, '/');
    if (!slash || slash == name || (name[0] == '.' && (slash == name + 1 || (name[1] == '.' && slash == name + 2))))
      return false;
    name = slash + 1;
  }
  return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int check_chain(const struct mpir_image *image, struct dvm_error *err) {
  const bool incremental = image->header->flags & MPIR_IMAGE_INCREMENTAL;
  const struct mpir_image_chain *c = image->chain;

  if (incremental != (c != NULL) || incremental != (image->kept != NULL) || (incremental && !image->loads))
    return dvm_error_set(err, -EBADMSG, "the image does not say which image it is based on");
  if (c && (!string_ok(image, c->base_name) || !base_name_ok(mpir_image_string(image, c->base_name)) ||
            c->base_sequence >= image->header->sequence))
    return dvm_error_set(err, -EBADMSG, "the name or number of the image before it is bad");
  return check_pieces(image, image->kept, image->kept_count, err);
}

static int check_tables(struct mpir_image *image, struct dvm_error *err) {
  int rc = check_header(image, err);

  if (!rc)
    rc = check_maps(image, err);
  if (!rc)
    rc = check_threads(image, err);
  if (!rc)
    rc = check_credentials(image, err);
  if (!rc)
    rc = check_timers(image, err);
  if (!rc)
    rc = check_files(image, err);
  if (!rc)
    rc = check_chain(image, err);
  if (!rc)
    rc = check_pieces(image, image->guards, image->guard_count, err);
  return rc ? rc : check_extents(image, err);
}

static int headers_read(struct mpir_image *image, Elf *elf, struct dvm_error *err) {
  GElf_Ehdr eh;
  GElf_Phdr ph;

  if (image->size < sizeof(Elf64_Ehdr) || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh))
    return dvm_error_set(err, -EBADMSG, "not a checkpoint image: not an ELF file");
  if (eh.e_type != ET_CORE || eh.e_machine != EM_X86_64 || eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_ident[EI_DATA] != ELFDATA2LSB ||
      eh.e_phentsize != sizeof(Elf64_Phdr) || eh.e_phoff != sizeof(Elf64_Ehdr))
    return dvm_error_set(err, -EBADMSG, "not a checkpoint image: not an x86-64 core file of ours");
  if (!eh.e_phnum || eh.e_phnum == PN_XNUM || eh.e_phnum * sizeof(Elf64_Phdr) > image->size - sizeof(Elf64_Ehdr))
    return dvm_error_set(err, -EBADMSG, "the image is truncated: its program headers are missing");
  if (!gelf_getphdr(elf, 0, &ph) || ph.p_type != PT_NOTE)
    return dvm_error_set(err, -EBADMSG, "not a checkpoint image: its first segment is not a note segment");
  if (ph.p_filesz > image->size || ph.p_offset > image->size - ph.p_filesz || ph.p_offset % 8)
    return dvm_error_set(err, -EBADMSG, "the image is truncated: it has %zu bytes, but its notes end at %llu", image->size,
                         (unsigned long long)(ph.p_offset + ph.p_filesz));
  image->notes_offset = ph.p_offset;
  image->notes_size = ph.p_filesz;
  return notes_read(image, elf, &ph, err);
}

static int image_read(struct mpir_image *image, struct dvm_error *err) {
  Elf *elf;
  int rc;

  elf_version(EV_CURRENT);
  elf = elf_memory((char *)(uintptr_t)image->data, image->size);
  if (!elf)
    return dvm_error_set(err, -EBADMSG, "not a checkpoint image: %s", elf_errmsg(-1));
  rc = headers_read(image, elf, err);
  elf_end(elf);
  if (!rc)
    rc = check_tables(image, err);
  if (!rc && !image->loads) {
    image->loads = (const Elf64_Phdr *)(image->data + sizeof(Elf64_Ehdr));
    image->load_count = ((const Elf64_Ehdr *)image->data)->e_phnum;
  }
  return rc;
}

struct mpir_image *mpir_image_open_memory(const void *data, size_t size, struct dvm_error *err) {
  struct mpir_image *image = calloc(1, sizeof(*image));

  if (!image) {
    dvm_error_set(err, -ENOMEM, "out of memory");
    return NULL;
  }
  image->fd = -1;
  image->data = data;
  image->size = size;
  if (image_read(image, err)) {
    free(image);
    return NULL;
  }
  return image;
}

struct mpir_image *mpir_image_open_fd(int fd, const char *name, struct dvm_error *err) {
  struct mpir_image *image = NULL;
  void *data = MAP_FAILED;
  struct stat st;

  if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(Elf64_Ehdr))
    dvm_error_set(err, -EBADMSG, "not a checkpoint image: too short, or not a file");
  else if ((data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) == MAP_FAILED)
    dvm_error_errno(err, "cannot map it");
  else if ((image = mpir_image_open_memory(data, (size_t)st.st_size, err)))
    image->fd = fd;
  if (!image) {
    dvm_error_wrap(err, "'%s'", name);
    if (data != MAP_FAILED)
      munmap(data, (size_t)st.st_size);
    close(fd);
  }
  return image;
}

struct mpir_image *mpir_image_open(const char *path, struct dvm_error *err) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);

  if (fd < 0) {
    dvm_error_errno(err, "cannot open the image '%s'", path);
    return NULL;
  }
  return mpir_image_open_fd(fd, path, err);
}

void mpir_image_close(struct mpir_image *image) {
  if (!image)
    return;
  if (image->fd >= 0) {
    munmap((void *)(uintptr_t)image->data, image->size);
    close(image->fd);
  }
  free(image);
}

const char *mpir_image_string(const struct mpir_image *image, uint32_t offset) {
  return offset < image->strings_size ? image->strings + offset : "";
}

int mpir_image_verify_extent(const struct mpir_image *image, const struct mpir_image_extent *e, void *space, struct dvm_error *err) {
  const void *plain = mpir_codec_expand(e, image->data + e->file_offset, space);

  if (plain && mpir_crc32c(0, plain, e->length) == e->crc)
    return 0;
  return dvm_error_set(err, -EBADMSG,
                       "the image is damaged: data of address %#llx, %llu bytes at offset %llu of the file, "
                       "fails its checksum",
                       (unsigned long long)e->address, (unsigned long long)e->stored, (unsigned long long)e->file_offset);
}

int mpir_image_verify(const struct mpir_image *image, struct dvm_error *err) {
  void *space = malloc(MPIR_EXTENT_MAX);
  int rc = space ? 0 : dvm_error_set(err, -ENOMEM, "out of memory");

  for (size_t i = 0; i < image->extent_count && !rc; i++)
    rc = mpir_image_verify_extent(image, &image->extents[i], space, err);
  free(space);
  return rc;
}
