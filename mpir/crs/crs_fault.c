#include "mpir/crs/crs_fault.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "mpir/crs/sys.h"

static char asked[32];
static unsigned long image; /* 0: each */
static int signal_sent = SIGKILL;

void mpir_crs_fault_init(void) {
  const char *name = getenv("DVM_FAULT");
  char *at;

  if (name && !strncmp(name, "stop:", 5)) { /* stands there until it is let go on: others can be killed meanwhile */
    signal_sent = SIGSTOP;
    name += 5;
  }
  if (!name || strlen(name) >= sizeof(asked))
    return;
  strcpy(asked, name);
  at = strchr(asked, '@');
  if (!at)
    return;
  image = strtoul(at + 1, NULL, 10);
  *at = '\0';
}

void mpir_crs_fault(const char *name) { mpir_crs_fault_in(name, 0); }

void mpir_crs_fault_in(const char *name, unsigned long number) {
  if (strcmp(asked, name) == 0 && (!image || image == number))
    sys2(SYS_kill, sys0(SYS_getpid), signal_sent);
}
