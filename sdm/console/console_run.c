/* Commands of the console that set programs running, and stop them. */
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdm/console/console_private.h"
#include "sdm/overlay/prefix.h"

#define QUIET_MS 1500u /* where a person waits */
#define QUIET_SCRIPT_MS 10000u
#define MAIN_MS 60000u
#define HINT_MS 5000u

void sdm_console_interrupt_all(struct sdm_console *c, const struct sdm_set *set) {
  sdm_answer_free(sdm_session_ask(c->s, set, json_pack("{s:s}", "cmd", "interrupt"), SDM_REDUCE_SAME, c->timeout_ms));
}

/* A program may be waiting for what a person types; it is not given to it, and stays for the prompt. */
static void tell_of_typing(struct sdm_console *c) {
  struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
  if (!c->terminal || c->told_typing || poll(&p, 1, 0) <= 0)
    return;
  fprintf(c->show.out, "the line waits for the prompt: ^C stops the programs; they read what 'input TEXT' gives them after 'continue &'\n");
  fflush(c->show.out);
  c->told_typing = true;
}

/* Where one stops and the others run on, often for ever, what has happened is shown when nothing more has for a while; not at once,
 * so that those who come to the same place are one line. */
static int wait_and_tell(struct sdm_console *c, const struct sdm_set *set) {
  bool all = c->stop_all == 1, stopping = false;
  uint32_t tell_ms = isatty(STDIN_FILENO) ? QUIET_MS : QUIET_SCRIPT_MS, quiet_ms = 0;
  int rc;
  for (uint64_t seen = c->nevents; (rc = sdm_session_wait(c->s, set, QUIET_MS, &sdm_console_interrupted)) == -ETIMEDOUT;) {
    tell_of_typing(c);
    quiet_ms = c->nevents == seen ? quiet_ms + QUIET_MS : 0;
    seen = c->nevents;
    if (!c->nnews || !quiet_ms)
      continue;
    struct sdm_set *still = sdm_set_intersect(sdm_set_copy(set), c->s->running);
    if (all && !stopping && sdm_set_overlaps(set, c->s->stopped)) {
      sdm_console_interrupt_all(c, still);
      stopping = true; /* who does not stop then is told of */
    } else if (quiet_ms >= tell_ms) {
      sdm_console_show_news(c);
      sdm_show_running(&c->show, still);
    }
    sdm_set_free(still);
  }
  return rc;
}

static void wait_for(struct sdm_console *c, const struct sdm_set *set);

/* MPI programs: those who do not stop wait for those who have, in MPI. */
static void choose_stop_all(struct sdm_console *c) {
  static const char is_mpi[] = "(long)&MPI_Init != 0";
  if ((c->stop_all >= 0 && c->is_mpi >= 0) || sdm_set_is_empty(c->s->stopped))
    return;
  struct sdm_set *one = sdm_set_new();
  struct sdm_set_iter it = sdm_set_iter(c->s->stopped);
  sdm_id rank;
  if (sdm_set_iter_id(&it, &rank))
    sdm_set_add_element(one, rank);
  struct sdm_answer *a =
      sdm_session_ask(c->s, one, json_pack("{s:s, s:s}", "cmd", "evaluate", "expression", is_mpi), SDM_REDUCE_SAME, c->timeout_ms);
  if (a->n) /* else nobody could be asked */
    c->is_mpi = a->classes[0].kind == SDM_CLASS_OK;
  if (a->n && c->stop_all < 0)
    c->stop_all = c->is_mpi;
  sdm_answer_free(a);
  sdm_set_free(one);
}

bool sdm_console_stops_all(struct sdm_console *c) {
  choose_stop_all(c);
  return c->stop_all == 1;
}

void sdm_console_stop_all(struct sdm_console *c, bool on) { c->stop_all = on; }

/* 'set' stands; those whose breakpoints say so go on, and are waited for again. */
static void wait_through_commands(struct sdm_console *c, const struct sdm_set *set) {
  for (bool again = true; again && !sdm_console_interrupted;) {
    struct sdm_set *on = sdm_set_new();
    sdm_console_run_commands(c, set, on);
    again = !sdm_set_is_empty(on);
    if (again) {
      sdm_answer_free(sdm_session_go(c->s, on, json_pack("{s:s}", "cmd", "continue"), c->timeout_ms));
      wait_for(c, on);
    }
    sdm_set_free(on);
  }
  sdm_console_show_displays(c, set);
}

