#include "sdm/console.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdm/prefix.h"
#ifdef SDM_HAVE_LIBEDIT
#include <editline/readline.h>
#endif

#define TIMEOUT_MS 10000u
#define SOURCE_DEPTH 16

struct breakpoint {
  long long id;
  char *what;
  struct sdm_set *set;
  bool enabled;
};

struct sdm_console {
  struct sdm_session *s;
  struct sdm_show show;
  struct sdm_names names;
  char *focus; /* an expression, so that it may be live */
  struct sdm_set *to;    /* ranks of the command at hand */
  long long frame, thread;
  struct breakpoint *breaks;
  size_t nbreaks;
  long long next_break;
  uint32_t timeout_ms;
  unsigned depth;
  struct sdm_place *news; /* events that were not shown yet, merged */
  size_t nnews;
  bool quit, failed;
  json_t *program; /* the command that started the programs */
};

static volatile atomic_int interrupted;

void sdm_console_interrupt(void) { interrupted = 1; }
bool sdm_console_quit(const struct sdm_console *c) { return c->quit; }

static void fail(struct sdm_console *c, const char *text) {
  sdm_show_error(&c->show, text);
  c->failed = true;
}

/* Equal events of many ranks come in a few messages; they are shown as one, when the command is done. */
static void on_event(void *arg, const struct sdm_set *ids, const json_t *event) {
  struct sdm_console *c = arg;
  for (size_t i = c->nnews; i-- > 0;) {
    if (json_equal(c->news[i].event, (json_t *)event)) {
      sdm_set_union(c->news[i].set, ids);
      return;
    }
    if (sdm_set_overlaps(c->news[i].set, ids))
      break;
  }
  c->news = sdm_realloc(c->news, (c->nnews + 1) * sizeof(*c->news));
  c->news[c->nnews++] = (struct sdm_place){ json_incref((json_t *)event), sdm_set_copy(ids) };
}

static sdm_id lowest(const struct sdm_set *set) {
  struct sdm_set_iter it = sdm_set_iter(set);
  sdm_id id = SDM_ID_NONE;
  sdm_set_iter_id(&it, &id);
  return id;
}

/* Events of different ranks have no order among them: shown by rank.  Those of one rank keep theirs. */
static void order_news(struct sdm_console *c) {
  for (size_t i = 1; i < c->nnews; i++)
    for (size_t k = i; k > 0 && lowest(c->news[k].set) < lowest(c->news[k - 1].set) &&
                       !sdm_set_overlaps(c->news[k].set, c->news[k - 1].set); k--) {
      struct sdm_place t = c->news[k];
      c->news[k] = c->news[k - 1];
      c->news[k - 1] = t;
    }
}

static void show_news(struct sdm_console *c) {
  order_news(c);
  for (size_t i = 0; i < c->nnews; i++) {
    sdm_show_event(&c->show, c->news[i].set, c->news[i].event);
    sdm_set_free(c->news[i].set);
    json_decref(c->news[i].event);
  }
  c->nnews = 0;
}
static void on_output(void *arg, const struct sdm_set *ids, unsigned stream, const void *p, size_t len) {
  sdm_show_output(&((struct sdm_console *)arg)->show, ids, stream, p, len);
}
static void on_lost(void *arg, const struct sdm_set *ids, const char *why) {
  sdm_show_lost(&((struct sdm_console *)arg)->show, ids, why);
}
static void on_late(void *arg, const struct sdm_answer *a) {
  sdm_show_answer(&((struct sdm_console *)arg)->show, "late", a);
}

struct sdm_console *sdm_console_new(struct sdm_session *s, const struct sdm_show *show) {
  struct sdm_console *c = sdm_alloc(sizeof(*c));
  *c = (struct sdm_console){ .s = s, .show = *show, .focus = sdm_strdup("all"), .frame = -1, .next_break = 1,
                             .timeout_ms = TIMEOUT_MS };
  s->on_event = on_event;
  s->on_output = on_output;
  s->on_lost = on_lost;
  s->on_late = on_late;
  s->arg = c;
  return c;
}

void sdm_console_program(struct sdm_console *c, const json_t *command) {
  json_decref(c->program);
  c->program = json_deep_copy(command);
}

void sdm_console_free(struct sdm_console *c) {
  if (!c)
    return;
  for (size_t i = 0; i < c->nbreaks; i++) {
    free(c->breaks[i].what);
    sdm_set_free(c->breaks[i].set);
  }
  free(c->breaks);
  for (size_t i = 0; i < c->nnews; i++) {
    sdm_set_free(c->news[i].set);
    json_decref(c->news[i].event);
  }
  free(c->news);
  sdm_names_fini(&c->names);
  free(c->focus);
  json_decref(c->program);
  c->s->on_event = NULL;
  c->s->on_output = NULL;
  c->s->on_lost = NULL;
  c->s->on_late = NULL;
  free(c);
}

