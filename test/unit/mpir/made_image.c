#include "made_image.h"
#include <elf.h>
#include <string.h>
#include "mpir/image/crc32c.h"

#define DATA_AT 4096u

static const uint64_t auxv[4] = {AT_PAGESZ, 4096, AT_NULL, 0};

/* The two pages and the pipe's content: bytes that compress in part. */
static void fill_data(struct made_image *made) {
  for (unsigned i = 0; i < 3 * MPIR_PAGE; i++)
    made->bytes[DATA_AT + i] = i < MPIR_PAGE ? (unsigned char)(i / 16) : (unsigned char)((i * 2654435761u) >> 13);
}

static void make_extents(struct made_image *made) {
  const struct {
    uint64_t address, length, at;
    int file;
    uint32_t flags;
  } rows[MADE_EXTENTS] = {
      {MADE_PAGE_ADDRESS, MPIR_PAGE, DATA_AT, -1, 0},
      {MADE_PAGE_ADDRESS + 2 * MPIR_PAGE, MPIR_PAGE, DATA_AT + MPIR_PAGE, -1, 0},
      {0x40000, MPIR_PAGE, DATA_AT, -1, MPIR_EXTENT_VIEW},
      {0, 100, DATA_AT + 2 * MPIR_PAGE, 1, 0},
  };

  fill_data(made);
  for (unsigned i = 0; i < MADE_EXTENTS; i++)
    made->extents[i] = (struct mpir_image_extent){.address = rows[i].address,
                                                  .length = rows[i].length,
                                                  .file_offset = rows[i].at,
                                                  .stored = rows[i].length,
                                                  .plain_offset = rows[i].at,
                                                  .crc = mpir_crc32c(0, made->bytes + rows[i].at, rows[i].length),
                                                  .file = rows[i].file,
                                                  .flags = rows[i].flags};
}

void made_init(struct made_image *made) {
  static const char names[MADE_STRINGS] = "\0/bin/true\0/tmp\0true\0[vdso]\0pipe:[7]\0tfd: 1";
  const uint64_t page = MPIR_PAGE;

  memset(made, 0, sizeof(*made));
  memcpy(made->strings, names, sizeof(names));
  made->header = (struct mpir_image_header){.version = MPIR_IMAGE_VERSION,
                                            .size = sizeof(made->header),
                                            .pid = 4711,
                                            .uid = 1000,
                                            .gid = 1000,
                                            .exe = 1,
                                            .cwd = 11,
                                            .comm = 16,
                                            .command_line = 16,
                                            .kernel = 16,
                                            .host = 16,
                                            .rseq_length = 32,
                                            .sequence = 1};
  made->maps[0] = (struct mpir_image_map){
      .start = MADE_PAGE_ADDRESS, .end = MADE_PAGE_ADDRESS + 8 * page, .kind = MPIR_MAP_ANON, .prot = 3, .file_offset = DATA_AT};
  made->maps[1] = (struct mpir_image_map){.start = 0x30000, .end = 0x31000, .kind = MPIR_MAP_SHARED, .prot = 3};
  made->maps[2] = (struct mpir_image_map){.start = 0x40000, .end = 0x48000, .kind = MPIR_MAP_FILE, .prot = 5, .name = 1};
  made->maps[3] = (struct mpir_image_map){.start = 0x50000, .end = 0x51000, .kind = MPIR_MAP_FILE_SHARED, .prot = 1, .name = 1};
  made->maps[4] = (struct mpir_image_map){.start = 0x60000, .end = 0x62000, .kind = MPIR_MAP_KERNEL, .prot = 5, .name = 21};
  made->threads[0] = (struct mpir_image_thread){.tid = 4711, .name = "true"};
  made->threads[1] = (struct mpir_image_thread){.tid = 4712, .name = "dvm-cr"};
  made->files[0] = (struct mpir_image_file){.fd = 0, .kind = MPIR_FILE_INHERIT, .same_as = -1};
  made->files[1] = (struct mpir_image_file){.fd = 3, .kind = MPIR_FILE_PIPE, .same_as = -1, .name = 28};
  made->files[2] = (struct mpir_image_file){.fd = 4, .kind = MPIR_FILE_PIPE, .same_as = 1, .name = 28, .info = 37};
  made->credentials[0] = (struct mpir_image_credentials){.filters = 1, .group_count = 2};
  made->filters[1] = 1; /* flags, length, one instruction */
  made->timers[0] = (struct mpir_image_timer){.id = 0, .signo = 10, .clock = 1};
  made->actions_size = sizeof(made->actions);
  make_extents(made);
}

static void note(struct made_image *made, const char *name, uint32_t type, const void *content, size_t size) {
  Elf64_Nhdr head = {(uint32_t)strlen(name) + 1, (uint32_t)size, type};
  size_t padded = (head.n_namesz + 3) & ~3u;

  memcpy(made->bytes + made->size, &head, sizeof(head));
  memcpy(made->bytes + made->size + 12, name, head.n_namesz);
  memcpy(made->bytes + made->size + 12 + padded, content, size);
  made->size += 12 + padded + ((size + 3) & ~3ul);
}