void sdm_console_wait_for(struct sdm_console *c, const struct sdm_set *set) {
  wait_for(c, set);
  if (c->ndisplays)
    sdm_console_show_news(c);
  wait_through_commands(c, set);
}

static void wait_for(struct sdm_console *c, const struct sdm_set *set) { /* ^C stops them, a second one the wait */
  sdm_console_interrupted = 0;
  while (wait_and_tell(c, set) == -EINTR) {
    sdm_console_interrupted = 0;
    struct sdm_set *still = sdm_set_intersect(sdm_set_copy(set), c->s->running);
    sdm_console_interrupt_all(c, still);
    sdm_set_free(still);
    if (sdm_session_wait(c->s, set, 5000, &sdm_console_interrupted) != -EINTR)
      break; /* a second ^C gives the prompt back */
  }
}

void sdm_console_await_main(struct sdm_console *c) {
  const struct sdm_set *all = c->s->all;
  const uint32_t patience_ms = isatty(STDIN_FILENO) ? HINT_MS : 6 * HINT_MS;
  bool told = false;
  sdm_console_interrupted = 0;
  for (uint32_t waited = 0; waited < MAIN_MS; waited += HINT_MS) {
    int rc = sdm_session_wait(c->s, all, HINT_MS, &sdm_console_interrupted);
    if (rc == -EINTR) {
      sdm_console_interrupted = 0;
      struct sdm_set *still = sdm_set_intersect(sdm_set_copy(all), c->s->running);
      sdm_console_interrupt_all(c, still);
      sdm_set_free(still);
      sdm_session_wait(c->s, all, 5000, &sdm_console_interrupted);
    }
    if (rc != -ETIMEDOUT)
      return;
    if (!told && waited + HINT_MS >= patience_ms) {
      sdm_show_late_main(&c->show, c->s->running);
      told = true;
    }
  }
}

static void run(struct sdm_console *c, json_t *j, bool background) {
  char *name = sdm_strdup(json_string_value(json_object_get(j, "cmd")));
  sdm_console_note_nobody(c);
  choose_stop_all(c);
  struct sdm_answer *a = sdm_session_go(c->s, c->to, j, c->timeout_ms);
  if (sdm_console_had_errors(a)) {
    sdm_show_answer(&c->show, name, a);
    c->failed = true;
  }
  sdm_answer_free(a);
  free(name);
  c->frame = -1;
  if (!background)
    sdm_console_wait_for(c, c->to);
}

static bool take_background(char *arg) {
  size_t n = strlen(arg);
  if (!n || arg[n - 1] != '&')
    return false;
  while (n && (arg[n - 1] == '&' || isspace((unsigned char)arg[n - 1])))
    arg[--n] = 0;
  return true;
}

static void step_like(struct sdm_console *c, const char *name, char *arg) {
  bool background = take_background(arg);
  json_t *j = sdm_console_request(c, name);
  json_object_del(j, "frame");
  if (*arg)
    json_object_set_new(j, "count", json_integer(atoll(arg)));
  run(c, j, background);
}

void sdm_console_do_continue(struct sdm_console *c, char *arg) { step_like(c, "continue", arg); }
void sdm_console_do_step(struct sdm_console *c, char *arg) { step_like(c, "step", arg); }
void sdm_console_do_next(struct sdm_console *c, char *arg) { step_like(c, "next", arg); }
void sdm_console_do_stepi(struct sdm_console *c, char *arg) { step_like(c, "stepi", arg); }
void sdm_console_do_nexti(struct sdm_console *c, char *arg) { step_like(c, "nexti", arg); }
void sdm_console_do_finish(struct sdm_console *c, char *arg) { step_like(c, "finish", arg); }