/* A command with the thread and frame at hand. */
static json_t *command(struct sdm_console *c, const char *name) {
  json_t *j = json_pack("{s:s}", "cmd", name);
  if (c->thread > 0)
    json_object_set_new(j, "thread", json_integer(c->thread));
  if (c->frame >= 0)
    json_object_set_new(j, "frame", json_integer(c->frame));
  return j;
}

static bool had_errors(const struct sdm_answer *a) {
  for (size_t i = 0; i < a->n; i++)
    if (a->classes[i].kind == SDM_CLASS_ERROR)
      return true;
  return !sdm_set_is_empty(a->dead) || !sdm_set_is_empty(a->timed_out) || !sdm_set_is_empty(a->unreachable);
}

static struct sdm_answer *ask(struct sdm_console *c, json_t *j, uint8_t reducer) {
  return sdm_session_ask(c->s, c->to, j, reducer, c->timeout_ms);
}

static void ask_and_show(struct sdm_console *c, json_t *j) {
  char *name = sdm_strdup(json_string_value(json_object_get(j, "cmd")));
  struct sdm_answer *a = ask(c, j, SDM_REDUCE_SAME);
  sdm_show_answer(&c->show, name, a);
  c->failed |= had_errors(a);
  sdm_answer_free(a);
  free(name);
}

static json_t *with_text(struct sdm_console *c, const char *name, const char *key, const char *text) {
  json_t *j = command(c, name);
  json_object_set_new(j, key, json_string(text));
  return j;
}

/* Execution. */
static void interrupt_all(struct sdm_console *c, const struct sdm_set *set) {
  sdm_answer_free(sdm_session_ask(c->s, set, json_pack("{s:s}", "cmd", "interrupt"), SDM_REDUCE_SAME, c->timeout_ms));
}

static void wait_for(struct sdm_console *c, const struct sdm_set *set) { /* ^C stops them, a second one the wait */
  interrupted = 0;
  while (sdm_session_wait(c->s, set, 0, &interrupted) == -EINTR) {
    interrupted = 0;
    struct sdm_set *still = sdm_set_intersect(sdm_set_copy(set), c->s->running);
    interrupt_all(c, still);
    sdm_set_free(still);
    if (sdm_session_wait(c->s, set, 5000, &interrupted) != -EINTR)
      break; /* a second ^C gives the prompt back */
  }
}

static void run(struct sdm_console *c, json_t *j, bool background) {
  char *name = sdm_strdup(json_string_value(json_object_get(j, "cmd")));
  struct sdm_answer *a = sdm_session_go(c->s, c->to, j, c->timeout_ms);
  if (had_errors(a)) {
    sdm_show_answer(&c->show, name, a);
    c->failed = true;
  }
  sdm_answer_free(a);
  free(name);
  c->frame = -1;
  if (!background)
    wait_for(c, c->to);
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
  json_t *j = command(c, name);
  json_object_del(j, "frame");
  if (*arg)
    json_object_set_new(j, "count", json_integer(atoll(arg)));
  run(c, j, background);
}

static void do_continue(struct sdm_console *c, char *arg) { step_like(c, "continue", arg); }
static void do_step(struct sdm_console *c, char *arg) { step_like(c, "step", arg); }
static void do_next(struct sdm_console *c, char *arg) { step_like(c, "next", arg); }
static void do_stepi(struct sdm_console *c, char *arg) { step_like(c, "stepi", arg); }
static void do_finish(struct sdm_console *c, char *arg) { step_like(c, "finish", arg); }
static void do_run(struct sdm_console *c, char *arg) {
  bool background = take_background(arg);
  if (c->program)
    run(c, json_deep_copy(c->program), background);
  else
    fail(c, "there is no program to start");
}
static void do_until(struct sdm_console *c, char *arg) {
  bool background = take_background(arg);
  run(c, with_text(c, "until", "where", arg), background);
}
static void do_wait(struct sdm_console *c, char *arg) {
  uint32_t ms = *arg ? (uint32_t)(atof(arg) * 1000) : 0;
  if (!ms)
    wait_for(c, c->to);
  else if (sdm_session_wait(c->s, c->to, ms, &interrupted))
    fail(c, "some are still running");
}
static void do_interrupt(struct sdm_console *c, char *arg) {
  (void)arg;
  struct sdm_set *runs = sdm_set_intersect(sdm_set_copy(c->to), c->s->running);
  interrupt_all(c, runs);
  sdm_session_wait(c->s, runs, c->timeout_ms, &interrupted);
  sdm_set_free(runs);
}
static void do_kill(struct sdm_console *c, char *arg) {
  (void)arg;
  ask_and_show(c, json_pack("{s:s}", "cmd", "kill"));
}
static void do_detach(struct sdm_console *c, char *arg) {
  (void)arg;
  ask_and_show(c, json_pack("{s:s}", "cmd", "detach"));
}

