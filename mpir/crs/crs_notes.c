/* The notes of an image: those that every core file has, for debuggers, and ours, for the restart. */
#include <cpuid.h>
#include <errno.h>
#include <string.h>
#include <sys/procfs.h>
#include <ucontext.h>
#include "mpir/image/crc32c.h"
#include "mpir/crs/crs_dump.h"

#define NOTE_CORE "CORE"
#define CHAIN_NOTES 3 /* the last ones, of incremental images alone */
#define FXSAVE_SIZE 512
#define XSAVE_SOFTWARE 464        /* where the kernel describes the extended area in a signal frame */
#define XSAVE_MAGIC 0x46505853u

/* Where the kernel's user_regs_struct keeps what; the general registers of a core file. */
enum {
  R15,
  R14,
  R13,
  R12,
  RBP,
  RBX,
  R11,
  R10,
  R9,
  R8,
  RAX,
  RCX,
  RDX,
  RSI,
  RDI,
  ORIG_RAX,
  RIP,
  CS,
  EFLAGS,
  RSP,
  SS,
  FS_BASE,
  GS_BASE,
  DS,
  ES,
  FS,
  GS
};

static void *note_begin(struct crs_dump *d, const char *name, uint32_t type, size_t size) {
  size_t name_size = strlen(name) + 1, padded = (name_size + 3) & ~3ul, whole = 12 + padded + ((size + 3) & ~3ul);
  unsigned char *p = d->notes + d->notes_len;
  Elf64_Nhdr head = {(uint32_t)name_size, (uint32_t)size, type};

  if (d->notes_len + whole > sizeof(d->notes))
    return NULL;
  memset(p, 0, whole);
  memcpy(p, &head, sizeof(head));
  memcpy(p + 12, name, name_size);
  d->notes_len += whole;
  return p + 12 + padded;
}

static int note_add(struct crs_dump *d, const char *name, uint32_t type, const void *content, size_t size) {
  void *to = note_begin(d, name, type, size);

  if (!to)
    return mpir_dump_fail(d, -E2BIG, "the image's notes do not fit");
  memcpy(to, content, size);
  return 0;
}

static void registers_from_frame(elf_gregset_t to, const ucontext_t *frame) {
  const greg_t *from = frame->uc_mcontext.gregs;
  static const struct {
    int to, from;
  } pairs[] = {
      {R15, REG_R15}, {R14, REG_R14}, {R13, REG_R13}, {R12, REG_R12}, {RBP, REG_RBP},    {RBX, REG_RBX},
      {R11, REG_R11}, {R10, REG_R10}, {R9, REG_R9},   {R8, REG_R8},   {RAX, REG_RAX},    {RCX, REG_RCX},
      {RDX, REG_RDX}, {RSI, REG_RSI}, {RDI, REG_RDI}, {RIP, REG_RIP}, {EFLAGS, REG_EFL}, {RSP, REG_RSP},
  };

  for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
    to[pairs[i].to] = (elf_greg_t)from[pairs[i].from];
}

static void registers_from_context(elf_gregset_t to, const struct mpir_context *from) {
  to[RBX] = from->rbx;
  to[RBP] = from->rbp;
  to[R12] = from->r12;
  to[R13] = from->r13;
  to[R14] = from->r14;
  to[R15] = from->r15;
  to[RSP] = from->rsp;
  to[RIP] = from->rip;
  to[EFLAGS] = 0x202;
}

static int note_thread(struct crs_dump *d, const struct mpir_image_thread *thread) {
  const ucontext_t *frame = (const ucontext_t *)thread->signal_frame;
  struct elf_prstatus status;
  int rc;

  memset(&status, 0, sizeof(status));
  status.pr_pid = thread->tid;
  status.pr_pgrp = d->header.pid;
  if (frame)
    registers_from_frame(status.pr_reg, frame);
  else
    registers_from_context(status.pr_reg, &thread->context);
  status.pr_reg[ORIG_RAX] = (elf_greg_t)-1;
  status.pr_reg[CS] = 0x33;
  status.pr_reg[SS] = 0x2b;
  status.pr_reg[FS_BASE] = thread->fs_base;
  status.pr_reg[GS_BASE] = thread->gs_base;
  status.pr_fpvalid = frame != NULL;
  rc = note_add(d, NOTE_CORE, NT_PRSTATUS, &status, sizeof(status));
  if (!rc && frame && frame->uc_mcontext.fpregs)
    rc = note_add(d, NOTE_CORE, NT_FPREGSET, frame->uc_mcontext.fpregs, FXSAVE_SIZE);
  return rc;
}

