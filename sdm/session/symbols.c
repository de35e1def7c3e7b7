#include "sdm/session/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_debug_section(const char *name) {
  static const char *const names[] = {".debug_info", ".zdebug_info", ".gnu_debuglink", ".gnu_debugaltlink", ".debug_line"};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
    if (!strcmp(name, names[i]))
      return true;
  return false;
}

/* 'map' has 'size' bytes, which may be anything. */
static bool lacks_sections(const char *map, size_t size) {
  const Elf64_Ehdr *h = (const Elf64_Ehdr *)map;
  if (size < sizeof(*h) || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 || !h->e_shnum ||
      h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shoff > size || h->e_shnum > (size - h->e_shoff) / sizeof(Elf64_Shdr) ||
      h->e_shstrndx >= h->e_shnum || h->e_shoff % _Alignof(Elf64_Shdr))
    return false;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(map + h->e_shoff), *names = &sections[h->e_shstrndx];
  if (names->sh_offset > size || names->sh_size > size - names->sh_offset || !names->sh_size || map[names->sh_offset + names->sh_size - 1])
    return false;
  for (unsigned i = 0; i < h->e_shnum; i++)
    if (sections[i].sh_name < names->sh_size && is_debug_section(map + names->sh_offset + sections[i].sh_name))
      return false;
  return true;
}

bool sdm_has_debug_information(const char *path) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  bool lacks = false;
  if (fd < 0)
    return true;
  void *map =
      fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size ? MAP_FAILED : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (map != MAP_FAILED) {
    lacks = lacks_sections(map, (size_t)st.st_size);
    munmap(map, (size_t)st.st_size);
  }
  return !lacks;
}
