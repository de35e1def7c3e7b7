/* Commands of the console that look at programs, and change their data. */
#include <math.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sdm/console/console_private.h"
#include "sdm/console/waits.h"
#include "sdm/reduce.h"

/* In gdb's own words: local variables of frame after frame are rarely the same on two ranks. */
static void bt_full(struct sdm_console *c, const char *rest) {
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_printf(&t, "bt full%s", rest);
  sdm_console_ask_and_show(c, sdm_console_with_text(c, "raw", "text", dvm_text_str(&t)));
  dvm_text_fini(&t);
}

/* Whole stacks, whatever frame has been chosen. */
static json_t *stack_request(struct sdm_console *c, const char *name) {
  json_t *j = sdm_console_request(c, name);
  json_object_del(j, "frame");
  json_object_del(j, "outwards");
  json_object_del(j, "function");
  return j;
}

void sdm_console_do_bt(struct sdm_console *c, char *arg) {
  if (!strncmp(arg, "full", 4) || !strncmp(arg, "-full", 5)) {
    bt_full(c, arg + strcspn(arg, " "));
    return;
  }
  if (strncmp(arg, "-m", 2)) {
    json_t *j = stack_request(c, "stack");
    char *end;
    long long n = strtoll(arg, &end, 10);
    if (*arg && (*end || !n)) {
      json_decref(j);
      sdm_console_fail(c, "expected: bt [N], bt -N, bt full [N], bt -m [folded|dot] [all]");
      return;
    }
    if (n > 0)
      json_object_set_new(j, "high", json_integer(n - 1));
    else if (n < 0)
      json_object_set_new(j, "outermost", json_integer(-n));
    sdm_console_show_stack(c, j);
    return;
  }
  char *form = arg + 2 + strspn(arg + 2, " "), *all = strstr(form, "all");
  json_t *j = stack_request(c, all ? "inspect" : "stack");
  if (all) {
    json_object_set_new(j, "what", json_string("stacks"));
    *all = 0;
    while (*form && form[strlen(form) - 1] == ' ')
      form[strlen(form) - 1] = 0;
  }
  json_object_set_new(j, "reduce", json_string("tree"));
  struct sdm_answer *a = sdm_console_ask(c, j, SDM_REDUCE_TREE);
  sdm_show_tree(&c->show, a, !strcmp(form, "folded") ? SDM_TREE_FOLDED : !strcmp(form, "dot") ? SDM_TREE_DOT : SDM_TREE_TEXT, 1);
  c->failed |= sdm_console_had_errors(a);
  sdm_answer_free(a);
}

static bool is_answer(const struct sdm_answer *a) {
  bool any = false;
  for (size_t i = 0; i < a->n; i++)
    any |= a->classes[i].kind == SDM_CLASS_OK;
  return any;
}

/* False: no rank has it. */
static bool show_chosen(struct sdm_console *c) {
  json_t *j = sdm_console_request(c, "stack");
  json_object_set_new(j, "this", json_integer(1));
  struct sdm_answer *a = sdm_console_ask(c, j, SDM_REDUCE_SAME);
  bool any = is_answer(a);
  sdm_show_answer(&c->show, "stack", a);
  c->failed |= sdm_console_had_errors(a);
  sdm_answer_free(a);
  return any;
}

static void show_frame(struct sdm_console *c) {
  if (c->frame == CONSOLE_USER_FRAME) {
    show_chosen(c);
    return;
  }
  json_t *j = sdm_console_request(c, "stack");
  json_object_set_new(j, "low", json_integer(c->frame > 0 ? c->frame : 0));
  json_object_set_new(j, "high", json_integer(c->frame > 0 ? c->frame : 0));
  json_object_del(j, "frame");
  sdm_console_ask_and_show(c, j);
}
/* From the frame of each rank that was chosen by its source or function, so many outwards. */
static void move_from_chosen(struct sdm_console *c, long long by) {
  c->outwards += by;
  show_frame(c);
  if (c->failed)
    c->outwards -= by;
}