/* Breakpoints. */
static void add_break(struct sdm_console *c, json_t *j, const char *what) {
  long long id = c->next_break++;
  json_object_set_new(j, "id", json_integer(id));
  struct sdm_answer *a = ask(c, j, SDM_REDUCE_SAME);
  struct sdm_set *set = sdm_set_new();
  for (size_t i = 0; i < a->n; i++)
    if (a->classes[i].kind == SDM_CLASS_OK)
      sdm_set_union(set, a->classes[i].set);
  sdm_show_answer(&c->show, "break", a);
  c->failed |= had_errors(a);
  sdm_answer_free(a);
  c->breaks = sdm_realloc(c->breaks, (c->nbreaks + 1) * sizeof(*c->breaks));
  c->breaks[c->nbreaks++] = (struct breakpoint){ id, sdm_strdup(what), set, true };
}

/* "WHERE [if CONDITION]" */
static json_t *break_words(char *arg) {
  char *condition = strstr(arg, " if ");
  json_t *j = json_pack("{s:s}", "cmd", "break");
  if (!strncmp(arg, "if ", 3))
    condition = arg - 1;
  if (condition) {
    json_object_set_new(j, "condition", json_string(condition + 4));
    if (condition >= arg)
      *condition = 0;
  }
  json_object_set_new(j, "where", json_string(arg));
  return j;
}

static void do_break(struct sdm_console *c, char *arg) {
  char *what = sdm_strdup(arg);
  add_break(c, break_words(arg), what);
  free(what);
}
static void do_tbreak(struct sdm_console *c, char *arg) {
  char *what = sdm_strdup(arg);
  json_t *j = break_words(arg);
  json_object_set_new(j, "temporary", json_integer(1));
  add_break(c, j, what);
  free(what);
}
static void do_watch(struct sdm_console *c, char *arg) {
  json_t *j = json_pack("{s:s}", "cmd", "watch");
  if (arg[0] == '-' && (arg[1] == 'r' || arg[1] == 'a')) {
    json_object_set_new(j, "access", json_string(arg[1] == 'r' ? "read" : "any"));
    arg += 2 + strspn(arg + 2, " ");
  }
  json_object_set_new(j, "expression", json_string(arg));
  add_break(c, j, arg);
}

static struct breakpoint *find_break(struct sdm_console *c, char **arg) {
  long long id = strtoll(*arg, arg, 10);
  *arg += strspn(*arg, " ");
  for (size_t i = 0; i < c->nbreaks; i++)
    if (c->breaks[i].id == id)
      return &c->breaks[i];
  fail(c, "there is no such breakpoint; 'info breakpoints' lists them");
  return NULL;
}

static void break_change(struct sdm_console *c, const char *name, char *arg) {
  struct breakpoint *b = find_break(c, &arg);
  if (!b)
    return;
  json_t *j = json_pack("{s:s, s:I}", "cmd", name, "id", (json_int_t)b->id);
  if (!strcmp(name, "condition"))
    json_object_set_new(j, "condition", json_string(arg));
  if (!strcmp(name, "ignore"))
    json_object_set_new(j, "count", json_integer(atoll(arg)));
  struct sdm_set *to = sdm_set_intersect(sdm_set_copy(c->to), b->set), *old = c->to;
  c->to = to;
  ask_and_show(c, j);
  c->to = old;
  if (!strcmp(name, "delete"))
    sdm_set_diff(b->set, to);
  else if (*name == 'e' || *name == 'd')
    b->enabled = *name == 'e';
  sdm_set_free(to);
}
static void do_delete(struct sdm_console *c, char *arg) { break_change(c, "delete", arg); }
static void do_enable(struct sdm_console *c, char *arg) { break_change(c, "enable", arg); }
static void do_disable(struct sdm_console *c, char *arg) { break_change(c, "disable", arg); }
static void do_condition(struct sdm_console *c, char *arg) { break_change(c, "condition", arg); }
static void do_ignore(struct sdm_console *c, char *arg) { break_change(c, "ignore", arg); }

/* Each rank stops as it arrives; who does not arrive is named. */
static void do_barrier(struct sdm_console *c, char *arg) {
  char *where = sdm_strdup(arg);
  json_t *j = break_words(arg);
  long long id = c->next_break;
  json_object_set_new(j, "temporary", json_integer(1));
  add_break(c, j, where);
  struct sdm_answer *a = sdm_session_go(c->s, c->to, json_pack("{s:s}", "cmd", "continue"), c->timeout_ms);
  sdm_answer_free(a);
  interrupted = 0;
  int rc = sdm_session_wait(c->s, c->to, c->timeout_ms, &interrupted);
  struct sdm_set *arrived = sdm_set_new();
  for (size_t i = 0; i < c->s->nplaces; i++)
    if (json_integer_value(json_object_get(c->s->places[i].event, "bp")) == id)
      sdm_set_union(arrived, c->s->places[i].set);
  struct sdm_set *missing = sdm_set_diff(sdm_set_copy(c->to), arrived);
  if (!sdm_set_is_empty(missing)) {
    struct dvm_text t = DVM_TEXT_INIT;
    char *ranks = sdm_set_text(missing);
    dvm_text_printf(&t, "%u did not arrive at %s%s: {%s}", sdm_set_size(missing), where,
                    rc == -ETIMEDOUT ? " in time" : "", ranks);
    fail(c, dvm_text_str(&t));
    dvm_text_fini(&t);
    free(ranks);
  }
  sdm_set_free(missing);
  sdm_set_free(arrived);
  free(where);
}

