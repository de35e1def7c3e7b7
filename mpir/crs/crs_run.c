/* One run of a checkpoint, by the helper thread: callbacks, stop, image, and what is to be done when the threads go on. */
#include <errno.h>
#include <string.h>
#include "dvmcr.h"
#include "mpir/crs/crs_forward.h"
#include "mpir/crs/crs_helper.h"
#include "mpir/crs/crs_hooks.h"
#include "mpir/crs/crs_lead.h"
#include "mpir/crs/plain.h"
#include "mpir/crs/sys.h"

#define STOP_TIMEOUT_MS 10000

static struct crs_request *current_request;
static struct crs_reply *current_reply;
static int current_connection = -1;
static pid_t current_requester; /* 0: this process */
static unsigned runs;
static atomic_int busy CRS_FORKED;

/* The bottom of the thread-context callbacks: the phase barrier is passed, now all others are stopped and saved. */
static int stop_and_save(void) {
  struct crs_request *request = current_request;
  struct crs_reply *reply = current_reply;
  unsigned timeout = request->stop_timeout_ms ? request->stop_timeout_ms : STOP_TIMEOUT_MS;
  int rc = atomic_load(&crs.abort_code);

  if (rc) {
    strcpy(reply->text, "refused by a callback of the program\n");
    atomic_store(&crs.outcome, rc);
    return rc;
  }
  rc = mpir_crs_stop(timeout, reply->text, sizeof(reply->text));
  reply->stop_ns = (uint64_t)(sys_monotonic_ns() - crs.stopped_at_ns);
  reply->threads = mpir_crs_stopped_threads() + 1;
  if (!rc && (request->flags & CRS_MEMBER)) {
    mpir_crs_forward_tell(reply);
    rc = mpir_crs_group_begin(current_connection, reply);
  }
  if (rc) {
    mpir_crs_release(rc);
  } else {
    mpir_crs_pending_take_late();
    rc = mpir_crs_save(request, reply->path, reply, current_connection, mpir_crs_tickets_fd());
  }
  reply->code = rc;
  return rc;
}

/* A debugger that is attached may hold single threads, so that the others would wait in vain: none is stopped. */
static int refuse_traced(const struct crs_request *request, struct crs_reply *reply, bool was_traced) {
  struct plain_text t = PLAIN_TEXT(reply->text);

  if (request->flags & CRS_ALLOW_TRACED || !mpir_crs_hooks_traced())
    return 0;
  mpir_crs_hooks_name_tracer(&t);
  mpir_plain_add(&t, "\n");
  return !was_traced && mpir_crs_hooks_traced_by_ours() ? CRS_CAME_BACK : -EBUSY;
}

/* From the question to a debugger whether it lets go, to the image. */
static void attempt(struct crs_request *request, struct crs_reply *reply) {
  struct crs_chain *chain = mpir_crs_helper_chain();
  const bool traced = mpir_crs_hooks_traced();

  memset(reply, 0, sizeof(*reply));
  reply->version = CRS_PROTOCOL_VERSION;
  atomic_store(&crs.abort_code, 0);
  mpir_crs_forward_begin(request->flags & CRS_MEMBER);
  MPIR_checkpoint_debugger_detach();
  if (traced && !(request->flags & CRS_ALLOW_TRACED))
    mpir_crs_hooks_await_detach();
  mpir_crs_hooks_expect(request->flags & CRS_FOR_DEBUGGER, traced);
  mpir_crs_hooks_await_held();
  reply->code = refuse_traced(request, reply, traced);
  if (!reply->code)
    reply->code = mpir_crs_confine_check(reply->text, sizeof(reply->text));
  if (!reply->code)
    reply->code = mpir_crs_lazy_fill(reply->text, sizeof(reply->text));
  if (!reply->code && !(request->flags & (CRS_IGNORE_FILES | CRS_MEMBER)))
    reply->code = mpir_crs_shared_check(reply->text, sizeof(reply->text));
  if (!reply->code) {
    mpir_crs_name_choose(request, reply->path, sizeof(reply->path));
    chain->bottom = stop_and_save;
    chain->left = chain->count;
    mpir_crs_chain_run(chain);
    mpir_crs_hold_end();
  }
  if (chain->count)
    mpir_crs_hooks_run_helper(reply->code ? reply->code : atomic_load(&crs.abort_code));
  if (!reply->code) /* a callback may have refused before the bottom */
    reply->code = atomic_load(&crs.abort_code);
  if (reply->code == -EAGAIN)
    mpir_crs_forward_tell(reply);
}

int mpir_crs_run(struct crs_request *request, struct crs_reply *reply, int connection, pid_t requester) {
  int64_t start = sys_monotonic_ns();
  int tries = CRS_TRIES, rc;

  runs++;
  current_request = request;
  current_reply = reply;
  current_connection = connection;
  current_requester = requester;
  atomic_store(&busy, 1);
  MPIR_checkpoint_busy = 1;
  do
    attempt(request, reply);
  while (reply->code == CRS_CAME_BACK && !(request->flags & CRS_MEMBER) && --tries > 0);
  if (reply->code == CRS_CAME_BACK && !(request->flags & CRS_MEMBER))
    reply->code = -EBUSY; /* what callers know */
  rc = reply->code;
  if (rc == 0)
    mpir_crs_name_retain(request, reply->path);
  if (rc == 0 && !(request->flags & CRS_MEMBER))
    mpir_crs_lead_copy(reply->path, request->keep);
  mpir_crs_hooks_note_image(rc >= 0 && !(request->flags & CRS_MEMBER) ? reply->path : "");
  if (rc != 1)
    mpir_crs_hooks_announce();
  reply->total_ns = (uint64_t)(sys_monotonic_ns() - start);
  MPIR_checkpoint_busy = 0;
  atomic_store(&busy, 0);
  return rc;
}

unsigned mpir_crs_runs(void) { return runs; }

void mpir_crs_run_after_fork(void) { atomic_store(&busy, 0); }

int dvmcr_current(struct dvmcr_current *current) {
  if (!atomic_load(&busy))
    return -EINVAL;
  *current = (struct dvmcr_current){current_reply->path, current_request->signal, current_requester ? current_requester : crs.pid};
  return 0;
}

const char *dvmcr_restarted_from(void) { return crs.restart.image; }

int dvmcr_status(void) { return atomic_load(&busy); }
