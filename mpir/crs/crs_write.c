/* Writing an image: layout, data, notes, headers; under a temporary name until whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "mpir/image/crc32c.h"
#include "mpir/crs/crs_dump.h"
#include "mpir/crs/crs_fault.h"
#include "mpir/crs/sys.h"

#define GAP_SPLIT (64ull << 20) /* a hole this long gets a program header of its own instead of a hole in the file */
#define EARLY_WRITE (1ull << 20) /* bytes */
#define BREAKPOINT 0xcc
#define OWN_STACK (128u << 10)      /* bytes below the present frame that calls may change */
#define OWN_STACK_MAX (4u << 20)
#define OWN_THREAD_DATA (16u << 10) /* libc's, behind the thread pointer */

static int write_at(struct crs_dump *d, const void *from, uint64_t size, uint64_t offset) {
  const char *p = from;

  while (size) {
    long n = sys4(SYS_pwrite64, d->fd, p, size, offset);

    if (n == -EINTR)
      continue;
    if (n <= 0) {
      mpir_plain_add(&d->why, n == -ENOSPC || n == 0 ? "the disk is full"
                              : n == -EDQUOT         ? "the disk quota is used up"
                              : n == -EFBIG          ? "the file size limit is reached"
                              : n == -EFAULT         ? "memory cannot be read"
                                                     : "cannot write the image");
      return mpir_dump_fail(d, n ? (int)n : -ENOSPC, "");
    }
    p += n;
    offset += (uint64_t)n;
    size -= (uint64_t)n;
  }
  return 0;
}

static Elf64_Phdr *add_load(struct crs_dump *d, const struct mpir_image_map *map, uint64_t start, uint64_t end, bool data) {
  Elf64_Phdr *ph = &d->phdrs[1 + d->load_count++];

  memset(ph, 0, sizeof(*ph));
  ph->p_type = PT_LOAD;
  ph->p_flags = (map->prot & PROT_READ ? PF_R : 0u) | (map->prot & PROT_WRITE ? PF_W : 0u) | (map->prot & PROT_EXEC ? PF_X : 0u);
  ph->p_vaddr = start;
  ph->p_memsz = end - start;
  ph->p_align = MPIR_PAGE;
  ph->p_filesz = data ? end - start : 0;
  return ph;
}

/* Program headers of one mapping from its runs [first, last).  Where a file lies beneath, pages that are not saved must
 * not look like zeros to a debugger: they get a header without data.  Returns false when the table is full. */
static bool layout_map(struct crs_dump *d, const struct mpir_image_map *map, unsigned first, unsigned last) {
  bool splits = map->kind == MPIR_MAP_FILE || map->kind == MPIR_MAP_FILE_SHARED;
  uint64_t at = map->start;

  for (unsigned i = first; i < last;) {
    uint64_t start = d->runs[i].start, end = d->runs[i].end;

    if (!splits && start - at < GAP_SPLIT)
      start = at;
    for (i++; i < last; i++) {
      uint64_t gap = d->runs[i].start - end;

      if (gap && (splits || gap >= GAP_SPLIT))
        break;
      end = d->runs[i].end;
    }
    if (!splits && map->end - end < GAP_SPLIT)
      end = map->end;
    if (d->load_count + 3 >= DUMP_MAPS_MAX)
      return false;
    if (start > at)
      add_load(d, map, at, start, false);
    add_load(d, map, start, end, true);
    at = end;
  }
  if (d->load_count + 2 >= DUMP_MAPS_MAX)
    return false;
  if (at < map->end)
    add_load(d, map, at, map->end, false);
  return true;
}

