#include "sdm/console/console.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdm/console/console_private.h"

#define TIMEOUT_MS 10000u
#define SOURCE_DEPTH 16

volatile atomic_int sdm_console_interrupted;

void sdm_console_interrupt(void) { sdm_console_interrupted = 1; }
const volatile atomic_int *sdm_console_interrupts(void) { return &sdm_console_interrupted; }
bool sdm_console_quit(const struct sdm_console *c) { return c->quit; }

void sdm_console_fail(struct sdm_console *c, const char *text) {
  sdm_show_error(&c->show, text);
  c->failed = true;
}

#define MANY 8 /* ranks; fewer are there at once */

static void show_progress(const struct sdm_console *c) {
  fprintf(stderr, "\r%u of %u ranks have started", sdm_set_size(c->s->stopped) + sdm_set_size(c->s->exited), sdm_set_size(c->s->all));
  fflush(stderr);
}

void sdm_console_starting(struct sdm_console *c, bool on) {
  if (c->starting && !on)
    fprintf(stderr, "\r\033[K"); /* the stops tell the rest */
  c->starting = on && isatty(STDERR_FILENO) && sdm_set_size(c->s->all) >= MANY;
  if (c->starting)
    show_progress(c);
}

/* Equal events of many ranks come in a few messages; they are shown as one, when the command is done. */
static void on_event(void *arg, const struct sdm_set *ids, const json_t *event) {
  struct sdm_console *c = arg;
  const json_t *outside = json_object_get(event, "outside");
  if (outside && !json_is_true(outside) && !c->show.json) /* we have asked for it: its answer says so */
    return;
  if (!strcmp(json_string_value(json_object_get(event, "event")), "signal")) { /* as output is: it is no stop */
    sdm_show_event(&c->show, ids, event);
    return;
  }
  c->nevents++;
  sdm_console_note_hit(c, ids, event);
  if (c->starting)
    show_progress(c);
  const json_t *frame = json_object_get(event, "frame"); /* the user's: inner ones are of the run-time library */
  if (frame)
    c->frame = json_integer_value(frame);
  for (size_t i = c->nnews; i-- > 0;) {
    if (json_equal(c->news[i].event, (json_t *)event)) {
      sdm_set_union(c->news[i].set, ids);
      return;
    }
    if (sdm_set_overlaps(c->news[i].set, ids))
      break;
  }
  c->news = sdm_realloc(c->news, (c->nnews + 1) * sizeof(*c->news));
  c->news[c->nnews++] = (struct sdm_place){json_incref((json_t *)event), sdm_set_copy(ids)};
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
    for (size_t k = i;
         k > 0 && lowest(c->news[k].set) < lowest(c->news[k - 1].set) && !sdm_set_overlaps(c->news[k].set, c->news[k - 1].set); k--) {
      struct sdm_place t = c->news[k];
      c->news[k] = c->news[k - 1];
      c->news[k - 1] = t;
    }
}

static bool same_line(const json_t *a, const json_t *b) {
  return json_equal(json_object_get(a, "path"), json_object_get(b, "path")) &&
         json_equal(json_object_get(a, "line"), json_object_get(b, "line"));
}

void sdm_console_forget_news(struct sdm_console *c) {
  for (size_t i = 0; i < c->nnews; i++) {
    sdm_set_free(c->news[i].set);
    json_decref(c->news[i].event);
  }
  c->nnews = 0;
}

void sdm_console_show_news(struct sdm_console *c) {
  order_news(c);
  for (size_t i = 0; i < c->nnews; i++) {
    bool silent = sdm_console_is_silent(c, c->news[i].event);
    if (!silent)
      sdm_show_event(&c->show, c->news[i].set, c->news[i].event);
    if (!silent && (i + 1 == c->nnews || !same_line(c->news[i].event, c->news[i + 1].event))) /* once for those who stand there */
      sdm_show_line(&c->show, c->news[i].event);
    sdm_set_free(c->news[i].set);
    json_decref(c->news[i].event);
  }
  c->nnews = 0;
}
static void on_output(void *arg, const struct sdm_set *ids, unsigned stream, const void *p, size_t len) {
  sdm_show_output(&((struct sdm_console *)arg)->show, ids, stream, p, len);
}
static void on_output_end(void *arg) { fflush(((struct sdm_console *)arg)->show.out); }
static void on_lost(void *arg, const struct sdm_set *ids, const char *why) { sdm_show_lost(&((struct sdm_console *)arg)->show, ids, why); }
static void on_back(void *arg, const struct sdm_set *ids) { sdm_show_back(&((struct sdm_console *)arg)->show, ids); }
static void on_late(void *arg, const struct sdm_answer *a) { sdm_show_answer(&((struct sdm_console *)arg)->show, "late", a); }

