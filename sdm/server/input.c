#include "sdm/server/input.h"

#include <errno.h>
#include <unistd.h>

#define ENOUGH_BYTES 65536u /* wait here for the program at most */
#define LOOK_US 2000

static bool has_room(const struct sdm_server_input *in) {
  return !in->ops->pending_input || in->ops->pending_input(in->backend) < ENOUGH_BYTES;
}

static void end_own(struct sdm_server_input *in) {
  in->own = false;
  sdm_watch_free(in->watch);
  in->watch = NULL;
}

static void take_some(struct sdm_server_input *in) {
  char buf[16384];
  ssize_t n = read(STDIN_FILENO, buf, sizeof(buf));
  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  in->ops->input(in->backend, n <= 0, buf, n > 0 ? (size_t)n : 0);
  if (n <= 0)
    end_own(in);
}

/* While there is room, and until there is. */
static void go_on(struct sdm_server_input *in) {
  bool room = has_room(in);
  if (room && in->room) {
    struct sdm_call *c = in->room;
    in->room = NULL;
    sdm_call_done(c, NULL, NULL);
  }
  for (; room && in->own && in->file; room = has_room(in))
    take_some(in);
  if (in->watch)
    sdm_watch_events(in->watch, room ? SDM_READ : 0);
  if (!room)
    sdm_timer_set(in->timer, sdm_now_us() + LOOK_US);
}

static void on_timer(void *arg) { go_on(arg); }

static void on_own(void *arg, unsigned events) {
  (void)events;
  take_some(arg);
  go_on(arg);
}

void sdm_server_input_init(struct sdm_server_input *in, const struct sdm_backend_ops *ops, struct sdm_backend *b, struct sdm_loop *loop) {
  *in = (struct sdm_server_input){.ops = ops, .backend = b, .loop = loop};
  in->timer = sdm_loop_timer(loop, INT64_MAX, on_timer, in);
}

void sdm_server_input_fini(struct sdm_server_input *in) {
  end_own(in);
  sdm_timer_free(in->timer);
  in->timer = NULL;
  if (in->room)
    sdm_call_fail(in->room, "the session ends");
  in->room = NULL;
}

void sdm_server_input_own(struct sdm_server_input *in) {
  in->own = true;
  in->watch = sdm_loop_watch(in->loop, STDIN_FILENO, SDM_READ, on_own, in);
  in->file = !in->watch;
  go_on(in);
}

void sdm_server_input_room(struct sdm_server_input *in, struct sdm_call *c) {
  if (in->room)
    sdm_call_done(in->room, NULL, NULL); /* who asks twice asks for the later one */
  in->room = c;
  go_on(in);
}
