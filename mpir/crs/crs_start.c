/* When the library is loaded: what the environment says, and in which order its parts begin. */
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "mpir/crs/crs_calls.h"
#include "mpir/crs/crs_clock.h"
#include "mpir/crs/crs_demand.h"
#include "mpir/crs/crs_fault.h"
#include "mpir/crs/crs_helper.h"
#include "mpir/crs/crs_lead.h"
#include "mpir/crs/plain.h"
#include "mpir/crs/sys.h"

#define AWAIT_NS 60000000000ll

struct crs_defaults mpir_crs_defaults;

static unsigned environment_number(const char *name, unsigned otherwise) {
  const char *value = getenv(name);

  return value && *value ? (unsigned)strtoul(value, NULL, 10) : otherwise;
}

static void read_environment(void) {
  const char *folder = getenv("DVMCR_DIR"), *home = getenv("HOME");
  const char *state = getenv("XDG_STATE_HOME");
  struct crs_request *request = &mpir_crs_defaults.request;
  struct plain_text t = PLAIN_TEXT(mpir_crs_defaults.folder);

  if (folder && *folder) {
    mpir_plain_add(&t, folder);
  } else if (state && *state) {
    mpir_plain_add(&t, state);
    mpir_plain_add(&t, "/dvm/checkpoints");
  } else {
    mpir_plain_add(&t, home ? home : "/tmp");
    mpir_plain_add(&t, "/.local/state/dvm/checkpoints");
  }
  request->version = CRS_PROTOCOL_VERSION;
  request->keep = environment_number("DVMCR_KEEP", 0);
  request->stop_timeout_ms = environment_number("DVMCR_TIMEOUT_MS", 0);
  request->whole_every = environment_number("DVMCR_INCREMENTAL", 0);
  request->flags = (request->whole_every ? CRS_INCREMENTAL : 0u) | (environment_number("DVMCR_ALL_FILES", 0) ? CRS_ALL_FILES : 0u) |
                   (environment_number("DVMCR_NO_FORK", 0) ? CRS_NO_FORK : 0u) | (environment_number("DVMCR_STRICT", 0) ? CRS_STRICT : 0u) |
                   (environment_number("DVMCR_SAVE_FILES", 0) ? CRS_SAVE_FILES : 0u);
  mpir_crs_defaults.period_ms = environment_number("DVMCR_EVERY", 0) * 1000;
  crs.stop_signal = (int)environment_number("DVMCR_STOP_SIGNAL", (unsigned)SIGRTMAX - 1);
  crs.hold_signal = (int)environment_number("DVMCR_HOLD_SIGNAL", (unsigned)SIGRTMAX - 3) /* Java has the one between */;
  crs.ask_signal = (int)environment_number("DVMCR_SIGNAL", 0);
}

#ifdef CRS_ARCHIVE
static bool program_holds_one(void) {
  extern const uint32_t mpir_crs_linked_note[];
  mpir_crs_wrap_linked(); /* part of the program even where it calls nothing that is wrapped */
  return mpir_crs_linked_note[0] == 0; /* never; but the note is then part of the program */
}
#else
static int find_note(struct dl_phdr_info *object, size_t size, void *arg) {
  (void)size;
  (void)arg;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *ph = &object->dlpi_phdr[i];
    const char *at = (const char *)object->dlpi_addr + ph->p_vaddr, *end = at + ph->p_memsz;

    for (ElfW(Nhdr) note; ph->p_type == PT_NOTE && (size_t)(end - at) >= sizeof(note);) {
      memcpy(&note, at, sizeof(note));
      if (note.n_namesz == 6 && memcmp(at + sizeof(note), "DVMCR", 6) == 0)
        return 1;
      at += sizeof(note) + ((note.n_namesz + 3) & ~3u) + ((note.n_descsz + 3) & ~3u);
    }
  }
  return -1; /* the program comes first, and is all that counts */
}

/* One that is linked with libdvmcr.a and started by 'dvm run --checkpointable'. */
static bool program_holds_one(void) { return dl_iterate_phdr(find_note, NULL) == 1; }
#endif

static bool can_demand(void) {
#ifdef CRS_ARCHIVE
  return false;
#else
  const char *job = getenv("DVMCR_JOB");
  const bool may = !mpir_crs_lead_is_rank() || (job && !strcmp(job, "set"));
  return !mpir_crs_defaults.period_ms && may && mpir_crs_demand_init(mpir_crs_helper_serve);
#endif
}

/* 'dvm run --debug': the program has not begun; a debugger that attaches here finds it whole. */
static void await_debugger(void) {
  static const struct timespec moment = {0, 5000000};
  const int64_t limit = sys_monotonic_ns() + AWAIT_NS;

  if (!getenv("DVMCR_AWAIT_DEBUGGER"))
    return;
  unsetenv("DVMCR_AWAIT_DEBUGGER"); /* what it starts does not wait */
  while (!mpir_crs_hooks_traced() && sys_monotonic_ns() < limit)
    sys2(SYS_nanosleep, &moment, NULL);
  if (!mpir_crs_hooks_traced())
    dprintf(2, "dvm: no debugger has attached to process %d within %d s: it begins without\n", crs.pid, (int)(AWAIT_NS / 1000000000));
}

__attribute__((constructor)) static void crs_constructor(void) {
  struct sigaction ask = {.sa_sigaction = mpir_crs_helper_on_ask, .sa_flags = SA_SIGINFO | SA_RESTART};

  if (program_holds_one())
    return;
  read_environment();
  mpir_crs_settings_init();
  crs.pid = getpid();
  mpir_crs_namespaces_note();
  mpir_crs_calls_init();
  mpir_crs_confine_init();
  mpir_crs_wrap_init();
  mpir_crs_clock_init();
  mpir_crs_fault_init();
  crs.listen_fd = -1;
  if (mpir_crs_stop_init() || mpir_crs_hooks_init() || mpir_crs_helper_start(can_demand())) {
    dprintf(2, "dvm: this process cannot be checkpointed: its helper thread cannot be started\n");
    return;
  }
  mpir_crs_stop_installed();
  if (crs.ask_signal)
    sigaction(crs.ask_signal, &ask, NULL);
  crs.installed = true;
  mpir_crs_helper_watch();
  await_debugger();
}
