#define _GNU_SOURCE
#include "sdm/session/proctable.h"
#include "base/process.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sdm/bytes.h"
#include "sdm/net/below.h"
#include "sdm/session/hydra.h"

#define RANKS_MAX (1 << 20)

/* One row, as the launcher has it in memory (64 bit): char *host, char *executable, int pid. */
struct row {
  uint64_t host, executable;
  int32_t pid, pad;
};

struct symbols {
  uint64_t table, size; /* addresses in the process; 0: not found */
  bool mpi;             /* it is a program of MPI itself */
};

static bool in_file(uint64_t at, uint64_t n, uint64_t size) { return at <= size && n <= size - at; }

/* Looks through one symbol table section; 'bias' is where the file's address 0 was mapped. */
static void scan(const char *map, uint64_t size, const Elf64_Shdr *sec, const Elf64_Shdr *str, uint64_t bias, struct symbols *s) {
  if (!in_file(sec->sh_offset, sec->sh_size, size) || !in_file(str->sh_offset, str->sh_size, size))
    return;
  const Elf64_Sym *sym = (const Elf64_Sym *)(map + sec->sh_offset);
  for (uint64_t i = 0; i < sec->sh_size / sizeof(*sym); i++) {
    const char *name = map + str->sh_offset + sym[i].st_name;
    if (sym[i].st_name >= str->sh_size || !memchr(name, 0, str->sh_size - sym[i].st_name) || !sym[i].st_value)
      continue;
    if (!strcmp(name, "MPIR_proctable"))
      s->table = bias + sym[i].st_value;
    else if (!strcmp(name, "MPIR_proctable_size"))
      s->size = bias + sym[i].st_value;
  }
}

static uint64_t load_bias(const char *map, const Elf64_Ehdr *h, uint64_t size, uint64_t start) {
  for (int i = 0; i < h->e_phnum && in_file(h->e_phoff, (uint64_t)(i + 1) * sizeof(Elf64_Phdr), size); i++) {
    const Elf64_Phdr *p = (const Elf64_Phdr *)(map + h->e_phoff) + i;
    if (p->p_type == PT_LOAD && !p->p_offset)
      return start - (p->p_vaddr & ~4095ull);
  }
  return start;
}

static void read_module(const char *path, uint64_t start, struct symbols *s) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat st;
  if (fd < 0)
    return;
  char *map =
      fstat(fd, &st) || st.st_size < (off_t)sizeof(Elf64_Ehdr) ? MAP_FAILED : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (map == MAP_FAILED)
    return;
  const Elf64_Ehdr *h = (const Elf64_Ehdr *)map;
  uint64_t size = (uint64_t)st.st_size;
  bool elf = !memcmp(h->e_ident, ELFMAG, SELFMAG) && h->e_ident[EI_CLASS] == ELFCLASS64 &&
             in_file(h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr), size);
  const Elf64_Shdr *sec = (const Elf64_Shdr *)(map + (elf ? h->e_shoff : 0));
  for (int i = 0; elf && i < h->e_shnum; i++)
    if ((sec[i].sh_type == SHT_DYNSYM || sec[i].sh_type == SHT_SYMTAB) && sec[i].sh_link < h->e_shnum)
      scan(map, size, &sec[i], &sec[sec[i].sh_link], load_bias(map, h, size, start), s);
  munmap(map, (size_t)st.st_size);
}

/* Symbols may be in the launcher or in a library of it (Open MPI: libopen-rte).  A rank of the job maps that library too, and an
 * MPI library, which no launcher does. */
static struct symbols find_symbols(long pid) {
  struct symbols s = {0};
  char path[64], line[4400], file[4200], last[4200] = "";
  snprintf(path, sizeof(path), "/proc/%ld/maps", pid);
  FILE *maps = fopen(path, "r");
  while (maps && fgets(line, sizeof(line), maps)) {
    unsigned long long start, offset;
    if (sscanf(line, "%llx-%*x %*s %llx %*s %*s %4199s", &start, &offset, file) != 3 || file[0] != '/' || offset || !strcmp(file, last))
      continue;
    strcpy(last, file);
    const char *base = strrchr(file, '/') + 1;
    s.mpi |= !strncmp(base, "libmpi.so", 9) || !strncmp(base, "libmpich.so", 11) || !strncmp(base, "libmpi_", 7);
    if (!s.table || !s.size)
      read_module(file, start, &s);
  }
  if (maps)
    fclose(maps);
  return s;
}

static int peek(long pid, uint64_t at, void *to, size_t len) {
  struct iovec local = {to, len}, remote = {(void *)(uintptr_t)at, len};
  return process_vm_readv((pid_t)pid, &local, 1, &remote, 1, 0) == (ssize_t)len ? 0 : -errno;
}

static int by_rank(const void *a, const void *b) {
  sdm_id x = ((const struct sdm_target *)a)->rank, y = ((const struct sdm_target *)b)->rank;
  return (x > y) - (x < y);
}

/* The name of a host in the launcher's memory; empty: this one. */
static void read_host(long pid, uint64_t at, char *to, size_t size) {
  size_t n = 0;
  while (at && n + 1 < size && !peek(pid, at + n, to + n, 1) && to[n])
    n++;
  to[n] = 0;
}

static int read_table(long pid, uint64_t table, int32_t n, struct sdm_targets *t, struct dvm_error *err) {
  struct row *rows = sdm_alloc((size_t)n * sizeof(*rows));
  char host[256] = "";
  int rc = peek(pid, table, rows, (size_t)n * sizeof(*rows));
  if (rc)
    dvm_error_set(err, rc, "cannot read the process table of %ld: %s", pid, strerror(-rc));
  for (int32_t i = 0; i < n && !rc; i++) {
    if (!i || rows[i].host != rows[i - 1].host)
      read_host(pid, rows[i].host, host, sizeof(host));
    sdm_targets_add(t, (sdm_id)i, rows[i].pid, host);
  }
  free(rows);
  return rc;
}

int sdm_proctable_read(long pid, const char *ssh, struct sdm_targets *t, struct dvm_error *err) {
  if (pid <= 0 || (kill((pid_t)pid, 0) && errno == ESRCH))
    return dvm_error_set(err, -ESRCH, "there is no process %ld", pid);
  long rank = sdm_rank_of(pid);
  struct symbols s = find_symbols(pid);
  bool launcher = s.table && s.size && !s.mpi;
  uint64_t table = 0;
  int32_t n = 0;
  size_t before = t->n;
  int rc = 0;
  if (launcher && (peek(pid, s.table, &table, 8) || peek(pid, s.size, &n, 4)))
    return dvm_error_errno(err, "cannot read the memory of process %ld", pid);
  if (launcher && n > 0 && n <= RANKS_MAX && table)
    return read_table(pid, table, n, t, err);
  if (launcher || (rank < 0 && !s.mpi))
    rc = sdm_hydra_read(pid, ssh, t, err);
  if (rc)
    return rc;
  if (t->n > before)
    qsort(t->at + before, t->n - before, sizeof(*t->at), by_rank);
  else if (launcher)
    return dvm_error_set(err, -ENODATA, "launcher %ld has no process table yet, and no ranks on this host", pid);
  else
    sdm_targets_add(t, rank < 0 ? 0 : (sdm_id)rank, pid, NULL);
  return 0;
}