struct sdm_console *sdm_console_new(struct sdm_session *s, const struct sdm_show *show) {
  struct sdm_console *c = sdm_alloc(sizeof(*c));
  *c = (struct sdm_console){.s = s,
                            .show = *show,
                            .focus = sdm_strdup("all"),
                            .owed = sdm_set_new(),
                            .frame = -1,
                            .next_break = 1,
                            .stop_all = -1,
                            .is_mpi = -1,
                            .timeout_ms = TIMEOUT_MS};
  s->on_event = on_event;
  s->on_output = on_output;
  s->on_output_end = on_output_end;
  s->on_lost = on_lost;
  s->on_back = on_back;
  s->on_late = on_late;
  s->arg = c;
  s->interrupted = &sdm_console_interrupted;
  return c;
}

void sdm_console_start_again(struct sdm_console *c, int (*again)(void *arg), void *arg) {
  c->again = again;
  c->again_arg = arg;
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
    free(c->breaks[i].place);
    free(c->breaks[i].commands);
    json_decref(c->breaks[i].command);
    sdm_set_free(c->breaks[i].set);
  }
  free(c->breaks);
  sdm_console_forget_news(c);
  free(c->news);
  sdm_console_words_free(c);
  sdm_names_fini(&c->names);
  free(c->focus);
  sdm_set_free(c->owed);
  free(c->listed);
  json_decref(c->program);
  c->s->on_event = NULL;
  c->s->on_output = NULL;
  c->s->on_output_end = NULL;
  c->s->on_lost = NULL;
  c->s->on_back = NULL;
  c->s->on_late = NULL;
  c->s->interrupted = NULL;
  free(c);
}

/* A command with the thread and frame at hand. */
json_t *sdm_console_request(struct sdm_console *c, const char *name) {
  json_t *j = json_pack("{s:s}", "cmd", name);
  if (c->thread > 0)
    json_object_set_new(j, "thread", json_integer(c->thread));
  if (c->frame >= 0 || c->frame == CONSOLE_USER_FRAME)
    json_object_set_new(j, "frame", json_integer(c->frame));
  if (c->frame == CONSOLE_USER_FRAME && c->outwards)
    json_object_set_new(j, "outwards", json_integer(c->outwards));
  if (c->frame == CONSOLE_USER_FRAME && *c->function)
    json_object_set_new(j, "function", json_string(c->function));
  return j;
}

bool sdm_console_had_errors(const struct sdm_answer *a) {
  for (size_t i = 0; i < a->n; i++)
    if (a->classes[i].kind == SDM_CLASS_ERROR)
      return true;
  return !sdm_set_is_empty(a->dead) || !sdm_set_is_empty(a->timed_out) || !sdm_set_is_empty(a->unreachable);
}

void sdm_console_note_nobody(struct sdm_console *c) {
  if (sdm_set_is_empty(c->to))
    sdm_show_error(&c->show, "this set is empty now");
}

struct sdm_answer *sdm_console_ask(struct sdm_console *c, json_t *j, uint8_t reducer) {
  sdm_console_note_nobody(c);
  return sdm_session_ask(c->s, c->to, j, reducer, c->timeout_ms);
}

void sdm_console_ask_and_show(struct sdm_console *c, json_t *j) {
  char *name = sdm_strdup(json_string_value(json_object_get(j, "cmd")));
  struct sdm_answer *a = sdm_console_ask(c, j, SDM_REDUCE_SAME);
  sdm_show_answer(&c->show, name, a);
  c->failed |= sdm_console_had_errors(a);
  sdm_answer_free(a);
  free(name);
}

json_t *sdm_console_with_text(struct sdm_console *c, const char *name, const char *key, const char *text) {
  json_t *j = sdm_console_request(c, name);
  json_object_set_new(j, key, json_string(text));
  return j;
}