static int layout(struct crs_dump *d) {
  uint64_t offset;
  unsigned run = 0;

  for (unsigned i = 0; i < d->map_count; i++) {
    unsigned first = run;

    while (run < d->run_count && d->runs[run].map == i)
      run++;
    if (!layout_map(d, &d->maps[i], first, run))
      return mpir_dump_fail(d, -E2BIG, "memory has too many pieces for an ELF core file");
  }
  offset = sizeof(Elf64_Ehdr) + (1 + d->load_count) * sizeof(Elf64_Phdr);
  offset = (offset + MPIR_PAGE - 1) & ~(uint64_t)(MPIR_PAGE - 1);
  for (unsigned i = 1; i <= d->load_count; i++) {
    d->phdrs[i].p_offset = offset;
    offset += d->phdrs[i].p_filesz;
  }
  d->data_end = d->plain_end = offset;
  if (d->incremental)
    d->data_end = d->load_count ? d->phdrs[1].p_offset : offset;
  return 0;
}

static uint64_t file_offset_of(const struct crs_dump *d, uint64_t address) {
  unsigned low = 1, high = d->load_count;

  while (low < high) { /* the last header that begins at or below the address */
    unsigned middle = (low + high + 1) / 2;

    if (d->phdrs[middle].p_vaddr <= address)
      low = middle;
    else
      high = middle - 1;
  }
  return d->phdrs[low].p_offset + (address - d->phdrs[low].p_vaddr);
}

/* 'plain': the place in the whole form.  An incremental image has its pieces one behind the other. */
static int add_extent(struct crs_dump *d, const void *content, uint64_t address, uint64_t length, uint64_t plain, int file,
                      uint32_t flags) {
  struct mpir_image_extent *extent = &d->extents[d->extent_count];
  const uint64_t offset = d->incremental ? d->data_end : plain;
  int rc;

  if (d->extent_count == DUMP_EXTENTS_MAX)
    return mpir_dump_fail(d, -E2BIG, "memory is too fragmented");
  rc = write_at(d, content, length, offset);
  if (rc)
    return rc;
  *extent = (struct mpir_image_extent){.address = address,
                                       .length = length,
                                       .file_offset = offset,
                                       .stored = length,
                                       .plain_offset = plain,
                                       .flags = flags,
                                       .crc = mpir_crc32c(0, content, length),
                                       .codec = MPIR_CODEC_NONE,
                                       .file = file};
  d->extent_count++;
  d->data_size += length;
  if (d->incremental)
    d->data_end += (length + MPIR_PAGE - 1) & ~(uint64_t)(MPIR_PAGE - 1);
  if (!(d->request->flags & CRS_NO_SYNC) && length >= EARLY_WRITE) /* the medium works while we look at the next piece */
    sys4(SYS_sync_file_range, d->fd, offset, length, 2 /* SYNC_FILE_RANGE_WRITE */);
  return 0;
}

static bool page_is_zero(const void *page) {
  const uint64_t *p = page;

  for (size_t i = 0; i < MPIR_PAGE / 8; i += 4)
    if (p[i] | p[i + 1] | p[i + 2] | p[i + 3])
      return false;
  return true;
}

/* Writes 'length' bytes at 'content', which belong to 'address'; with 'sparse' pages of zeros are left out. */
static int write_pages(struct crs_dump *d, const char *content, uint64_t address, uint64_t length, bool sparse) {
  uint64_t from = 0, at = 0;
  int rc = 0;

  for (; at < length && !rc; at += MPIR_PAGE) {
    bool skip = sparse && page_is_zero(content + at);

    if (at > from && (skip || at - from >= MPIR_EXTENT_MAX)) {
      rc = add_extent(d, content + from, address + from, at - from, file_offset_of(d, address + from), -1, d->extent_flags);
      from = at;
    }
    if (skip)
      from = at + MPIR_PAGE;
  }
  if (!rc && at > from)
    rc = add_extent(d, content + from, address + from, at - from, file_offset_of(d, address + from), -1, d->extent_flags);
  return rc;
}

/* A debugger that was attached leaves its traces in code pages: pages that were copied but equal the file again, or
 * single breakpoint bytes.  Such bytes are put back.  Returns true if the page then is the file's own. */