/* Looking. */
static void do_bt(struct sdm_console *c, char *arg) {
  if (strncmp(arg, "-m", 2)) {
    json_t *j = command(c, "stack");
    if (*arg)
      json_object_set_new(j, "high", json_integer(atoll(arg) - 1));
    ask_and_show(c, j);
    return;
  }
  const char *form = arg + 2 + strspn(arg + 2, " ");
  json_t *j = command(c, "stack");
  json_object_set_new(j, "reduce", json_string("tree"));
  struct sdm_answer *a = ask(c, j, SDM_REDUCE_TREE);
  sdm_show_tree(&c->show, a, !strcmp(form, "folded") ? SDM_TREE_FOLDED : !strcmp(form, "dot") ? SDM_TREE_DOT : SDM_TREE_TEXT, 1);
  c->failed |= had_errors(a);
  sdm_answer_free(a);
}

/* One look at where those of 'set' are who run; they run on.  Adds to 'into', as sample 'at' of 'n'. */
static void take_sample(struct sdm_console *c, const struct sdm_set *set, uint32_t at, uint32_t n, struct sdm_answer *into) {
  struct sdm_set *runs = sdm_set_intersect(sdm_set_copy(set), c->s->running);
  interrupt_all(c, runs);
  sdm_session_wait(c->s, runs, c->timeout_ms, &interrupted);
  sdm_set_intersect(runs, c->s->stopped);
  struct sdm_answer *a = sdm_session_ask(c->s, runs, json_pack("{s:s, s:s}", "cmd", "stack", "reduce", "tree"),
                                         SDM_REDUCE_TREE, c->timeout_ms);
  for (size_t i = 0; i < a->n; i++) {
    const struct sdm_class *k = &a->classes[i];
    struct sdm_prefix *p = k->kind == SDM_CLASS_OK ? sdm_prefix_decode(k->body.p, k->body.len) : NULL;
    struct sdm_bytes body = { 0 };
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
static void do_sample(struct sdm_console *c, char *arg) {
  char *end;
  uint32_t n = (uint32_t)strtoul(arg, &end, 10);
  double pause = atof(end);
  struct sdm_answer *all = sdm_answer_new(SDM_REDUCE_TREE);
  n = n ? n : 10;
  interrupted = 0;
  for (uint32_t at = 0; at < n && !interrupted && n <= 1000; at++) {
    int64_t until = sdm_now_us() + (int64_t)((pause > 0 ? pause : 0.1) * 1e6);
    while (at && !interrupted && sdm_now_us() < until)
      sdm_session_step(c->s, 20);
    take_sample(c, c->to, at, n, all);
  }
  for (size_t i = 0; i < c->nnews; i++) { /* these stops were ours */
    sdm_set_free(c->news[i].set);
    json_decref(c->news[i].event);
  }
  c->nnews = 0;
  if (all->n)
    sdm_show_tree(&c->show, all, SDM_TREE_SAMPLES, n);
  else
    fail(c, n > 1000 ? "at most 1000 samples" : "none of them runs");
  sdm_answer_free(all);
}

static void show_frame(struct sdm_console *c) {
  json_t *j = command(c, "stack");
  json_object_set_new(j, "low", json_integer(c->frame > 0 ? c->frame : 0));
  json_object_set_new(j, "high", json_integer(c->frame > 0 ? c->frame : 0));
  json_object_del(j, "frame");
  ask_and_show(c, j);
}
static void do_frame(struct sdm_console *c, char *arg) {
  if (*arg)
    c->frame = atoll(arg);
  show_frame(c);
}
static void do_up(struct sdm_console *c, char *arg) {
  c->frame = (c->frame > 0 ? c->frame : 0) + (*arg ? atoll(arg) : 1);
  show_frame(c);
}
static void do_down(struct sdm_console *c, char *arg) {
  c->frame -= *arg ? atoll(arg) : 1;
  c->frame = c->frame < 0 ? 0 : c->frame;
  show_frame(c);
}
static void do_locals(struct sdm_console *c, char *arg) {
  (void)arg;
  ask_and_show(c, with_text(c, "variables", "kind", "locals"));
}
static void do_args(struct sdm_console *c, char *arg) {
  (void)arg;
  ask_and_show(c, with_text(c, "variables", "kind", "args"));
}

/* Asks once more, for those alone that are more than two deviations from the mean. */
static void show_outliers(struct sdm_console *c, const char *expression, const struct sdm_answer *a) {
  struct sdm_stats s;
  if (!a->n || a->classes[0].kind != SDM_CLASS_OK || sdm_stats_decode(&s, a->classes[0].body.p, a->classes[0].body.len))
    return;
  double mean = s.sum / (double)s.count, variance = s.sum_squares / (double)s.count - mean * mean;
  double limit = variance > 0 ? 2 * sqrt(variance) : 0;
  if (limit <= 0 || (s.max - mean <= limit && mean - s.min <= limit))
    return;
  json_t *j = with_text(c, "evaluate", "expression", expression);
  json_object_set_new(j, "reduce", json_string("outliers"));
  json_object_set_new(j, "mean", json_real(mean));
  json_object_set_new(j, "limit", json_real(limit));
  struct sdm_answer *far = ask(c, j, SDM_REDUCE_SAME);
  for (size_t i = 0; i < far->n; i++) /* the others' class has no value */
    if (far->classes[i].kind == SDM_CLASS_OK && far->classes[i].body.len <= 2) {
      struct sdm_set *near = sdm_set_copy(far->classes[i].set);
      sdm_answer_remove(far, near);
      sdm_set_free(near);
      break;
    }
  if (!c->show.json)
    fprintf(c->show.out, "more than two deviations from the mean:\n");
  sdm_show_answer(&c->show, "outliers", far);
  sdm_answer_free(far);
}

static void do_print(struct sdm_console *c, char *arg) {
  if (strncmp(arg, "-s ", 3)) {
    ask_and_show(c, with_text(c, "evaluate", "expression", arg));
    return;
  }
  json_t *j = with_text(c, "evaluate", "expression", arg + 3);
  json_object_set_new(j, "reduce", json_string("stats"));
  struct sdm_answer *a = ask(c, j, SDM_REDUCE_STATS);
  sdm_show_stats(&c->show, arg + 3, a);
  c->failed |= had_errors(a);
  show_outliers(c, arg + 3, a);
  sdm_answer_free(a);
}

/* The value most ranks have, and those who differ. */
static void do_diff(struct sdm_console *c, char *arg) {
  struct sdm_answer *a = ask(c, with_text(c, "evaluate", "expression", arg), SDM_REDUCE_SAME);
  size_t most = 0;
  for (size_t i = 1; i < a->n; i++)
    if (sdm_set_size(a->classes[i].set) > sdm_set_size(a->classes[most].set))
      most = i;
  if (a->n == 1 && !had_errors(a) && !c->show.json) {
    fprintf(c->show.out, "all alike: ");
    sdm_show_answer(&c->show, "diff", a);
  } else {
    if (a->n && most) { /* the rule first, then the exceptions */
      struct sdm_class k = a->classes[0];
      a->classes[0] = a->classes[most];
      a->classes[most] = k;
    }
    sdm_show_answer(&c->show, "diff", a);
  }
  c->failed |= had_errors(a);
  sdm_answer_free(a);
}

static void do_ptype(struct sdm_console *c, char *arg) { ask_and_show(c, with_text(c, "type", "expression", arg)); }
static void do_raw(struct sdm_console *c, char *arg) { ask_and_show(c, with_text(c, "raw", "text", arg)); }
static void do_handle(struct sdm_console *c, char *arg) { ask_and_show(c, with_text(c, "handle", "what", arg)); }
static void do_x(struct sdm_console *c, char *arg) {
  char *end;
  long long count = 64;
  if (*arg == '/') {
    count = strtoll(arg + 1, &end, 10);
    arg = end + strspn(end, " ");
  }
  json_t *j = with_text(c, "memory", "address", arg);
  json_object_set_new(j, "count", json_integer(count));
  ask_and_show(c, j);
}

static void do_set(struct sdm_console *c, char *arg) {
  if (!strncmp(arg, "var ", 4)) {
    char *eq = strchr(arg, '=');
    if (!eq) {
      fail(c, "expected: set var NAME = VALUE");
      return;
    }
    *eq = 0;
    json_t *j = with_text(c, "evaluate", "expression", arg + 4);
    json_object_set_new(j, "value", json_string(eq + 1 + strspn(eq + 1, " ")));
    ask_and_show(c, j);
  } else if (!strncmp(arg, "timeout ", 8) && atof(arg + 8) > 0)
    c->timeout_ms = (uint32_t)(atof(arg + 8) * 1000);
  else
    fail(c, "expected: set var NAME = VALUE, or set timeout SECONDS");
}

static void show_breaks(struct sdm_console *c) {
  for (size_t i = 0; i < c->nbreaks; i++) {
    struct breakpoint *b = &c->breaks[i];
    char *ranks = sdm_set_text(b->set);
    if (!sdm_set_is_empty(b->set) && c->show.json) {
      json_t *j = json_pack("{s:I, s:s, s:s, s:b}", "breakpoint", (json_int_t)b->id, "where", b->what, "ranks", ranks,
                            "enabled", b->enabled);
      char *text = json_dumps(j, JSON_COMPACT);
      fprintf(c->show.out, "%s\n", text);
      free(text);
      json_decref(j);
    } else if (!sdm_set_is_empty(b->set))
      fprintf(c->show.out, "%lld  %s  {%s}%s\n", b->id, b->what, ranks, b->enabled ? "" : "  disabled");
    free(ranks);
  }
}

static void do_info(struct sdm_console *c, char *arg) {
  if (!strncmp(arg, "b", 1))
    show_breaks(c);
  else if (!strncmp(arg, "reg", 3))
    ask_and_show(c, with_text(c, "registers", "names", strchr(arg, ' ') ? strchr(arg, ' ') + 1 : ""));
  else if (!strncmp(arg, "th", 2))
    ask_and_show(c, command(c, "threads"));
  else if (!strncmp(arg, "sig", 3))
    ask_and_show(c, with_text(c, "handle", "what", ""));
  else if (!strncmp(arg, "loc", 3))
    do_locals(c, arg);
  else
    sdm_show_status(&c->show, c->s);
}

static void do_status(struct sdm_console *c, char *arg) {
  (void)arg;
  sdm_show_status(&c->show, c->s);
}

static void do_thread(struct sdm_console *c, char *arg) {
  if (*arg)
    c->thread = atoll(arg);
  c->frame = -1;
  show_frame(c);
}

/* Sets, input, scripts. */
static void do_focus(struct sdm_console *c, char *arg) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct sdm_set *set = *arg ? sdm_select(c->s, &c->names, arg, &err) : NULL;
  if (*arg && !set) {
    fail(c, err.text);
    return;
  }
  if (set) {
    free(c->focus);
    c->focus = sdm_strdup(arg);
    sdm_set_free(set);
  } else
    fprintf(c->show.out, "%s\n", c->focus);
}
static void do_define(struct sdm_console *c, char *arg) {
  struct dvm_error err = DVM_ERROR_INIT;
  char *eq = strchr(arg, '=');
  size_t n = strcspn(arg, " =");
  struct sdm_set *set = eq && n ? sdm_select(c->s, &c->names, eq + 1 + strspn(eq + 1, " "), &err) : NULL;
  if (!set) {
    fail(c, eq ? err.text : "expected: define NAME = SET");
    return;
  }
  arg[n] = 0;
  sdm_names_set(&c->names, arg, eq + 1 + strspn(eq + 1, " "));
  sdm_set_free(set);
}
static void do_viewset(struct sdm_console *c, char *arg) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct sdm_set *set = *arg ? sdm_select(c->s, &c->names, arg, &err) : sdm_set_copy(c->to);
  if (!set) {
    fail(c, err.text);
    return;
  }
  char *ranks = sdm_set_text(set);
  if (c->show.json)
    fprintf(c->show.out, "{\"set\":\"%s\",\"size\":%u}\n", ranks, sdm_set_size(set));
  else
    fprintf(c->show.out, "{%s} %u\n", ranks, sdm_set_size(set));
  free(ranks);
  sdm_set_free(set);
}
static void do_input(struct sdm_console *c, char *arg) {
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_printf(&t, "%s\n", arg);
  sdm_input(c->s->ctx, c->to, false, t.s, t.len);
  dvm_text_fini(&t);
}
static void do_eof(struct sdm_console *c, char *arg) {
  (void)arg;
  sdm_input(c->s->ctx, c->to, true, "", 0);
}
static void do_source(struct sdm_console *c, char *arg) { c->failed |= sdm_console_script(c, arg) != 0; }
static void do_echo(struct sdm_console *c, char *arg) {
  if (!c->show.json) {
    fprintf(c->show.out, "%s\n", arg);
    return;
  }
  json_t *j = json_pack("{s:s}", "echo", arg);
  char *text = json_dumps(j, JSON_COMPACT);
  show_news(c); /* a mark in the stream: what came before it stands before it */
  fprintf(c->show.out, "%s\n", text);
  free(text);
  json_decref(j);
}
static void do_quit(struct sdm_console *c, char *arg) {
  (void)arg;
  c->quit = true;
}
static void do_help(struct sdm_console *c, char *arg);