/* Sets, input, scripts. */
static void do_focus(struct sdm_console *c, char *arg) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct sdm_set *set = *arg ? sdm_select(c->s, &c->names, arg, &err) : NULL;
  if (*arg && !set) {
    sdm_console_fail(c, err.text);
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
    sdm_console_fail(c, eq ? err.text : "expected: define NAME = SET");
    return;
  }
  arg[n] = 0;
  sdm_names_set(&c->names, arg, eq + 1 + strspn(eq + 1, " "));
  sdm_set_free(set);
  sdm_console_keep_names(c);
}
static void do_viewset(struct sdm_console *c, char *arg) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct sdm_set *set = *arg ? sdm_select(c->s, &c->names, arg, &err) : sdm_set_copy(c->to);
  if (!set) {
    sdm_console_fail(c, err.text);
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
  sdm_console_show_news(c); /* a mark in the stream: what came before it stands before it */
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
    {"advance", "", sdm_console_do_advance, "WHERE: run until there, or until the function returns"},
    {"args", "", sdm_console_do_args, "print the arguments of the frame"},
    {"awatch", "", sdm_console_do_awatch, "EXPRESSION: stop when it is written or read"},
    {"barrier", "", sdm_console_do_barrier, "WHERE: run until every rank has stopped there; lists the ranks that do not arrive"},
    {"break", "b", sdm_console_do_break, "[-any] WHERE [if CONDITION]: stop there; -any: run, and stop all when one gets there"},
    {"bt", "where", sdm_console_do_bt,
     "[N]: show the stack, innermost first; -N: the outermost; full [N]: with local variables, as gdb; -m [folded|dot] [all]: one merged "
     "tree of "
     "all "
     "ranks, or of all their threads"},
    {"call", "", sdm_console_do_call, "EXPRESSION: evaluate it, usually a function call"},
    {"catch", "", sdm_console_do_catch, "throw, catch, signal, syscall...: stop at such events, as in gdb"},
    {"checkpoint", "", sdm_console_do_checkpoint,
     "[OPTION...]: save the programs where they are, all ranks of a job of 'dvm run -n', with the options of 'dvm checkpoint'; list: show "
     "the checkpoints"},
    {"clear", "", sdm_console_do_clear, "WHERE: remove the breakpoints that were set there"},
    {"commands", "", sdm_console_do_commands, "[N]: lines up to 'end', run by the ranks that stop at the breakpoint"},
    {"condition", "", sdm_console_do_condition, "N CONDITION: set the condition of a breakpoint; none: stop always"},
    {"continue", "c", sdm_console_do_continue, "run on until all of the set have stopped; '&': do not wait; ^C interrupts"},
    {"define", "", do_define, "NAME = SET: name a set; it stays live"},
    {"delete", "d", sdm_console_do_delete, "[N]: remove a breakpoint; none: all"},
    {"detach", "", sdm_console_do_detach, "leave the programs running"},
    {"diff", "", sdm_console_do_diff, "EXPRESSION: the most common value, then those that differ"},
    {"disable", "dis", sdm_console_do_disable, "[N]: disable a breakpoint; none: all"},
    {"display", "", sdm_console_do_display, "[/FORMAT] EXPRESSION: show it at every stop"},
    {"down", "", sdm_console_do_down, "[N]: move N frames inward"},
    {"dvm", "", sdm_console_do_dvm,
     "show construct, arrays, shadow, diagnostics or stats of checked and parallel programs; owner ELEMENT; break-on-diagnostic [off]"},
    {"echo", "", do_echo, "TEXT: print it"},
    {"enable", "", sdm_console_do_enable, "[N]: enable a breakpoint; none: all"},
    {"eof", "", do_eof, "end the programs' standard input"},
    {"finish", "", sdm_console_do_finish, "run until the function returns"},
    {"focus", "", do_focus, "SET: select the ranks for the commands that follow"},
    {"frame", "f", sdm_console_do_frame,
     "N: choose a frame; user: each rank's innermost frame with source; function NAME: each rank's frame of that function"},
    {"gdb", "", sdm_console_do_raw, "COMMAND: pass it verbatim to every gdb"},
    {"handle", "", sdm_console_do_handle, "SIGNAL ACTION...: as in gdb"},
    {"help", "h", do_help, "show this list"},
    {"ignore", "", sdm_console_do_ignore, "N COUNT: ignore a breakpoint COUNT times"},
    {"info", "i", sdm_console_do_info,
     "breakpoints, threads, registers [NAMES], signals, locals, args, display, ranks; otherwise as in gdb"},
    {"input", "", do_input, "TEXT: send it, as a line, to the programs' standard input"},
    {"interrupt", "", sdm_console_do_interrupt, "stop the running ranks"},
    {"kill", "", sdm_console_do_kill, "end the programs"},
    {"list", "l", sdm_console_do_list, "[WHERE]: show the source around the frame, then what follows; '-': what is before"},
    {"locals", "", sdm_console_do_locals, "print the local variables of the frame"},
    {"nexti", "ni", sdm_console_do_nexti, "[N]: step N machine instructions, over calls"},
    {"next", "n", sdm_console_do_next, "[N]: step N lines, over calls"},
    {"print", "p", sdm_console_do_print,
     "[/FORMAT] EXPRESSION: print its value; over the ranks: -s EXPRESSION statistics, -h [BINS] a histogram, -t [K] the largest (-K: "
     "smallest)"},
    {"ptype", "", sdm_console_do_ptype, "EXPRESSION: show its type"},
    {"quit", "q", do_quit, "leave the debugger; started programs are killed, attached ones keep running"},
    {"queues", "", sdm_console_do_queues, "show MPI's message queues: sends and receives that have not completed, for each communicator"},
    {"restart", "", sdm_console_do_restart,
     "[N|HANDLE]: end the programs and continue from checkpoint N (the last), or from an image, as it was saved"},
    {"run", "r", sdm_console_do_run, "start the programs again (for MPI, the whole job); breakpoints stay"},
    {"rwatch", "", sdm_console_do_rwatch, "EXPRESSION: stop when it is read"},
    {"sample", "", sdm_console_do_sample, "[N [SECONDS]]: stop the running ranks N times (10) and show where they were"},
    {"save", "", sdm_console_do_save, "breakpoints FILE: as a script for 'source'"},
    {"set", "", sdm_console_do_set,
     "var NAME = VALUE; timeout SECONDS; stop-all on|off: when one has stopped (on for MPI programs); stop-at-end on|off: before MPI_Abort "
     "and exit with an error (on)"},
    {"shell", "!", sdm_console_do_shell, "COMMAND: run here, once"},
    {"source", "", do_source, "FILE: run the commands in FILE"},
    {"start", "", sdm_console_do_start, "like run, and stop in main"},
    {"status", "", sdm_console_do_status, "show where every rank is"},
    {"step", "s", sdm_console_do_step, "[N]: step N lines, into calls"},
    {"stepi", "si", sdm_console_do_stepi, "[N]: step N machine instructions"},
    {"tbreak", "tb", sdm_console_do_tbreak, "WHERE [if CONDITION]: stop there once"},
    {"tcatch", "", sdm_console_do_tcatch, "like catch, but once"},
    {"thread", "t", sdm_console_do_thread, "N: choose a thread"},
    {"undisplay", "", sdm_console_do_undisplay, "[N]: stop displaying it"},
    {"until", "u", sdm_console_do_until, "WHERE: run until there"},
    {"up", "", sdm_console_do_up, "[N]: move N frames outward"},
    {"viewset", "", do_viewset, "[SET]: list its ranks"},
    {"wait", "", sdm_console_do_wait, "[SECONDS]: wait until all ranks of the set have stopped"},
    {"waits", "", sdm_console_do_waits,
     "show who waits for whom in MPI: operations, places, cycles, and ranks outside MPI that are waited for"},
    {"watch", "", sdm_console_do_watch,
     "[-any] [-r|-a] EXPRESSION: stop when it is written, read, or both; -any: run, and stop all when one does"},
    {"x", "", sdm_console_do_x, "[/COUNT FORMAT SIZE] ADDRESS: show memory, as in gdb"},
};
#define NCOMMANDS (sizeof(commands) / sizeof(*commands))