/* A launcher starts the ranks of an MPI job once, and all of them: so the whole job again, with servers and all. */
static void run_job_anew(struct sdm_console *c) {
  if (!sdm_set_equal(c->to, c->s->all)) {
    sdm_console_fail(c, "the launcher of an MPI job starts all ranks or none: use 'run' for all of them");
    return;
  }
  c->stops_at_end = false;
  c->frame = -1;
  c->thread = 0;
  if (!c->again(c->again_arg)) {
    sdm_console_set_breaks_again(c);
    return;
  }
  c->failed = c->quit = true; /* there is nobody any more */
}

void sdm_console_do_run(struct sdm_console *c, char *arg) {
  bool background = take_background(arg);
  choose_stop_all(c);
  if (c->again && c->is_mpi == 1)
    run_job_anew(c);
  else if (c->program)
    run(c, json_deep_copy(c->program), background);
  else
    sdm_console_fail(c, "there is no program to start");
}
void sdm_console_do_start(struct sdm_console *c, char *arg) {
  char place[] = "main";
  sdm_console_do_tbreak(c, place);
  if (!c->failed)
    sdm_console_do_run(c, arg);
}
void sdm_console_do_until(struct sdm_console *c, char *arg) {
  bool background = take_background(arg);
  run(c, sdm_console_with_text(c, "until", "where", arg), background);
}
void sdm_console_do_advance(struct sdm_console *c, char *arg) {
  bool background = take_background(arg);
  run(c, sdm_console_with_text(c, "advance", "where", arg), background);
}
void sdm_console_do_wait(struct sdm_console *c, char *arg) {
  uint32_t ms = *arg ? (uint32_t)(atof(arg) * 1000) : 0;
  if (!ms && sdm_set_overlaps(c->to, c->s->running))
    sdm_console_wait_for(c, c->to);
  else if (!ms)
    return;
  else if (sdm_session_wait(c->s, c->to, ms, &sdm_console_interrupted)) {
    struct sdm_set *still = sdm_set_intersect(sdm_set_copy(c->to), c->s->running);
    sdm_show_running(&c->show, still);
    sdm_set_free(still);
    c->failed = true;
  }
}
void sdm_console_do_interrupt(struct sdm_console *c, char *arg) {
  (void)arg;
  struct sdm_set *runs = sdm_set_intersect(sdm_set_copy(c->to), c->s->running);
  if (sdm_set_is_empty(runs) && !c->show.json && !sdm_set_is_empty(c->to))
    fprintf(c->show.out, "none of them is running\n");
  sdm_console_interrupt_all(c, runs);
  sdm_session_wait(c->s, runs, c->timeout_ms, &sdm_console_interrupted);
  sdm_set_free(runs);
}
void sdm_console_do_kill(struct sdm_console *c, char *arg) {
  (void)arg;
  sdm_console_ask_and_show(c, json_pack("{s:s}", "cmd", "kill"));
}
void sdm_console_do_detach(struct sdm_console *c, char *arg) {
  (void)arg;
  sdm_console_ask_and_show(c, json_pack("{s:s}", "cmd", "detach"));
}

void sdm_console_run_until_any(struct sdm_console *c) {
  struct sdm_set *set = sdm_set_intersect(sdm_set_copy(c->to), c->s->stopped), *runs = sdm_set_new();
  sdm_answer_free(sdm_session_go(c->s, set, json_pack("{s:s}", "cmd", "continue"), c->timeout_ms));
  sdm_console_interrupted = 0;
  while (!sdm_console_interrupted && sdm_set_overlaps(set, c->s->running) && !sdm_set_overlaps(set, c->s->stopped))
    sdm_session_step(c->s, 50);
  sdm_set_intersect(sdm_set_assign(runs, set), c->s->running);
  sdm_console_interrupt_all(c, runs);
  sdm_session_wait(c->s, runs, c->timeout_ms, NULL);
  sdm_set_free(runs);
  sdm_set_free(set);
  c->frame = -1;
}