static const struct command {
  const char *name, *alias;
  void (*fn)(struct sdm_console *c, char *arg);
  const char *help;
} commands[] = {
  { "args", "", do_args, "arguments of the frame" },
  { "barrier", "", do_barrier, "WHERE: run until every rank has stopped there; names those who do not come" },
  { "break", "b", do_break, "WHERE [if CONDITION]: stop there" },
  { "bt", "where", do_bt, "[N]: stack, innermost first; -m [folded|dot]: one merged tree of all ranks" },
  { "condition", "", do_condition, "N CONDITION: of a breakpoint; none: always" },
  { "continue", "c", do_continue, "run on until all of the set have stopped; '&': do not wait; ^C interrupts" },
  { "define", "", do_define, "NAME = SET: name a set; it stays live" },
  { "delete", "d", do_delete, "N: remove a breakpoint" },
  { "detach", "", do_detach, "leave the programs running" },
  { "diff", "", do_diff, "EXPRESSION: the value that most have, then those that differ" },
  { "disable", "", do_disable, "N: a breakpoint" },
  { "down", "", do_down, "[N]: frames inward" },
  { "echo", "", do_echo, "TEXT" },
  { "enable", "", do_enable, "N: a breakpoint" },
  { "eof", "", do_eof, "end the programs' standard input" },
  { "finish", "", do_finish, "run until the function returns" },
  { "focus", "f", do_focus, "SET: for the commands that follow" },
  { "frame", "", do_frame, "N: choose a frame" },
  { "gdb", "", do_raw, "COMMAND: as it is, to every gdb" },
  { "handle", "", do_handle, "SIGNAL ACTION...: as in gdb" },
  { "help", "h", do_help, "this" },
  { "ignore", "", do_ignore, "N COUNT: pass a breakpoint so often" },
  { "info", "i", do_info, "breakpoints, threads, registers [NAMES], signals, locals or ranks" },
  { "input", "", do_input, "TEXT: a line for the programs' standard input" },
  { "interrupt", "", do_interrupt, "stop those who run" },
  { "kill", "", do_kill, "end the programs" },
  { "locals", "", do_locals, "local variables of the frame" },
  { "next", "n", do_next, "[N]: lines, over calls" },
  { "print", "p", do_print, "EXPRESSION; -s EXPRESSION: statistics over the ranks, and who is far from the mean" },
  { "ptype", "", do_ptype, "EXPRESSION: its type" },
  { "quit", "q", do_quit, "end; what was started is killed, what was attached runs on" },
  { "run", "r", do_run, "start the programs anew; breakpoints stay" },
  { "sample", "", do_sample, "[N [SECONDS]]: stop those who run N times (10) and show where they were" },
  { "set", "", do_set, "var NAME = VALUE; timeout SECONDS" },
  { "source", "", do_source, "FILE: commands from a file" },
  { "status", "", do_status, "where everybody is" },
  { "step", "s", do_step, "[N]: lines, into calls" },
  { "stepi", "si", do_stepi, "[N]: machine instructions" },
  { "tbreak", "tb", do_tbreak, "WHERE [if CONDITION]: stop there once" },
  { "thread", "t", do_thread, "N: choose a thread" },
  { "until", "u", do_until, "WHERE: run until there" },
  { "up", "", do_up, "[N]: frames outward" },
  { "viewset", "", do_viewset, "[SET]: who is in it" },
  { "wait", "", do_wait, "[SECONDS]: until all of the set have stopped" },
  { "watch", "", do_watch, "[-r|-a] EXPRESSION: stop when it is written, read, or both" },
  { "x", "", do_x, "[/COUNT] ADDRESS: memory" },
};
#define NCOMMANDS (sizeof(commands) / sizeof(*commands))

