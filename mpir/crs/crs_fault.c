#include "mpir/crs/crs_fault.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "mpir/crs/sys.h"

static char asked[32];

void mpir_crs_fault_init(void) {
  const char *name = getenv("DVM_FAULT");

  if (name && strlen(name) < sizeof(asked))
    strcpy(asked, name);
}

void mpir_crs_fault(const char *name) {
  if (strcmp(asked, name) == 0)
    sys2(SYS_kill, sys0(SYS_getpid), SIGKILL);
}
