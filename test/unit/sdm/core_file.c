/* Notes of cores: of this process, as it could have left them, and damaged in every place. */
#include "sdm/gdb/core_file.h"

#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { SIGNAL = 11, ENTRY = 0x401040 };

struct notes {
  unsigned char p[2048];
  size_t n;
};

static void put(struct notes *to, const void *p, size_t n) {
  memcpy(to->p + to->n, p, n);
  to->n += n;
}

static void put_note(struct notes *to, uint32_t type, const void *body, uint32_t size) {
  const Elf64_Nhdr h = {5, size, type};
  put(to, &h, sizeof h);
  put(to, "CORE\0\0\0", 8);
  put(to, body, size);
  put(to, "\0\0\0", (4 - size % 4) % 4);
}

static void put_status(struct notes *to, uint16_t signal) {
  unsigned char status[336] = {0};
  memcpy(status + 12, &signal, sizeof signal);
  put_note(to, NT_PRSTATUS, status, sizeof status);
}

/* A library before the program, which has two mappings; names of odd lengths. */
static void put_files(struct notes *to, const char *program) {
  const uint64_t head[] = {3, 4096, 0x300000, 0x301000, 0, 0x400000, 0x401000, 0, 0x401000, 0x402000, 1};
  unsigned char body[512];
  size_t n = sizeof head;
  memcpy(body, head, n);
  n += (size_t)sprintf((char *)body + n, "/lib/libc.so.6") + 1;
  for (int i = 0; i < 2; i++)
    n += (size_t)sprintf((char *)body + n, "%s", program) + 1;
  put_note(to, NT_FILE, body, (uint32_t)n);
}

static void put_auxv(struct notes *to, uint64_t entry) {
  const uint64_t auxv[] = {AT_PAGESZ, 4096, AT_ENTRY, entry, AT_NULL, 0};
  put_note(to, NT_AUXV, auxv, sizeof auxv);
}

static void make(struct notes *to, const char *program, uint64_t entry, bool files_first) {
  to->n = 0;
  put_status(to, SIGNAL);
  if (files_first)
    put_files(to, program);
  put_auxv(to, entry);
  if (!files_first)
    put_files(to, program);
  put_status(to, 5); /* another thread */
}

static void test_notes(void **state) {
  struct notes notes;
  (void)state;
  for (int first = 0; first < 2; first++) {
    struct sdm_core_file core = {NULL, 0};
    make(&notes, "/home/you/a b\n c", ENTRY, first);
    sdm_core_file_notes(notes.p, notes.n, &core);
    assert_non_null(core.program);
    assert_string_equal(core.program, "/home/you/a b\n c");
    assert_int_equal(core.signal, SIGNAL);
    free(core.program);
  }
  struct sdm_core_file core = {NULL, 0};
  make(&notes, "/prog", 0x900000, true); /* not in a file */
  sdm_core_file_notes(notes.p, notes.n, &core);
  assert_null(core.program);
  make(&notes, "memfd", ENTRY, true); /* no path */
  sdm_core_file_notes(notes.p, notes.n, &core);
  assert_null(core.program);
}

/* Cut, or with any byte changed: nothing is known, or something that can be. */
static void test_damaged(void **state) {
  struct notes notes;
  (void)state;
  make(&notes, "/prog", ENTRY, true);
  for (size_t cut = 0; cut < notes.n; cut++) {
    struct sdm_core_file core = {NULL, 0};
    unsigned char *copy = malloc(cut + 1);
    memcpy(copy, notes.p, cut);
    sdm_core_file_notes(copy, cut, &core);
    free(copy);
    assert_true(core.signal >= 0 && core.signal <= 64 && (!core.program || *core.program == '/'));
    free(core.program);
  }
  for (size_t i = 0; i < notes.n; i++) {
    struct sdm_core_file core = {NULL, 0};
    unsigned char *copy = malloc(notes.n);
    memcpy(copy, notes.p, notes.n);
    copy[i] = (unsigned char)~copy[i];
    sdm_core_file_notes(copy, notes.n, &core);
    free(copy);
    assert_true(core.signal >= 0 && core.signal <= 64 && (!core.program || *core.program == '/'));
    free(core.program);
  }
}

static void test_file(void **state) {
  char path[] = "/tmp/dvm-core-XXXXXX";
  struct notes notes;
  struct sdm_core_file core;
  (void)state;
  make(&notes, "/prog", ENTRY, true);
  Elf64_Ehdr e = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
                  .e_type = ET_CORE,
                  .e_phoff = sizeof e,
                  .e_phentsize = sizeof(Elf64_Phdr),
                  .e_phnum = 2};
  const Elf64_Phdr h[2] = {{.p_type = PT_LOAD}, {.p_type = PT_NOTE, .p_offset = sizeof e + sizeof h, .p_filesz = notes.n}};
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  for (int core_file = 1; core_file >= 0; core_file--) {
    e.e_type = core_file ? ET_CORE : ET_EXEC;
    assert_int_equal(pwrite(fd, &e, sizeof e, 0), sizeof e);
    assert_int_equal(pwrite(fd, h, sizeof h, sizeof e), sizeof h);
    assert_int_equal(pwrite(fd, notes.p, notes.n, sizeof e + sizeof h), notes.n);
    sdm_core_file_read(path, &core);
    assert_true(core_file ? core.program && !strcmp(core.program, "/prog") && core.signal == SIGNAL : !core.program && !core.signal);
    free(core.program);
  }
  assert_int_equal(ftruncate(fd, (off_t)sizeof e + 10), 0);
  sdm_core_file_read(path, &core);
  assert_null(core.program);
  close(fd);
  unlink(path);
  sdm_core_file_read(path, &core);
  assert_null(core.program);
  sdm_core_file_read("/", &core);
  assert_null(core.program);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_notes), cmocka_unit_test(test_damaged), cmocka_unit_test(test_file)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