static void do_help(struct sdm_console *c, char *arg) {
  for (size_t i = 0; i < NCOMMANDS; i++)
    if (!*arg || !strcmp(arg, commands[i].name) || !strcmp(arg, commands[i].alias))
      fprintf(c->show.out, "%-10s %-6s %s\n", commands[i].name, commands[i].alias, commands[i].help);
  if (!*arg)
    fprintf(c->show.out, "Before any command: [SET] or pRANKS, such as 'p0-3 bt' or '[stopped & !7] print x'\n");
}

/* The whole name, its alias, or a beginning that only one name has. */
static const struct command *find_command(const char *name) {
  const struct command *found = NULL;
  size_t n = strlen(name), fits = 0;
  for (size_t i = 0; i < NCOMMANDS; i++) {
    if (!strcmp(name, commands[i].name) || (n && !strcmp(name, commands[i].alias)))
      return &commands[i];
    if (!strncmp(name, commands[i].name, n)) {
      found = &commands[i];
      fits++;
    }
  }
  return fits == 1 ? found : NULL;
}

bool sdm_console_knows(const char *word) { return find_command(word) != NULL; }

/* "[SET] ..." or "p0-3.t2 ...".  Leaves 'line' at the command.  NULL: bad. */
static struct sdm_set *take_prefix(struct sdm_console *c, char **line, struct dvm_error *err) {
  char *p = *line, *end;
  const char *text = c->focus;
  if (*p == '[' && (end = strchr(p, ']'))) {
    *end = 0;
    text = p + 1;
    *line = end + 1;
  } else if (*p == 'p' && isdigit((unsigned char)p[1])) {
    end = p + strcspn(p, " \t");
    if (*end)
      *end++ = 0;
    char *thread = strstr(p, ".t");
    if (thread) {
      *thread = 0;
      c->thread = atoll(thread + 2);
    }
    text = p + 1;
    *line = end;
  }
  *line += strspn(*line, " \t");
  return sdm_select(c->s, &c->names, text, err);
}

