#include "mpir/commands/where.h"
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static Dwfl *open_process(pid_t pid) {
  static char *debug_path;
  static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo, .debuginfo_path = &debug_path};
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

void mpir_where(pid_t pid, uint64_t address, char *text, size_t size) {
  snprintf(text, size, "%#llx", (unsigned long long)address);
  Dwfl *d = address ? open_process(pid) : NULL;
  if (!d)
    return;
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