/* A frame that there is not is not chosen. */
static void choose_frame(struct sdm_console *c, long long frame) {
  long long was = c->frame;
  c->frame = frame < 0 ? 0 : frame;
  show_frame(c);
  if (c->failed)
    c->frame = was;
}
void sdm_console_do_frame(struct sdm_console *c, char *arg) {
  bool function = !strncmp(arg, "function ", 9);
  if (function || !strcmp(arg, "user")) {
    long long frame = c->frame, outwards = c->outwards;
    char before[sizeof(c->function)];
    strcpy(before, c->function);
    snprintf(c->function, sizeof(c->function), "%s", function ? arg + 9 + strspn(arg + 9, " ") : "");
    c->frame = CONSOLE_USER_FRAME;
    c->outwards = 0;
    if (!show_chosen(c)) { /* a frame that there is not is not chosen */
      c->frame = frame;
      c->outwards = outwards;
      strcpy(c->function, before);
    }
  } else if (*arg)
    choose_frame(c, atoll(arg));
  else
    show_frame(c);
}
static void move_frame(struct sdm_console *c, long long by) {
  if (c->frame == CONSOLE_USER_FRAME)
    move_from_chosen(c, by);
  else
    choose_frame(c, (c->frame > 0 ? c->frame : 0) + by);
}
void sdm_console_do_up(struct sdm_console *c, char *arg) { move_frame(c, *arg ? atoll(arg) : 1); }
void sdm_console_do_down(struct sdm_console *c, char *arg) { move_frame(c, *arg ? -atoll(arg) : -1); }
/* At another place than the last time it begins around the frame; else each gdb goes on from where it is. */
void sdm_console_do_list(struct sdm_console *c, char *arg) {
  struct dvm_text place = DVM_TEXT_INIT;
  char *who = sdm_set_text(c->to);
  dvm_text_printf(&place, "%llu %lld %lld %s", (unsigned long long)c->nevents, c->thread, c->frame, who);
  bool begins = !c->listed || strcmp(c->listed, dvm_text_str(&place));
  json_t *j = sdm_console_with_text(c, "list", "where", arg);
  if (begins && (!*arg || !strcmp(arg, "-")) && sdm_set_is_subset(c->to, c->s->stopped))
    json_object_set_new(j, "around", json_integer(1));
  else if (begins && isdigit((unsigned char)*arg)) /* lines of the file in which the frame is */
    json_object_set_new(j, "anew", json_integer(1));
  sdm_console_ask_and_show(c, j);
  free(c->listed);
  c->listed = c->failed ? NULL : sdm_strdup(dvm_text_str(&place));
  dvm_text_fini(&place);
  free(who);
}

void sdm_console_do_locals(struct sdm_console *c, char *arg) {
  (void)arg;
  sdm_console_show_variables(c, "locals");
}
void sdm_console_do_args(struct sdm_console *c, char *arg) {
  (void)arg;
  sdm_console_show_variables(c, "args");
}

static void set_real(json_t *j, const char *key, long double v) {
  char text[64];
  snprintf(text, sizeof(text), "%.21Lg", v);
  json_object_set_new(j, key, json_string(text));
}

/* Asks once more, for those alone that are more than two deviations from the mean. */
static void show_outliers(struct sdm_console *c, const char *expression, const struct sdm_answer *a) {
  struct sdm_stats s;
  if (!a->n || a->classes[0].kind != SDM_CLASS_OK || sdm_stats_decode(&s, a->classes[0].body.p, a->classes[0].body.len))
    return;
  long double limit = 2 * sqrtl(s.squares / (long double)s.count);
  if (!(limit > 0) || (s.max - s.mean <= limit && s.mean - s.min <= limit))
    return;
  json_t *j = sdm_console_with_text(c, "evaluate", "expression", expression);
  json_object_set_new(j, "reduce", json_string("outliers"));
  set_real(j, "mean", s.mean);
  set_real(j, "limit", limit);
  struct sdm_answer *far = sdm_console_ask(c, j, SDM_REDUCE_SAME);
  for (size_t i = 0; i < far->n; i++) /* the others' class has no value */
    if (far->classes[i].kind == SDM_CLASS_OK && far->classes[i].body.len <= 2) {
      struct sdm_set *near = sdm_set_copy(far->classes[i].set);
      sdm_answer_remove(far, near);
      sdm_set_free(near);
      break;
    }
  if (!c->show.json)
    fprintf(c->show.out, "more than two standard deviations from the mean:\n");
  sdm_show_answer(&c->show, "outliers", far);
  sdm_answer_free(far);
}