/* Where debuggers look for each part of the extended state: the places that Intel's processors use.  Others have their own,
 * which only the processor tells. */
static const struct {
  unsigned feature;
  uint32_t place, size;
} vector_parts[] = {
    {2, 576, 256}, {3, 960, 64}, {4, 1024, 64}, {5, 1088, 64}, {6, 1152, 512}, {7, 1664, 1024}, {9, 2688, 8},
};
#define VECTOR_PARTS (sizeof(vector_parts) / sizeof(vector_parts[0]))

static uint32_t place_in_frame(unsigned feature) {
  unsigned size, place, c, d;

  __cpuid_count(0xd, feature, size, place, c, d);
  return place;
}

/* Vector registers: the signal frame's extended area, with the word that debuggers look at (XCR0) filled in. */
static int note_vectors(struct crs_dump *d, const struct mpir_image_thread *thread) {
  const ucontext_t *frame = (const ucontext_t *)thread->signal_frame;
  const unsigned char *area = frame ? (const unsigned char *)frame->uc_mcontext.fpregs : NULL;
  struct {
    uint32_t magic, extended;
    uint64_t features;
    uint32_t size;
  } software;
  uint64_t shown = 3; /* x87 and SSE */
  uint32_t size = FXSAVE_SIZE + 64, place;
  unsigned char *to;

  if (!area)
    return 0;
  memcpy(&software.magic, area + XSAVE_SOFTWARE, 4);
  memcpy(&software.features, area + XSAVE_SOFTWARE + 8, 8);
  memcpy(&software.size, area + XSAVE_SOFTWARE + 16, 4);
  if (software.magic != XSAVE_MAGIC || software.size < FXSAVE_SIZE + 64 || software.size > 65536)
    return 0;
  for (size_t i = 0; i < VECTOR_PARTS; i++)
    if (software.features >> vector_parts[i].feature & 1) {
      shown |= 1ull << vector_parts[i].feature;
      size = vector_parts[i].place + vector_parts[i].size;
    }
  to = note_begin(d, "LINUX", NT_X86_XSTATE, size);
  if (!to)
    return mpir_dump_fail(d, -E2BIG, "the image's notes do not fit");
  memcpy(to, area, FXSAVE_SIZE + 64);
  memset(to + XSAVE_SOFTWARE, 0, FXSAVE_SIZE - XSAVE_SOFTWARE);
  memcpy(to + XSAVE_SOFTWARE, &shown, 8);
  for (size_t i = 0; i < VECTOR_PARTS; i++)
    if (shown >> vector_parts[i].feature & 1 && (place = place_in_frame(vector_parts[i].feature)) + vector_parts[i].size <= software.size)
      memcpy(to + vector_parts[i].place, area + place, vector_parts[i].size);
  return 0;
}

static int note_process(struct crs_dump *d) {
  struct elf_prpsinfo info;

  memset(&info, 0, sizeof(info));
  info.pr_sname = 'R';
  info.pr_pid = d->header.pid;
  info.pr_uid = d->header.uid;
  info.pr_gid = d->header.gid;
  strncpy(info.pr_fname, d->strings + d->header.comm, sizeof(info.pr_fname) - 1);
  strncpy(info.pr_psargs, d->strings + d->header.command_line, sizeof(info.pr_psargs) - 1);
  return note_add(d, NOTE_CORE, NT_PRPSINFO, &info, sizeof(info));
}

static bool is_file_map(const struct mpir_image_map *map) { return map->kind == MPIR_MAP_FILE || map->kind == MPIR_MAP_FILE_SHARED; }

