#include "mpir/commands/where.h"
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static Dwfl *open_process(pid_t pid) {
  static char *debug_path;
  static const Dwfl_Callbacks callbacks = {
      .find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo, .debuginfo_path = &debug_path};
  Dwfl *d = dwfl_begin(&callbacks);
  if (d && (dwfl_linux_proc_report(d, pid) || dwfl_report_end(d, NULL, NULL))) {
    dwfl_end(d);
    return NULL;
  }
  return d;
}

static const char *base_name(const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash ? slash + 1 : path;
}

/* The message layer, or a library of bindings over it. */
static bool is_layer(Dwfl_Module *m) {
  const char *name = base_name(m ? dwfl_module_info(m, NULL, NULL, NULL, NULL, NULL, NULL, NULL) : NULL);
  return name && !strncmp(name, "libmpi", 6);
}

struct search {
  Dwfl *d;
  bool inside;
  Dwarf_Addr found;
};

/* The first frame below those of the layer. */
static int look_at_frame(Dwfl_Frame *frame, void *arg) {
  struct search *s = arg;
  Dwarf_Addr pc;
  bool activation;
  if (!dwfl_frame_pc(frame, &pc, &activation))
    return DWARF_CB_ABORT;
  bool layer = is_layer(dwfl_addrmodule(s->d, activation ? pc : pc - 1));
  if (s->inside && !layer) {
    s->found = pc;
    return DWARF_CB_ABORT;
  }
  s->inside |= layer;
  return DWARF_CB_OK;
}

/* Where the program called bindings, whose own call is at 'address'.  Only the main thread's stack is looked at. */
static uint64_t below_bindings(Dwfl *d, pid_t pid, uint64_t address) {
  struct search s = {.d = d};
  if (is_layer(dwfl_addrmodule(d, address)) && !dwfl_linux_proc_attach(d, pid, false))
    dwfl_getthread_frames(d, pid, look_at_frame, &s);
  return s.found ? s.found : address;
}

void mpir_where(pid_t pid, uint64_t address, char *text, size_t size) {
  snprintf(text, size, "%#llx", (unsigned long long)address);
  Dwfl *d = address ? open_process(pid) : NULL;
  if (!d)
    return;
  address = below_bindings(d, pid, address);
  Dwfl_Module *m = dwfl_addrmodule(d, address);
  const char *function = m ? dwfl_module_addrname(m, address - 1) : NULL; /* of the call, not of what follows it */
  Dwfl_Line *line = m ? dwfl_module_getsrc(m, address - 1) : NULL;
  int number = 0;
  const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
  if (file)
    snprintf(text, size, "%s:%d%s%s", base_name(file), number, function ? " in " : "", function ? function : "");
  else if (function)
    snprintf(text, size, "%s in %s", function, base_name(dwfl_module_info(m, NULL, NULL, NULL, NULL, NULL, NULL, NULL)));
  dwfl_end(d);
}