/* "-h 5 EXPR": the number, or 'otherwise'; 'arg' is left at the expression. */
static long count_of(char **arg, long otherwise) {
  char *end;
  long n = strtol(*arg += 2 + strspn(*arg + 2, " "), &end, 10);
  if (end == *arg || *end != ' ') /* it belongs to the expression */
    return otherwise;
  *arg = end + strspn(end, " ");
  return n;
}

/* The interval first, by the statistics; then who is where in it. */
static void print_histogram(struct sdm_console *c, char *arg) {
  long bins = count_of(&arg, 10);
  struct sdm_stats s;
  json_t *j = sdm_console_with_text(c, "evaluate", "expression", arg);
  json_object_set_new(j, "reduce", json_string("stats"));
  struct sdm_answer *a = sdm_console_ask(c, j, SDM_REDUCE_STATS);
  bool good = a->n && a->classes[0].kind == SDM_CLASS_OK && !sdm_stats_decode(&s, a->classes[0].body.p, a->classes[0].body.len);
  if (good && s.min < s.max && bins > 0) {
    sdm_answer_free(a);
    j = sdm_console_with_text(c, "evaluate", "expression", arg);
    json_object_update_new(
        j, json_pack("{s:s, s:I}", "reduce", "histogram", "bins", (json_int_t)(bins > (long)SDM_BINS_MAX ? (long)SDM_BINS_MAX : bins)));
    set_real(j, "low", s.min);
    set_real(j, "high", s.max);
    a = sdm_console_ask(c, j, SDM_REDUCE_HISTOGRAM);
    sdm_show_histogram(&c->show, arg, a);
  } else /* all alike, or no numbers */
    sdm_show_stats(&c->show, arg, a);
  c->failed |= sdm_console_had_errors(a);
  sdm_answer_free(a);
}

static void print_top(struct sdm_console *c, char *arg) {
  long limit = count_of(&arg, 5);
  json_t *j = sdm_console_with_text(c, "evaluate", "expression", arg);
  json_object_update_new(j, json_pack("{s:s, s:I}", "reduce", "top", "limit", (json_int_t)limit));
  struct sdm_answer *a = sdm_console_ask(c, j, SDM_REDUCE_TOP);
  sdm_show_top(&c->show, arg, a);
  c->failed |= sdm_console_had_errors(a);
  sdm_answer_free(a);
}

void sdm_console_do_print(struct sdm_console *c, char *arg) {
  if (!strncmp(arg, "-h ", 3) || !strncmp(arg, "-t ", 3)) {
    (arg[1] == 'h' ? print_histogram : print_top)(c, arg);
    return;
  }
  if (strncmp(arg, "-s ", 3)) {
    sdm_console_ask_and_show(c, sdm_console_evaluation(c, arg));
    return;
  }
  json_t *j = sdm_console_with_text(c, "evaluate", "expression", arg + 3);
  json_object_set_new(j, "reduce", json_string("stats"));
  struct sdm_answer *a = sdm_console_ask(c, j, SDM_REDUCE_STATS);
  sdm_show_stats(&c->show, arg + 3, a);
  c->failed |= sdm_console_had_errors(a);
  show_outliers(c, arg + 3, a);
  sdm_answer_free(a);
}