static void refuse_command(struct sdm_console *c, const char *word) {
  const char *names[NCOMMANDS + 1] = {NULL}, *nearest;
  char why[160];
  for (size_t i = 0; i < NCOMMANDS; i++)
    names[i] = commands[i].name;
  nearest = dvm_text_nearest(word, names);
  snprintf(why, sizeof(why), nearest ? "there is no command '%s'; did you mean '%s'?" : "there is no command '%s'; 'help' lists them", word,
           nearest);
  sdm_console_fail(c, why);
}

static void do_help(struct sdm_console *c, char *arg) {
  bool known = false;
  for (size_t i = 0; i < NCOMMANDS; i++)
    if (!*arg || !strcmp(arg, commands[i].name) || !strcmp(arg, commands[i].alias)) {
      fprintf(c->show.out, "%-10s %-6s %s\n", commands[i].name, commands[i].alias, commands[i].help);
      known = true;
    }
  if (!known) { /* gdb has help too */
    struct dvm_text t = DVM_TEXT_INIT;
    dvm_text_printf(&t, "help %s", arg);
    if (!sdm_console_pass_on(c, dvm_text_str(&t)))
      refuse_command(c, arg);
    dvm_text_fini(&t);
  }
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

const char *sdm_console_full_name(const char *word, size_t n) {
  char name[32];
  snprintf(name, sizeof(name), "%.*s", (int)n, word);
  const struct command *found = find_command(name);
  return found ? found->name : NULL;
}

const char *sdm_console_command_name(size_t at) { return at < NCOMMANDS ? commands[at].name : NULL; }
bool sdm_console_knows(const char *word) { return find_command(word) != NULL; }

/* "[SET] ..." or "p0-3.t2 ...".  Leaves 'line' at the command.  NULL: bad. */
static struct sdm_set *take_prefix(struct sdm_console *c, char **line, struct dvm_error *err) {
  char *p = *line, *end;
  const char *text = c->focus;
  if (*p == '[' && !strchr(p, ']')) {
    dvm_error_set(err, -EINVAL, "']' is missing after the set");
    return NULL;
  }
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
  static const char *const looking[] = {"args",  "bt",     "diff",   "down", "frame", "list", "locals",
                                        "print", "queues", "thread", "up",   "waits", "x"};
  bool looks = false;
  for (size_t i = 0; i < sizeof(looking) / sizeof(*looking); i++)
    looks |= !strcmp(looking[i], name);
  struct sdm_set *rest = sdm_set_diff(sdm_set_copy(c->to), c->s->exited);
  if (looks && !sdm_set_is_empty(rest))
    sdm_set_assign(c->to, rest);
  sdm_set_free(rest);
}

int sdm_console_line(struct sdm_console *c, const char *text) {
  if (sdm_console_collect(c, text))
    return 0;
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
    const char *command_line = line;
    n = *line == '!' ? 1 : strcspn(line, " \t/");
    snprintf(word, sizeof(word), "%.*s", (int)n, line);
    line += n;
    line += strspn(line, " \t");
    const struct command *command = find_command(word);
    if (!c->to)
      sdm_console_fail(c, err.text);
    else if (!command) {
      if (!sdm_console_pass_on(c, command_line))
        refuse_command(c, word);
    } else {
      if (!named)
        drop_ended(c, command->name);
      struct sdm_set *to = c->to; /* a script inside has its own */
      command->fn(c, line);
      c->to = to;
      if (command->fn != sdm_console_do_thread)
        c->thread = thread;
    }
    sdm_set_free(c->to);
    c->to = NULL;
  }
  sdm_console_show_news(c);
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
    sdm_console_fail(c, c->depth < SOURCE_DEPTH ? "cannot read the script" : "scripts are nested too deep");
    return -1;
  }
  unsigned number = 0;
  c->depth++;
  while (!rc && !c->quit && getline(&line, &size, in) > 0) {
    rc = sdm_console_line(c, line);
    number++;
  }
  c->depth--;
  if (rc) {
    struct dvm_text t = DVM_TEXT_INIT;
    dvm_text_printf(&t, "%s:%u: the script ends here, at '%.*s'", path, number, (int)strcspn(line, "\n"), line);
    sdm_console_fail(c, dvm_text_str(&t));
    dvm_text_fini(&t);
  }
  free(line);
  fclose(in);
  return rc;
}
