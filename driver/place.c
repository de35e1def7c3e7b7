#define _GNU_SOURCE
#include "driver/place.h"
#include "driver/config.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Drops the last component of an absolute path, in place. */
static void to_parent(char *path) {
  char *slash = strrchr(path, '/');
  if (slash)
    slash[slash == path] = '\0';
}

/* Joins an absolute folder and a relative name that may begin with '..'.  As text: the folders need not exist.  Returns an
 * owned path, or NULL. */
static char *join(const char *folder, const char *name) {
  char *path, *base = strdup(folder);
  if (!base)
    return NULL;
  for (; !strncmp(name, "../", 3); name += 3)
    to_parent(base);
  if (asprintf(&path, "%s/%s", base, name) < 0)
    path = NULL;
  free(base);
  return path;
}

/* In the build tree each program lies in the folder of its part; installed, in 'bin'. */
static char *find(const char *bin, const char *installed, const char *built) {
  char *path = join(bin, built);
  if (path && !access(path, R_OK))
    return path;
  free(path);
  return join(bin, installed);
}

int dvm_place_find(struct dvm_place *place, struct dvm_error *err) {
  const char *clang = getenv("DVM_CLANG"), *flang = getenv("DVM_FLANG");
  char exe[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
  *place = (struct dvm_place){.clang = clang && *clang ? clang : DVM_CLANG_PATH, .flang = flang && *flang ? flang : DVM_FLANG_PATH};
  if (n < 0)
    return dvm_error_errno(err, "cannot determine where this program is installed (/proc/self/exe)");
  exe[n] = '\0';
  to_parent(exe);
  place->bin = strdup(exe);
  place->plugin = find(exe, DVM_BIN_TO_LIB "/dvm/dvm-pass.so", "../pass/dvm-pass.so");
  place->fortran = find(exe, DVM_BIN_TO_LIB "/dvm/dvm-fortran.so", "../pass/dvm-fortran.so");
  place->runtime = find(exe, DVM_BIN_TO_LIB "/dvm/libdvmrt.so", "../runtime/libdvmrt.so");
  place->runtime_static = find(exe, DVM_BIN_TO_LIB "/dvm/libdvmrt.a", "../runtime/libdvmrt.a");
  place->trace = find(exe, DVM_BIN_TO_LIB "/dvm/libdvmtrace.so", "../runtime/libdvmtrace.so");
  place->trace_static = find(exe, DVM_BIN_TO_LIB "/dvm/libdvmtrace.a", "../runtime/libdvmtrace.a");
  place->parallel = find(exe, DVM_BIN_TO_LIB "/dvm/libdvmpar.so", "../runtime/libdvmpar.so");
  place->libexec = join(exe, DVM_BIN_TO_LIBEXEC);
  place->diagnostics = find(exe, DVM_BIN_TO_DOC "/diagnostics", "../docs/diagnostics");
  if (place->bin && place->plugin && place->fortran && place->runtime && place->runtime_static && place->trace && place->trace_static &&
      place->parallel && place->libexec && place->diagnostics)
    return 0;
  dvm_place_fini(place);
  return dvm_error_set(err, -ENOMEM, "out of memory");
}

void dvm_place_fini(struct dvm_place *place) {
  free(place->bin);
  free(place->plugin);
  free(place->fortran);
  free(place->runtime);
  free(place->runtime_static);
  free(place->trace);
  free(place->trace_static);
  free(place->parallel);
  free(place->libexec);
  free(place->diagnostics);
  *place = (struct dvm_place){.clang = NULL};
}