static int note_mapped_files(struct crs_dump *d) {
  size_t count = 0, names = 0;
  uint64_t *table;
  char *name;

  for (unsigned i = 0; i < d->map_count; i++)
    if (is_file_map(&d->maps[i])) {
      count++;
      names += strlen(d->strings + d->maps[i].name) + 1;
    }
  table = note_begin(d, NOTE_CORE, NT_FILE, 16 + count * 24 + names);
  if (!table)
    return mpir_dump_fail(d, -E2BIG, "the image's notes do not fit");
  name = (char *)table + 16 + count * 24;
  *table++ = count;
  *table++ = MPIR_PAGE;
  for (unsigned i = 0; i < d->map_count; i++) {
    const struct mpir_image_map *map = &d->maps[i];

    if (!is_file_map(map))
      continue;
    *table++ = map->start;
    *table++ = map->end;
    *table++ = map->map_offset / MPIR_PAGE;
    name = stpcpy(name, d->strings + map->name) + 1;
  }
  return 0;
}

/* The first of those that a debugger can show. */
static const struct mpir_image_thread *first_thread(const struct crs_dump *d) { return &d->threads[crs.main_ended]; }

static int notes_core(struct crs_dump *d) {
  const struct mpir_image_thread *first = first_thread(d);
  int rc = note_thread(d, first);

  if (!rc)
    rc = note_process(d);
  if (!rc)
    rc = note_add(d, NOTE_CORE, NT_AUXV, d->auxv, d->auxv_bytes);
  if (!rc)
    rc = note_mapped_files(d);
  if (!rc)
    rc = note_vectors(d, first);
  for (const struct mpir_image_thread *thread = first + 1; thread < d->threads + d->thread_count && !rc; thread++) {
    rc = note_thread(d, thread);
    if (!rc)
      rc = note_vectors(d, thread);
  }
  return rc;
}

/* The checksum note is left for the writer, which alone knows the headers. */
int mpir_dump_notes(struct crs_dump *d) {
  const uint32_t strings = (d->strings_len + 7) & ~7u; /* zeros follow the last name */
  const struct {
    uint32_t type;
    const void *content;
    size_t size;
  } ours[] = {
      {MPIR_NOTE_HEADER, &d->header, sizeof(d->header)},
      {MPIR_NOTE_MAPS, d->maps, d->map_count * sizeof(d->maps[0])},
      {MPIR_NOTE_THREADS, d->threads, d->thread_count * sizeof(d->threads[0])},
      {MPIR_NOTE_EXTENTS, d->extents, d->extent_count * sizeof(d->extents[0])},
      {MPIR_NOTE_FILES, d->files, d->file_count * sizeof(d->files[0])},
      {MPIR_NOTE_TIMERS, d->timers, d->timer_count * sizeof(d->timers[0])},
      {MPIR_NOTE_ACTIONS, d->actions, sizeof(d->actions)},
      {MPIR_NOTE_STRINGS, d->strings, strings},
      {MPIR_NOTE_CREDENTIALS, d->credentials, d->thread_count * sizeof(d->credentials[0])},
      {MPIR_NOTE_GROUPS, d->groups, d->group_count * sizeof(d->groups[0])},
      {MPIR_NOTE_FILTERS, d->filters, d->filters_len},
      {MPIR_NOTE_PROCESS, &d->process, sizeof(d->process)},
      {MPIR_NOTE_GUARDS, d->guards, d->guard_count * sizeof(d->guards[0])},
      {MPIR_NOTE_SEMAPHORES, d->semaphores, d->semaphore_count * sizeof(d->semaphores[0])},
      {MPIR_NOTE_CHAIN, &d->chain, sizeof(d->chain)},
      {MPIR_NOTE_KEPT, d->kept, d->kept_count * sizeof(d->kept[0])},
      {MPIR_NOTE_LOADS, d->whole_phdrs, (1 + d->load_count) * sizeof(d->whole_phdrs[0])},
  };
  const size_t count = sizeof(ours) / sizeof(ours[0]) - (d->incremental ? 0 : CHAIN_NOTES);
  int rc = notes_core(d);

  if (!rc && d->notes_len % 8) /* an empty note of 20 bytes: ours begin at a multiple of 8 */
    rc = note_add(d, NOTE_CORE, 0, "", 0);
  for (size_t i = 0; i < count && !rc; i++)
    rc = note_add(d, MPIR_NOTE_NAME, ours[i].type, ours[i].content, ours[i].size);
  return rc;
}