/* Each rank stops as it arrives; who does not arrive is named. */
void sdm_console_do_barrier(struct sdm_console *c, char *arg) {
  char *where = sdm_strdup(arg);
  json_t *j = sdm_console_break_words(arg);
  long long id = c->next_break;
  json_object_set_new(j, "temporary", json_integer(1));
  sdm_console_add_break(c, j, where);
  struct sdm_answer *a = sdm_session_go(c->s, c->to, json_pack("{s:s}", "cmd", "continue"), c->timeout_ms);
  sdm_answer_free(a);
  sdm_console_interrupted = 0;
  int rc = sdm_session_wait(c->s, c->to, c->timeout_ms, &sdm_console_interrupted);
  struct sdm_set *arrived = sdm_set_new();
  for (size_t i = 0; i < c->s->nplaces; i++)
    if (json_integer_value(json_object_get(c->s->places[i].event, "bp")) == id)
      sdm_set_union(arrived, c->s->places[i].set);
  struct sdm_set *missing = sdm_set_diff(sdm_set_copy(c->to), arrived);
  if (!sdm_set_is_empty(missing)) {
    struct dvm_text t = DVM_TEXT_INIT;
    char *ranks = sdm_set_text(missing);
    dvm_text_printf(&t, "%u did not arrive at %s%s: {%s}", sdm_set_size(missing), where, rc == -ETIMEDOUT ? " in time" : "", ranks);
    sdm_console_fail(c, dvm_text_str(&t));
    dvm_text_fini(&t);
    free(ranks);
  }
  sdm_set_free(missing);
  sdm_set_free(arrived);
  free(where);
}

/* One look at where those of 'set' are who run; they run on.  Adds to 'into', as sample 'at' of 'n'. */
static void take_sample(struct sdm_console *c, const struct sdm_set *set, uint32_t at, uint32_t n, struct sdm_answer *into) {
  struct sdm_set *runs = sdm_set_intersect(sdm_set_copy(set), c->s->running);
  sdm_console_interrupt_all(c, runs);
  sdm_session_wait(c->s, runs, c->timeout_ms, &sdm_console_interrupted);
  sdm_set_intersect(runs, c->s->stopped);
  struct sdm_answer *a =
      sdm_session_ask(c->s, runs, json_pack("{s:s, s:s}", "cmd", "stack", "reduce", "tree"), SDM_REDUCE_TREE, c->timeout_ms);
  for (size_t i = 0; i < a->n; i++) {
    const struct sdm_class *k = &a->classes[i];
    struct sdm_prefix *p = k->kind == SDM_CLASS_OK ? sdm_prefix_decode(k->body.p, k->body.len) : NULL;
    struct sdm_bytes body = {0};
    if (p) {
      sdm_prefix_renumber(p, n, at);
      sdm_prefix_encode(p, &body);
      sdm_answer_add(into, SDM_CLASS_OK, k->set, body.p, body.len, NULL, 0, 0);
    }
    sdm_bytes_fini(&body);
    sdm_prefix_free(p);
  }
  sdm_answer_free(a);
  if (at + 1 < n)
    sdm_answer_free(sdm_session_go(c->s, runs, json_pack("{s:s}", "cmd", "continue"), c->timeout_ms));
  sdm_set_free(runs);
}

/* Stops the runs a few times and shows all that was seen as one tree: where the time goes, and whose. */
void sdm_console_do_sample(struct sdm_console *c, char *arg) {
  char *end;
  uint32_t n = (uint32_t)strtoul(arg, &end, 10);
  double pause = atof(end);
  struct sdm_answer *all = sdm_answer_new(SDM_REDUCE_TREE);
  n = n ? n : 10;
  sdm_console_interrupted = 0;
  for (uint32_t at = 0; at < n && !sdm_console_interrupted && n <= 1000; at++) {
    int64_t until = sdm_now_us() + (int64_t)((pause > 0 ? pause : 0.1) * 1e6);
    while (at && !sdm_console_interrupted && sdm_now_us() < until)
      sdm_session_step(c->s, 20);
    take_sample(c, c->to, at, n, all);
  }
  sdm_console_forget_news(c); /* these stops were ours */
  if (all->n)
    sdm_show_tree(&c->show, all, SDM_TREE_SAMPLES, n);
  else
    sdm_console_fail(c, n > 1000 ? "at most 1000 samples" : "none of them is running; 'continue &' sets them going");
  sdm_answer_free(all);
}