static bool text_page_clean(struct crs_dump *d, int file, const struct mpir_image_map *map, uint64_t address, char *page) {
  bool equal = true;
  long n = sys4(SYS_pread64, file, d->compare, MPIR_PAGE, map->map_offset + (address - map->start));

  if (n < 0)
    return false;
  memset(d->compare + n, 0, (size_t)(MPIR_PAGE - n));
  for (size_t i = 0; i < MPIR_PAGE; i++) {
    unsigned char mine = (unsigned char)page[i];
    bool alone = (i == 0 || page[i - 1] == (char)d->compare[i - 1]) && (i + 1 == MPIR_PAGE || page[i + 1] == (char)d->compare[i + 1]);

    if (mine == d->compare[i])
      continue;
    if (mine == BREAKPOINT && alone)
      page[i] = (char)d->compare[i];
    else
      equal = false;
  }
  return equal;
}

static int write_text_run(struct crs_dump *d, const struct mpir_image_map *map, const struct dump_run *run) {
  int file = (int)sys4(SYS_openat, AT_FDCWD, d->strings + map->name, O_RDONLY | O_CLOEXEC, 0);
  int mem = (int)sys4(SYS_openat, AT_FDCWD, "/proc/thread-self/mem", O_RDONLY | O_CLOEXEC, 0);
  int rc = 0;

  for (uint64_t at = run->start; at < run->end && !rc; at += MPIR_PAGE) {
    char *page = (char *)d->copy;
    bool changed;

    if (sys4(SYS_pread64, mem, page, MPIR_PAGE, at) != MPIR_PAGE) {
      rc = mpir_dump_fail(d, -EIO, "a code page cannot be read");
      break;
    }
    changed = !text_page_clean(d, file, map, at, page);
    if (changed)
      d->header.flags |= MPIR_IMAGE_TEXT_CHANGED;
    rc = add_extent(d, page, at, MPIR_PAGE, file_offset_of(d, at), -1, changed || (map->flags & MPIR_MAP_COMPLETE) ? 0 : MPIR_EXTENT_VIEW);
  }
  sys1(SYS_close, file);
  sys1(SYS_close, mem);
  return rc;
}

/* Through a copy: of what cannot be read in place, or changes while it is written. */
static int write_copied(struct crs_dump *d, uint64_t start, uint64_t end, bool sparse) {
  int mem = (int)sys4(SYS_openat, AT_FDCWD, "/proc/thread-self/mem", O_RDONLY | O_CLOEXEC, 0);
  int rc = 0;

  for (uint64_t at = start; at < end && !rc;) {
    uint64_t size = end - at < sizeof(d->copy) ? end - at : sizeof(d->copy);

    if (sys4(SYS_pread64, mem, d->copy, size, at) != (long)size)
      rc = mpir_dump_fail(d, -EIO, "memory cannot be read through /proc/thread-self/mem");
    else
      rc = write_pages(d, (const char *)d->copy, at, size, sparse);
    at += size;
  }
  sys1(SYS_close, mem);
  return rc;
}

/* What changes under the writer's own hands: its stack, and above it (pthread_create(3) puts it there) its thread's data, where the kernel
 * notes the processor that it runs on (restartable sequences). */
static void own_area(uint64_t *start, uint64_t *end) {
  const uint64_t here = (uint64_t)__builtin_frame_address(0), data = (uint64_t)__builtin_thread_pointer();

  *start = (here - OWN_STACK) & ~(uint64_t)(MPIR_PAGE - 1);
  *end = data > here && data - here < OWN_STACK_MAX ? data + OWN_THREAD_DATA : here + OWN_STACK;
  *end = (*end + MPIR_PAGE - 1) & ~(uint64_t)(MPIR_PAGE - 1);
}

static uint64_t between(uint64_t low, uint64_t value, uint64_t high) { return value < low ? low : value > high ? high : value; }