/* Commands that look at programs leave out those that have ended, unless they were named or there are no others. */
static void drop_ended(struct sdm_console *c, const char *name) {
  static const char *const looking[] = { "args", "bt", "diff", "down", "frame", "locals", "print", "thread", "up", "x" };
  bool looks = false;
  for (size_t i = 0; i < sizeof(looking) / sizeof(*looking); i++)
    looks |= !strcmp(looking[i], name);
  struct sdm_set *rest = sdm_set_diff(sdm_set_copy(c->to), c->s->exited);
  if (looks && !sdm_set_is_empty(rest))
    sdm_set_assign(c->to, rest);
  sdm_set_free(rest);
}

int sdm_console_line(struct sdm_console *c, const char *text) {
  char *copy = sdm_strdup(text), *line = copy, word[32];
  struct dvm_error err = DVM_ERROR_INIT;
  size_t n = strlen(copy);
  long long thread = c->thread;
  c->failed = false;
  while (n && isspace((unsigned char)copy[n - 1]))
    copy[--n] = 0;
  line += strspn(line, " \t");
  if (*line && *line != '#') {
    const char *start = line;
    c->to = take_prefix(c, &line, &err);
    bool named = line != start;
    n = strcspn(line, " \t/");
    snprintf(word, sizeof(word), "%.*s", (int)n, line);
    line += n;
    line += strspn(line, " \t");
    const struct command *command = find_command(word);
    if (!c->to)
      fail(c, err.text);
    else if (!command) {
      char why[80];
      snprintf(why, sizeof(why), "there is no command '%s'; 'help' lists them", word);
      fail(c, why);
    } else {
      if (!named)
        drop_ended(c, command->name);
      struct sdm_set *to = c->to; /* a script inside has its own */
      command->fn(c, line);
      c->to = to;
      if (command->fn != do_thread)
        c->thread = thread;
    }
    sdm_set_free(c->to);
    c->to = NULL;
  }
  show_news(c);
  free(copy);
  fflush(c->show.out);
  return c->failed ? -1 : 0;
}

