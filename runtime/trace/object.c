#include "runtime/trace/object.h"
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

struct search {
  const void *p;
  struct dvmt_object found;
};

static int look_into(struct dl_phdr_info *info, size_t size, void *arg) {
  struct search *s = arg;
  struct dvmt_object o = {UINT64_MAX, 0};
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
    uint64_t low = info->dlpi_addr + ph->p_vaddr, high = low + ph->p_memsz;
    if (ph->p_type != PT_LOAD)
      continue;
    o.low = low < o.low ? low : o.low;
    o.high = high > o.high ? high : o.high;
  }
  if (!dvmt_object_has(&o, s->p))
    return 0;
  s->found = o;
  return 1;
}

bool dvmt_object_of(struct dvmt_object *o, const void *p) {
  struct search s = {.p = p};
  bool found = dl_iterate_phdr(look_into, &s) != 0;
  *o = s.found;
  return found;
}

static size_t program_in(const char *at, const char *end, char *text) {
  while (end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr) *note = (const void *)at;
    const unsigned char *id = (const unsigned char *)at + sizeof(*note) + (note->n_namesz + 3u) / 4 * 4;
    size_t n = note->n_descsz < DVMT_OBJECT_PROGRAM / 2 ? note->n_descsz : DVMT_OBJECT_PROGRAM / 2;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(note + 1, "GNU", 4)) {
      for (size_t k = 0; k < n; k++)
        snprintf(text + 2 * k, 3, "%02x", id[k]);
      return 2 * n;
    }
    at = (const char *)id + (note->n_descsz + 3u) / 4 * 4;
  }
  return 0;
}

struct program {
  char *text;
  size_t n;
};

static int find_program(struct dl_phdr_info *info, size_t size, void *arg) {
  struct program *p = arg;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum && !p->n; i++) {
    const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
    const char *at = (const char *)(info->dlpi_addr + ph->p_vaddr);
    if (ph->p_type == PT_NOTE)
      p->n = program_in(at, at + ph->p_memsz, p->text);
  }
  return 1; /* only the first, which is the program */
}

size_t dvmt_object_program(char text[DVMT_OBJECT_PROGRAM + 1]) {
  struct program p = {text, 0};
  dl_iterate_phdr(find_program, &p);
  return p.n;
}