static int write_dirty(struct crs_dump *d, const struct dump_run *run) {
  const struct mpir_image_map *map = &d->maps[run->map];
  bool sparse = map->kind == MPIR_MAP_ANON || map->kind == MPIR_MAP_SHARED;
  uint64_t from, to;
  int rc = 0;

  if (map->kind == MPIR_MAP_FILE && (map->prot & PROT_EXEC))
    return write_text_run(d, map, run);
  if (map->kind == MPIR_MAP_FILE_SHARED) { /* others may write to it meanwhile; the file has it, too */
    d->extent_flags = MPIR_EXTENT_VIEW;
    rc = write_copied(d, run->start, run->end, true);
    d->extent_flags = 0;
    return rc;
  }
  if (run->through_buffer)
    return write_copied(d, run->start, run->end, sparse);
  own_area(&from, &to);
  from = between(run->start, from, run->end);
  to = between(run->start, to, run->end);
  if (run->start < from)
    rc = write_pages(d, (const char *)run->start, run->start, from - run->start, sparse);
  if (!rc && from < to)
    rc = write_copied(d, from, to, sparse);
  if (!rc && to < run->end)
    rc = write_pages(d, (const char *)to, to, run->end - to, sparse);
  return rc;
}

static int add_kept(struct crs_dump *d, uint64_t start, uint64_t end) {
  if (d->kept_count == DUMP_RUNS_MAX)
    return mpir_dump_fail(d, -E2BIG, "memory is too fragmented");
  d->kept[d->kept_count++] = (struct mpir_image_kept){start, end - start};
  return 0;
}

/* What has changed is written, of the rest it is noted that the image before has it. */
static int write_run(struct crs_dump *d, const struct dump_run *run) {
  struct dump_run part = *run;
  int rc = 0;

  for (uint64_t at = run->start; at < run->end && !rc; at = part.end) {
    part.start = at;
    part.end = run->end;
    rc = mpir_dump_is_dirty(d, &d->maps[run->map], at, &part.end) ? write_dirty(d, &part) : add_kept(d, at, part.end);
  }
  return rc;
}

/* Of a descriptor: behind the memory. */
static int add_content(struct crs_dump *d, const void *content, uint64_t at, uint64_t length, int file) {
  uint64_t *end = d->incremental ? &d->plain_end : &d->data_end;
  const uint64_t plain = *end;

  *end += (length + MPIR_PAGE - 1) & ~(uint64_t)(MPIR_PAGE - 1);
  return add_extent(d, content, at, length, plain, file, 0);
}

/* The content of memory files and deleted files, behind the memory data. */
static int write_file_content(struct crs_dump *d, unsigned index) {
  const struct mpir_image_file *file = &d->files[index];
  char path[64];
  struct plain_text t = PLAIN_TEXT(path);
  bool leased;
  int fd, rc = 0;

  mpir_plain_add(&t, "/proc/thread-self/fd/"); /* opened anew: the program's own descriptor may be write-only */
  mpir_plain_add_dec(&t, file->fd);
  leased = sys3(SYS_fcntl, file->fd, F_GETLEASE, 0) != F_UNLCK; /* which opening it anew would break */
  fd = leased ? file->fd : (int)sys4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  if (fd < 0)
    return mpir_dump_fail(d, fd, "the content of a file cannot be read");
  for (uint64_t at = 0; at < file->size && !rc;) {
    long data = leased ? (long)at : sys3(SYS_lseek, fd, at, SEEK_DATA), n;

    if (data == -ENXIO)
      break;
    if (data > (long)at)
      at = (uint64_t)data;
    n = sys4(SYS_pread64, fd, d->copy, sizeof(d->copy), at);
    if (n <= 0)
      break;
    rc = add_content(d, d->copy, at, (uint64_t)n, (int)index);
    at += (uint64_t)n;
  }
  if (!leased)
    sys1(SYS_close, fd);
  return rc;
}

/* What the program could change while a copy of it is being saved. */
static int write_shared(struct crs_dump *d) {
  int rc = 0;

  for (unsigned i = 0; i < d->pipe_count && !rc; i++) {
    const struct dump_pipe *p = &d->pipe_contents[i];

    rc = add_content(d, d->pipes + p->offset, 0, p->length, (int)p->file);
  }
  for (unsigned i = 0; i < d->file_count && !rc; i++)
    if (dump_is_copied_later(d, &d->files[i]) && d->files[i].same_as < 0 && !mpir_dump_is_others(d, d->files[i].device, d->files[i].inode))
      rc = write_file_content(d, i);
  for (unsigned i = 0; i < d->run_count && !rc; i++)
    if (dump_is_written_first(&d->maps[d->runs[i].map]))
      rc = write_run(d, &d->runs[i]);
  return rc;
}