int sdm_console_script(struct sdm_console *c, const char *path) {
  FILE *in = c->depth < SOURCE_DEPTH ? fopen(path, "r") : NULL;
  char *line = NULL;
  size_t size = 0;
  int rc = 0;
  if (!in) {
    fail(c, c->depth < SOURCE_DEPTH ? "cannot read the script" : "scripts are nested too deep");
    return -1;
  }
  c->depth++;
  while (!rc && !c->quit && getline(&line, &size, in) > 0)
    rc = sdm_console_line(c, line);
  c->depth--;
  free(line);
  fclose(in);
  return rc;
}

static void prompt_text(struct sdm_console *c, char *out, size_t size) {
  bool plain = isdigit((unsigned char)c->focus[0]);
  snprintf(out, size, plain ? "p%s> " : "[%s]> ", c->focus);
}

/* Waits for input and lets events and output through meanwhile. */
static void idle(struct sdm_console *c, int fd) {
  struct pollfd p = { .fd = fd, .events = POLLIN };
  show_news(c);
  while (poll(&p, 1, 0) == 0) {
    sdm_session_step(c->s, 30);
    show_news(c);
  }
}

#ifdef SDM_HAVE_LIBEDIT
static struct sdm_console *editing;
static bool line_done;

static char *complete_command(const char *text, int state) {
  static size_t at;
  if (!state)
    at = 0;
  for (; at < NCOMMANDS; at++)
    if (!strncmp(commands[at].name, text, strlen(text)))
      return strdup(commands[at++].name);
  return NULL;
}

static char **complete(const char *text, int start, int end) {
  (void)end;
  return start ? NULL : rl_completion_matches(text, complete_command);
}

static void on_line(char *line) {
  line_done = true;
  if (!line) {
    editing->quit = true;
    return;
  }
  if (*line)
    add_history(line);
  rl_callback_handler_remove();
  sdm_console_line(editing, line);
  free(line);
}

static void interact_terminal(struct sdm_console *c) {
  char prompt[128];
  editing = c;
  rl_attempted_completion_function = complete;
  using_history();
  while (!c->quit) {
    prompt_text(c, prompt, sizeof(prompt));
    line_done = false;
    rl_callback_handler_install(prompt, on_line);
    while (!line_done) {
      idle(c, 0);
      rl_callback_read_char();
    }
  }
  rl_callback_handler_remove();
}
#endif

void sdm_console_interact(struct sdm_console *c, FILE *in) {
  char *line = NULL, prompt[128];
  size_t size = 0;
  bool terminal = isatty(fileno(in)) && !c->show.json;
#ifdef SDM_HAVE_LIBEDIT
  if (terminal && in == stdin && isatty(1)) {
    interact_terminal(c);
    return;
  }
#endif
  setvbuf(in, NULL, _IONBF, 0); /* what is buffered, poll does not see */
  while (!c->quit) {
    if (terminal) {
      prompt_text(c, prompt, sizeof(prompt));
      fprintf(c->show.out, "%s", prompt);
      fflush(c->show.out);
    }
    idle(c, fileno(in));
    if (getline(&line, &size, in) <= 0)
      break;
    sdm_console_line(c, line);
  }
  free(line);
}
