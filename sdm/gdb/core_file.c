#include "sdm/gdb/core_file.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOTES_MAX (256u << 20) /* a thread has about 4 KiB of them */
#define SIGNAL_AT 12           /* pr_cursig, 2 bytes, behind three numbers of pr_info */
#define SIGNAL_NUMBER_MAX 64

struct note {
  uint32_t type;
  const unsigned char *body;
  size_t size;
};

/* Takes the next note from the front of '*p'; names and bodies are padded to 4 bytes. */
static bool next_note(const unsigned char **p, size_t *left, struct note *n) {
  Elf64_Nhdr h;
  if (*left < sizeof(h))
    return false;
  memcpy(&h, *p, sizeof(h));
  uint64_t name = ((uint64_t)h.n_namesz + 3) & ~3ull, body = ((uint64_t)h.n_descsz + 3) & ~3ull;
  uint64_t rest = *left - sizeof(h);
  if (name > rest || h.n_descsz > rest - name)
    return false;
  *n = (struct note){h.n_type, *p + sizeof(h) + name, h.n_descsz};
  uint64_t whole = sizeof(h) + name + body;
  whole = whole < *left ? whole : *left; /* the last padding may be missing */
  *p += whole;
  *left -= whole;
  return true;
}

static uint64_t word_at(const struct note *n, size_t i) {
  uint64_t w;
  memcpy(&w, n->body + 8 * i, sizeof(w));
  return w;
}

static uint64_t entry_point(const struct note *auxv) {
  for (size_t i = 0; i + 1 < auxv->size / 8; i += 2)
    if (word_at(auxv, i) == AT_ENTRY)
      return word_at(auxv, i + 1);
  return 0;
}

/* Count and size of a page; then beginning, end and offset of each mapping; then their names, each with its zero. */
static char *file_at(const struct note *files, uint64_t address) {
  uint64_t count = files->size >= 16 ? word_at(files, 0) : 0;
  if (!count || count > (files->size - 16) / 24)
    return NULL;
  const char *name = (const char *)files->body + 16 + 24 * count, *end = (const char *)files->body + files->size;
  for (uint64_t i = 0; i < count; i++) {
    size_t len = strnlen(name, (size_t)(end - name));
    if (name + len == end)
      return NULL;
    if (word_at(files, 2 + 3 * i) <= address && address < word_at(files, 3 + 3 * i))
      return *name == '/' ? strdup(name) : NULL;
    name += len + 1;
  }
  return NULL;
}

void sdm_core_file_notes(const void *notes, size_t size, struct sdm_core_file *core) {
  const unsigned char *p = notes;
  struct note n, auxv = {0}, files = {0};
  bool seen = false;
  while (next_note(&p, &size, &n))
    if (n.type == NT_AUXV)
      auxv = n;
    else if (n.type == NT_FILE)
      files = n;
    else if (n.type == NT_PRSTATUS && !seen && n.size >= SIGNAL_AT + 2) {
      uint16_t signal;
      memcpy(&signal, n.body + SIGNAL_AT, sizeof(signal));
      core->signal = signal <= SIGNAL_NUMBER_MAX ? signal : 0;
      seen = true;
    }
  uint64_t entry = entry_point(&auxv);
  if (entry && !core->program)
    core->program = file_at(&files, entry);
}

static bool read_at(int fd, void *p, size_t size, uint64_t offset) {
  return offset <= INT64_MAX && pread(fd, p, size, (off_t)offset) == (ssize_t)size;
}

static void read_segment(int fd, const Elf64_Phdr *h, struct sdm_core_file *core) {
  void *notes = h->p_type == PT_NOTE && h->p_filesz && h->p_filesz <= NOTES_MAX ? malloc(h->p_filesz) : NULL;
  if (notes && read_at(fd, notes, h->p_filesz, h->p_offset))
    sdm_core_file_notes(notes, h->p_filesz, core);
  free(notes);
}

void sdm_core_file_read(const char *path, struct sdm_core_file *core) {
  Elf64_Ehdr e;
  Elf64_Phdr h;
  *core = (struct sdm_core_file){NULL, 0};
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return;
  if (read_at(fd, &e, sizeof(e), 0) && !memcmp(e.e_ident, ELFMAG, SELFMAG) && e.e_ident[EI_CLASS] == ELFCLASS64 &&
      e.e_ident[EI_DATA] == ELFDATA2LSB && e.e_type == ET_CORE && e.e_phentsize == sizeof(h))
    /* With more than 65534 segments the number stands elsewhere; the notes come first all the same. */
    for (unsigned i = 0; i < e.e_phnum && !core->program && read_at(fd, &h, sizeof(h), e.e_phoff + i * sizeof(h)); i++)
      read_segment(fd, &h, core);
  close(fd);
}