static void shared_is_written(struct crs_dump *d) {
  if (!d->result)
    return;
  atomic_store(&d->result->shared_written, 1);
  sys_futex_wake(&d->result->shared_written);
}

static void sort_extents(struct crs_dump *d) {
  for (unsigned i = 1; i < d->extent_count; i++) { /* nearly sorted: memory in order, the shared parts first */
    struct mpir_image_extent e = d->extents[i];
    unsigned k = i;

    for (; k && d->extents[k - 1].file_offset > e.file_offset; k--)
      d->extents[k] = d->extents[k - 1];
    d->extents[k] = e;
  }
}

static void map_offsets(struct crs_dump *d) {
  unsigned load = 1;

  for (unsigned i = 0; i < d->map_count; i++)
    for (; load <= d->load_count && d->phdrs[load].p_vaddr < d->maps[i].end; load++)
      if (d->phdrs[load].p_filesz && !d->maps[i].file_offset)
        d->maps[i].file_offset = d->phdrs[load].p_offset;
}

static void add_checksum_note(struct crs_dump *d, const Elf64_Ehdr *eh) {
  struct mpir_image_checksum sum;
  Elf64_Nhdr head = {sizeof(MPIR_NOTE_NAME), sizeof(sum), MPIR_NOTE_CHECKSUM};
  unsigned char *p = d->notes + d->notes_len;

  sum.headers_crc = mpir_crc32c(mpir_crc32c(0, eh, sizeof(*eh)), d->phdrs, (1 + d->load_count) * sizeof(Elf64_Phdr));
  sum.notes_crc = mpir_crc32c(0, d->notes, d->notes_len);
  memcpy(p, &head, sizeof(head));
  memcpy(p + 12, MPIR_NOTE_NAME, sizeof(MPIR_NOTE_NAME)); /* twelve bytes: no padding */
  memcpy(p + 12 + sizeof(MPIR_NOTE_NAME), &sum, sizeof(sum));
  d->notes_len += 12 + sizeof(MPIR_NOTE_NAME) + sizeof(sum);
}

#define CHECKSUM_NOTE_SIZE (12 + sizeof(MPIR_NOTE_NAME) + sizeof(struct mpir_image_checksum))

/* An incremental image is no core file that a debugger could read memory from: it shows the ranges, not the content. */
static void hide_content(struct crs_dump *d) {
  d->header.flags |= MPIR_IMAGE_INCREMENTAL;
  memcpy(d->whole_phdrs, d->phdrs, (1 + d->load_count) * sizeof(d->phdrs[0]));
  d->whole_phdrs[0] = (Elf64_Phdr){.p_type = PT_NOTE, .p_align = 4};
  for (unsigned i = 1; i <= d->load_count; i++)
    d->phdrs[i].p_filesz = d->phdrs[i].p_offset = 0;
}

static int write_metadata(struct crs_dump *d) {
  Elf64_Ehdr eh = {
      .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
      .e_type = ET_CORE,
      .e_machine = EM_X86_64,
      .e_version = EV_CURRENT,
      .e_phoff = sizeof(Elf64_Ehdr),
      .e_ehsize = sizeof(Elf64_Ehdr),
      .e_phentsize = sizeof(Elf64_Phdr),
      .e_phnum = (uint16_t)(1 + d->load_count),
  };
  int rc;

  sort_extents(d);
  map_offsets(d);
  if (d->incremental)
    hide_content(d);
  rc = mpir_dump_notes(d); /* once for the length, which the header tells */
  d->header.image_size = d->data_end + d->notes_len + CHECKSUM_NOTE_SIZE;
  d->notes_len = 0;
  if (!rc)
    rc = mpir_dump_notes(d);
  if (rc)
    return rc;
  d->phdrs[0] = (Elf64_Phdr){.p_type = PT_NOTE, .p_offset = d->data_end, .p_align = 4, .p_filesz = d->notes_len + CHECKSUM_NOTE_SIZE};
  add_checksum_note(d, &eh);
  rc = write_at(d, d->notes, d->notes_len, d->data_end);
  if (!rc)
    rc = write_at(d, d->phdrs, (1 + d->load_count) * sizeof(Elf64_Phdr), sizeof(eh));
  return rc ? rc : write_at(d, &eh, sizeof(eh), 0);
}