static void notes(struct made_image *made) {
  if (!(made->leave_out & MADE_NO_AUXV))
    note(made, "CORE", NT_AUXV, auxv, sizeof(auxv)); /* 12 + 8 + 32 bytes */
  else
    note(made, "CORE", 0, auxv, sizeof(auxv));
  note(made, "CORE", 0, "", 0); /* our own notes begin at multiples of 8 */
  note(made, MPIR_NOTE_NAME, MPIR_NOTE_HEADER, &made->header, sizeof(made->header));
  if (!(made->leave_out & MADE_NO_MAPS))
    note(made, MPIR_NOTE_NAME, MPIR_NOTE_MAPS, made->maps, sizeof(made->maps));
  note(made, MPIR_NOTE_NAME, MPIR_NOTE_THREADS, made->threads, sizeof(made->threads));
  note(made, MPIR_NOTE_NAME, MPIR_NOTE_EXTENTS, made->extents, sizeof(made->extents));
  for (int i = 0; i < (made->leave_out & MADE_TWICE_FILES ? 2 : 1); i++)
    note(made, MPIR_NOTE_NAME, MPIR_NOTE_FILES, made->files, sizeof(made->files));
  note(made, MPIR_NOTE_NAME, MPIR_NOTE_TIMERS, made->timers, sizeof(made->timers));
  note(made, MPIR_NOTE_NAME, MPIR_NOTE_ACTIONS, made->actions, made->actions_size);
  note(made, MPIR_NOTE_NAME, MPIR_NOTE_STRINGS, made->strings, sizeof(made->strings));
  note(made, MPIR_NOTE_NAME, MPIR_NOTE_CREDENTIALS, made->credentials, sizeof(made->credentials));
  note(made, MPIR_NOTE_NAME, MPIR_NOTE_GROUPS, made->groups, sizeof(made->groups));
  note(made, MPIR_NOTE_NAME, MPIR_NOTE_FILTERS, made->filters, sizeof(made->filters));
  note(made, MPIR_NOTE_NAME, MPIR_NOTE_PROCESS, &made->process, sizeof(made->process));
  if (made->leave_out & MADE_UNKNOWN)
    note(made, MPIR_NOTE_NAME, MPIR_NOTE_BASE + 99, auxv, sizeof(auxv));
}

static const Elf64_Phdr loads[3] = {
    {.p_type = PT_NOTE, .p_align = 4},
    {.p_type = PT_LOAD,
     .p_flags = 6,
     .p_offset = DATA_AT,
     .p_vaddr = MADE_PAGE_ADDRESS,
     .p_filesz = MPIR_PAGE,
     .p_memsz = 2 * MPIR_PAGE,
     .p_align = MPIR_PAGE},
    {.p_type = PT_LOAD,
     .p_flags = 6,
     .p_offset = DATA_AT + MPIR_PAGE,
     .p_vaddr = MADE_PAGE_ADDRESS + 2 * MPIR_PAGE,
     .p_filesz = MPIR_PAGE,
     .p_memsz = 6 * MPIR_PAGE,
     .p_align = MPIR_PAGE},
};

void made_close(struct made_image *made) {
  const uint64_t notes_at = DATA_AT + 3 * MPIR_PAGE;
  const size_t sum_size = 12 + sizeof(MPIR_NOTE_NAME) + sizeof(struct mpir_image_checksum);
  struct mpir_image_checksum sum;
  Elf64_Phdr headers[3];
  Elf64_Ehdr eh = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                   .e_type = ET_CORE,
                   .e_machine = EM_X86_64,
                   .e_version = EV_CURRENT,
                   .e_phoff = sizeof(Elf64_Ehdr),
                   .e_ehsize = sizeof(Elf64_Ehdr),
                   .e_phentsize = sizeof(Elf64_Phdr),
                   .e_phnum = 3};

  memcpy(headers, loads, sizeof(loads));
  for (int pass = 0; pass < 2; pass++) { /* the header tells the length */
    made->size = notes_at;
    notes(made);
    if (!made->header.image_size)
      made->header.image_size = made->size + (made->leave_out & MADE_NO_CHECKSUM ? 0 : sum_size);
  }
  headers[0].p_offset = notes_at;
  headers[0].p_filesz = made->size + (made->leave_out & MADE_NO_CHECKSUM ? 0 : sum_size) - notes_at;
  memcpy(made->bytes, &eh, sizeof(eh));
  memcpy(made->bytes + sizeof(eh), headers, sizeof(headers));
  sum.headers_crc = mpir_crc32c(0, made->bytes, sizeof(eh) + sizeof(headers));
  sum.notes_crc = mpir_crc32c(0, made->bytes + notes_at, made->size - notes_at);
  if (!(made->leave_out & MADE_NO_CHECKSUM))
    note(made, MPIR_NOTE_NAME, MPIR_NOTE_CHECKSUM, &sum, sizeof(sum));
}
