#include "runtime/entry/host.h"
#include "base/host.h"
#include "runtime/data/facts.h"
#include "runtime/report/facts.h"
#include "runtime/data/mem.h"
#include "runtime/entry/process.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct dvm_host host;
static bool diagnostics;                                                           /* hold after each */
static __thread bool reported __attribute__((tls_model("initial-exec")));          /* .. this thread has given one */

static void want(unsigned what) {
  __atomic_store_n(&diagnostics, !!(what & DVM_HOST_DIAGNOSTICS), __ATOMIC_RELAXED);
  dvmrt_due_set(DVMRT_DUE_HOLD, what & DVM_HOST_HOLD);
}

void dvmrt_host_diagnostic(void) {
  if (!__atomic_load_n(&diagnostics, __ATOMIC_RELAXED))
    return;
  reported = true;
  dvmrt_due_set(DVMRT_DUE_HOLD, true);
}

void dvmrt_host_point(void) {
  int kept = errno;
  bool mine = reported;
  reported = false;
  if (host.held)
    host.held(mine);
  errno = kept;
}

void dvmrt_host_end(int status) {
  if (host.ended)
    host.ended(status);
}

#ifdef DVMRT_STATIC /* dlopen does not work there, and the linker would warn of it */
static void *load(struct dvm_error *err) {
  dvm_error_set(err, -ELIBACC, "DVM_OPTIONS: 'sdm': a statically linked program has no debug server");
  return NULL;
}
#define dlsym(library, name) ((void)(library), (void *)NULL)
#else
/* The server lies beside the run-time library. */
static void *load(struct dvm_error *err) {
  Dl_info own;
  char path[4096];
  const char *slash = dladdr((void *)&__dvm_facts, &own) && own.dli_fname ? strrchr(own.dli_fname, '/') : NULL;
  int n = slash ? (int)(slash - own.dli_fname) : 0;
  snprintf(path, sizeof(path), "%.*s%s" DVM_HOST_LIBRARY, n, slash ? own.dli_fname : "", slash ? "/" : "");
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    dvm_error_set(err, -ELIBACC, "DVM_OPTIONS: 'sdm': the debug server cannot be loaded: %s", dlerror());
  return library;
}
#endif

int dvmrt_host_start(const char *options, struct dvm_error *err) {
  char why[DVM_ERROR_TEXT_MAX / 2] = "";
  void *library = load(err);
  if (!library)
    return err->code;
  host = (struct dvm_host){.version = DVM_HOST_VERSION,
                           .bytes = sizeof(host),
                           .facts = &__dvm_facts,
                           .enter = dvmrt_mem_enter,
                           .leave = dvmrt_mem_leave,
                           .want = want};
  dvm_host_start_f *start = (dvm_host_start_f *)dlsym(library, DVM_HOST_SYMBOL);
  int rc = start ? start(&host, options, why, sizeof(why)) : -ELIBACC;
  return rc ? dvm_error_set(err, rc, "DVM_OPTIONS: 'sdm=%s': %s", options, *why ? why : "the debug server has a different version") : 0;
}
