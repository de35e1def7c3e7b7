#include "runtime/parallel/where.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dvmp_where_element(char *text, size_t room, const struct dvmp_array *a, uintptr_t at) {
  int64_t ix[DVMRT_NDIMS_MAX];
  size_t n = (size_t)snprintf(text, room, "%s", a->name);
  dvmp_array_indices(a, at, ix);
  for (int d = 0; d < a->ndims && n < room; d++)
    n += (size_t)snprintf(text + n, room - n, "[%lld]", (long long)(ix[d] + a->lower[d]));
}

void dvmp_where_own(char *text, size_t room, const struct dvmp_array *a) {
  size_t n = (size_t)snprintf(text, room, dvmp_set_empty(&a->own) ? "nothing of '%s'" : "'%s", a->name);
  if (dvmp_set_empty(&a->own))
    return;
  for (int d = 0; d < a->ndims && n + 64 < room; d++) {
    const struct dvmp_list *l = &a->own.dim[d];
    n += (size_t)snprintf(text + n, room - n, "[");
    for (int i = 0; i < l->n && n + 64 < room; i++) {
      n += (size_t)snprintf(text + n, room - n, l->at[i].low == l->at[i].high ? "%s%lld" : "%s%lld..%lld", i ? "," : "",
                            (long long)(l->at[i].low + a->lower[d]), (long long)(l->at[i].high + a->lower[d]));
      if (i == 3 && l->n > 4) {
        n += (size_t)snprintf(text + n, room - n, ",..");
        break;
      }
    }
    n += (size_t)snprintf(text + n, room - n, "]");
  }
  if (n < room)
    snprintf(text + n, room - n, "'");
}

/* ---- places --------------------------------------------------------------------------------------------------------------------- */

/* "FILE:LINE[:COLUMN]" behind the name of the function. */
static bool read_place(FILE *f, struct dvmp_where *w) {
  char name[128] = "";
  if (!f || !fgets(name, sizeof(name), f) || !fgets(w->text, sizeof(w->text), f))
    return false;
  name[strcspn(name, "\n")] = 0;
  if (name[0] && name[0] != '?' && !w->function[0])
    memcpy(w->function, name, sizeof(name));
  w->text[strcspn(w->text, "\n (")] = 0;
  char *colon = strrchr(w->text, ':');
  unsigned last = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
  if (!last || w->text[0] == '?')
    return false;
  *colon = 0;
  char *second = strrchr(w->text, ':');
  unsigned line = second ? (unsigned)strtoul(second + 1, NULL, 10) : 0;
  w->line = line ? line : last;
  w->column = line ? last : 0;
  if (line)
    *second = 0;
  w->file = w->text;
  return true;
}

static bool ask(const char *tool, const char *object, uintptr_t offset, struct dvmp_where *w) {
  char command[1024];
  snprintf(command, sizeof(command), "unset LD_PRELOAD; %s '%s' 0x%lx 2>/dev/null", tool, object, (unsigned long)offset);
  FILE *f = popen(command, "r");
  bool found = read_place(f, w);
  if (f)
    pclose(f);
  return found;
}

static bool is_program(const Dl_info *i) {
  const char *slash = i->dli_fname ? strrchr(i->dli_fname, '/') : NULL, *name = slash ? slash + 1 : i->dli_fname;
  return name && strncmp(name, "libdvmpar", 9) && strncmp(name, "libc.", 5) && strncmp(name, "libm.", 5) && strncmp(name, "ld-linux", 8) &&
         strncmp(name, "libmpi", 6) && strncmp(name, "libopen", 7);
}

void dvmp_where_of(uintptr_t pc, struct dvmp_where *w) {
  void *frames[64], *extra = NULL;
  Dl_info info;
  *w = (struct dvmp_where){.file = NULL};
  bool found = dladdr1((void *)pc, &info, &extra, RTLD_DL_LINKMAP) && is_program(&info);
  int n = found ? 0 : backtrace(frames, 64);
  for (int i = 0; i < n && !found; i++) {
    pc = (uintptr_t)frames[i] - 1;
    found = dladdr1((void *)pc, &info, &extra, RTLD_DL_LINKMAP) && is_program(&info);
  }
  if (!found)
    return;
  uintptr_t offset = pc - ((const struct link_map *)extra)->l_addr;
  if (info.dli_sname)
    snprintf(w->function, sizeof(w->function), "%s", info.dli_sname);
  if (!ask("llvm-symbolizer-19 --no-inlines --functions=short --obj", info.dli_fname, offset, w))
    ask("addr2line -f -e", info.dli_fname, offset, w);
}