void sdm_console_do_ptype(struct sdm_console *c, char *arg) {
  sdm_console_ask_and_show(c, sdm_console_with_text(c, "type", "expression", arg));
}
void sdm_console_do_handle(struct sdm_console *c, char *arg) {
  sdm_console_ask_and_show(c, sdm_console_with_text(c, "handle", "what", arg));
}
void sdm_console_do_set(struct sdm_console *c, char *arg) {
  if (!strncmp(arg, "var ", 4)) {
    char *eq = strchr(arg, '=');
    if (!eq) {
      sdm_console_fail(c, "expected: set var NAME = VALUE");
      return;
    }
    *eq = 0;
    json_t *j = sdm_console_with_text(c, "evaluate", "expression", arg + 4);
    json_object_set_new(j, "value", json_string(eq + 1 + strspn(eq + 1, " ")));
    sdm_console_ask_and_show(c, j);
  } else if (!strncmp(arg, "timeout ", 8) && atof(arg + 8) > 0)
    c->timeout_ms = (uint32_t)(atof(arg + 8) * 1000);
  else if (!strcmp(arg, "stop-all on") || !strcmp(arg, "stop-all off"))
    c->stop_all = !strcmp(arg, "stop-all on");
  else if (!strcmp(arg, "stop-at-end on") || !strcmp(arg, "stop-at-end off"))
    sdm_console_stop_at_end(c, !strcmp(arg, "stop-at-end on"));
  else if (!strncmp(arg, "logging", 7))
    sdm_console_fail(c, "each gdb would write the same file; what is shown here can be kept by '| tee FILE'");
  else if (!strncmp(arg, "stop-at-end", 11))
    sdm_console_fail(c, "expected: set stop-at-end on or off");
  else if (!strncmp(arg, "stop-all", 8) || !strncmp(arg, "timeout", 7))
    sdm_console_fail(c, "expected: set timeout SECONDS, or set stop-all on or off");
  else { /* gdb's settings, and its short form of 'set var' */
    struct dvm_text t = DVM_TEXT_INIT;
    dvm_text_printf(&t, "set %s", arg);
    if (!*arg || !sdm_console_pass_on(c, dvm_text_str(&t)))
      sdm_console_fail(c, "expected: set var NAME = VALUE, set timeout SECONDS, or a setting of gdb");
    dvm_text_fini(&t);
  }
}

void sdm_console_do_info(struct sdm_console *c, char *arg) {
  size_t n = strlen(arg);
  if (n && !strncmp("breakpoints", arg, n))
    sdm_console_show_breaks(c);
  else if (n && !strncmp("display", arg, n))
    sdm_console_list_displays(c);
  else if (n > 1 && !strncmp("args", arg, n))
    sdm_console_do_args(c, arg);
  else if (!strncmp(arg, "reg", 3))
    sdm_console_ask_and_show(c, sdm_console_with_text(c, "registers", "names", strchr(arg, ' ') ? strchr(arg, ' ') + 1 : ""));
  else if (!strncmp(arg, "th", 2))
    sdm_console_ask_and_show(c, sdm_console_request(c, "threads"));
  else if (!strncmp(arg, "sig", 3))
    sdm_console_ask_and_show(c, sdm_console_with_text(c, "handle", "what", ""));
  else if (!strncmp(arg, "loc", 3))
    sdm_console_do_locals(c, arg);
  else if (!n || !strncmp("ranks", arg, n))
    sdm_show_status(&c->show, c->s);
  else {
    struct dvm_text t = DVM_TEXT_INIT;
    dvm_text_printf(&t, "info %s", arg);
    if (!sdm_console_pass_on(c, dvm_text_str(&t)))
      sdm_console_fail(c, "neither this debugger nor gdb knows this command");
    dvm_text_fini(&t);
  }
}

void sdm_console_do_queues(struct sdm_console *c, char *arg) {
  (void)arg;
  sdm_console_ask_and_show(c, sdm_console_with_text(c, "inspect", "what", "queues"));
}

void sdm_console_do_waits(struct sdm_console *c, char *arg) {
  (void)arg;
  sdm_console_note_nobody(c);
  c->failed |= !sdm_waits_show(c->s, &c->show, c->to, c->timeout_ms, false);
}

void sdm_console_do_status(struct sdm_console *c, char *arg) {
  (void)arg;
  sdm_show_status(&c->show, c->s);
}

void sdm_console_do_thread(struct sdm_console *c, char *arg) {
  if (*arg)
    c->thread = atoll(arg);
  c->frame = -1;
  show_frame(c);
}