/* Code addresses inside the vdso are in the image: only a kernel with the same one can take it back. */
static void vdso_describe(struct crs_dump *d) {
  for (unsigned i = 0; i < d->map_count; i++) {
    const struct mpir_image_map *map = &d->maps[i];

    if (strcmp(d->strings + map->name, "[vdso]") != 0)
      continue;
    d->header.vdso_start = map->start;
    d->header.vdso_size = map->end - map->start;
    d->header.vdso_hash = mpir_crc32c(0, (const void *)map->start, map->end - map->start);
  }
}

static int write_image(struct crs_dump *d) {
  int rc = d->map_count ? 0 : mpir_dump_maps(d); /* a forked copy finds them read */

  vdso_describe(d);
  if (!rc)
    rc = mpir_dump_runs(d);
  if (!rc)
    rc = layout(d);
  if (!rc)
    rc = write_shared(d);
  shared_is_written(d);
  for (unsigned i = 0; i < d->run_count && !rc; i++) {
    if (!dump_is_written_first(&d->maps[d->runs[i].map]))
      rc = write_run(d, &d->runs[i]);
    if (i == d->run_count / 2)
      mpir_crs_fault_in("image-half-written", d->header.sequence);
  }
  if (!rc) {
    mpir_dump_hints_await(d);
    rc = write_metadata(d);
  }
  return rc;
}

/* The temporary name is the image's own with the writer's process number, so that a later checkpoint can tell a dead
 * writer's leftover from work in progress. */
int mpir_dump_write(struct crs_dump *d, const char *path) {
  char temporary[CRS_PATH_MAX + 32];
  struct plain_text t = PLAIN_TEXT(temporary);
  struct stat st;
  int rc;

  if (!sys4(SYS_newfstatat, AT_FDCWD, path, &st, 0) && !S_ISREG(st.st_mode)) {
    mpir_plain_add(&d->why, "'");
    mpir_plain_add(&d->why, path);
    shared_is_written(d);
    return mpir_dump_fail(d, -EINVAL, "' is not a regular file, and would be replaced by one");
  }

  mpir_plain_add(&t, path);
  mpir_plain_add(&t, ".tmp");
  mpir_plain_add_dec(&t, sys0(SYS_getpid));
  sys2(SYS_unlink, temporary, 0);
  d->fd = (int)sys4(SYS_openat, AT_FDCWD, temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (d->fd < 0) {
    mpir_plain_add(&d->why, "cannot create '");
    mpir_plain_add(&d->why, temporary);
    shared_is_written(d);
    return mpir_dump_fail(d, d->fd,
                          d->fd == -ENOENT || d->fd == -ENOTDIR  ? "': there is no such folder"
                          : d->fd == -EACCES || d->fd == -EPERM  ? "': that is not permitted"
                          : d->fd == -EROFS                      ? "': the file system is read-only"
                          : d->fd == -ENOSPC || d->fd == -EDQUOT ? "': the disk is full"
                                                                 : "'");
  }
  d->own_fds[3] = d->fd;
  rc = write_image(d);
  if (!rc && !(d->request->flags & CRS_NO_SYNC) && sys1(SYS_fdatasync, d->fd))
    rc = mpir_dump_fail(d, -EIO, "the image could not be flushed to the disk");
  sys1(SYS_close, d->fd);
  if (!rc && (rc = (int)sys2(SYS_rename, temporary, path)))
    mpir_dump_fail(d, rc, "cannot rename the image");
  if (rc)
    sys1(SYS_unlink, temporary);
  return rc;
}
