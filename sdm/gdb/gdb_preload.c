/* Whether gdb needs libdvmgdb (preload.c), and where it lies. */
#define _GNU_SOURCE
#include "sdm/gdb/gdb_private.h"
#include <cpuid.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KNOWN_TO_GDB = 2696 }; /* bytes of an XSAVE area with AVX-512 and protection keys */

static bool area_is_larger(void) {
  unsigned size, b, c, d;
  return __get_cpuid_count(0xd, 0, &b, &size, &c, &d) && size > KNOWN_TO_GDB;
}

/* Beside this program in a build tree, in the library folder beside 'bin' where it is installed. */
static bool find_library(char path[PATH_MAX]) {
  static const char *const places[] = {"libdvmgdb.so", SDM_BIN_TO_LIB "/dvm/libdvmgdb.so"};
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
  self[n > 0 ? n : 0] = 0;
  char *slash = strrchr(self, '/');
  if (!slash)
    return false;
  slash[1] = 0;
  for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
    if (snprintf(path, PATH_MAX, "%s%s", self, places[i]) < PATH_MAX && access(path, R_OK) == 0)
      return true;
  return false;
}

void sdm_gdb_preload(void) {
  char path[PATH_MAX];
  if (!area_is_larger() || !find_library(path) || strpbrk(path, ": "))
    return; /* LD_PRELOAD has no way to write such names */
  const char *have = getenv("LD_PRELOAD");
  char *list = NULL;
  if (asprintf(&list, "%s%s%s", path, have && *have ? ":" : "", have ? have : "") > 0)
    setenv("LD_PRELOAD", list, 1);
}
