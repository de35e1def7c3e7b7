/* gdb's words with their meaning there: formats, display, commands, call, catch; and what else gdb knows, which is passed on. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sdm/console/console_private.h"

/* "/FORMAT REST" of print and display: the format, or "" if there is none; 'arg' is left at the rest. */
static char *take_format(char **arg) {
  if (**arg != '/')
    return sdm_strdup("");
  size_t n = strcspn(*arg + 1, " \t");
  char *format = sdm_alloc(n + 1);
  memcpy(format, *arg + 1, n);
  *arg += 1 + n + strspn(*arg + 1 + n, " \t");
  return format;
}

json_t *sdm_console_evaluation(struct sdm_console *c, char *arg) {
  char *format = take_format(&arg);
  json_t *j = sdm_console_with_text(c, "evaluate", "expression", arg);
  if (*format)
    json_object_set_new(j, "format", json_string(format));
  free(format);
  return j;
}

void sdm_console_do_call(struct sdm_console *c, char *arg) { sdm_console_ask_and_show(c, sdm_console_evaluation(c, arg)); }

void sdm_console_do_x(struct sdm_console *c, char *arg) {
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_printf(&t, *arg == '/' ? "x%s" : "x %s", arg);
  sdm_console_ask_and_show(c, sdm_console_with_text(c, "raw", "text", dvm_text_str(&t)));
  dvm_text_fini(&t);
}

static void catch (struct sdm_console *c, char *arg, bool temporary) {
  struct dvm_text what = DVM_TEXT_INIT;
  char *condition = strstr(arg, " if "); /* gdb itself takes one for some kinds only, and afterwards for all */
  json_t *j = json_pack("{s:s, s:s, s:b}", "cmd", "break", "catch", arg, "temporary", 0);
  json_object_set_new(j, "temporary", json_integer(temporary));
  dvm_text_printf(&what, "catch %s", arg);
  if (condition) {
    *condition = 0;
    json_object_set_new(j, "catch", json_string(arg));
    json_object_set_new(j, "condition", json_string(condition + 4 + strspn(condition + 4, " ")));
  }
  sdm_console_add_break(c, j, dvm_text_str(&what));
  dvm_text_fini(&what);
}
void sdm_console_do_catch(struct sdm_console *c, char *arg) { catch (c, arg, false); }
void sdm_console_do_tcatch(struct sdm_console *c, char *arg) { catch (c, arg, true); }

/* ---- display ---- */

void sdm_console_words_free(struct sdm_console *c) {
  for (size_t i = 0; i < c->ndisplays; i++)
    free(c->displays[i].text);
  free(c->displays);
}

static void show_display(struct sdm_console *c, const struct display *d) {
  char *copy = sdm_strdup(d->text);
  struct sdm_answer *a = sdm_console_ask(c, sdm_console_evaluation(c, copy), SDM_REDUCE_SAME);
  bool known = false; /* nowhere: they are out of its scope */
  for (size_t i = 0; i < a->n; i++)
    known |= a->classes[i].kind == SDM_CLASS_OK;
  if (known && !c->show.json)
    fprintf(c->show.out, "%lld: %s\n", d->id, *d->text == '/' ? d->text + 1 + strcspn(d->text, " ") : d->text);
  if (known)
    sdm_show_answer(&c->show, "display", a);
  sdm_answer_free(a);
  free(copy);
}

/* Of those of 'set' that stand. */
void sdm_console_show_displays(struct sdm_console *c, const struct sdm_set *set) {
  struct sdm_set *stand = sdm_set_intersect(sdm_set_copy(set), c->s->stopped), *old = c->to;
  c->to = stand;
  for (size_t i = 0; i < c->ndisplays && !sdm_set_is_empty(stand); i++)
    show_display(c, &c->displays[i]);
  c->to = old;
  sdm_set_free(stand);
}

void sdm_console_do_display(struct sdm_console *c, char *arg) {
  if (!*arg) {
    sdm_console_show_displays(c, c->to);
    return;
  }
  c->displays = sdm_realloc(c->displays, (c->ndisplays + 1) * sizeof(*c->displays));
  c->displays[c->ndisplays++] = (struct display){++c->last_display, sdm_strdup(arg)};
  if (sdm_set_overlaps(c->to, c->s->stopped))
    show_display(c, &c->displays[c->ndisplays - 1]);
}

void sdm_console_do_undisplay(struct sdm_console *c, char *arg) {
  long long id = atoll(arg);
  size_t kept = 0, n = c->ndisplays;
  for (size_t i = 0; i < n; i++)
    if (*arg && c->displays[i].id != id)
      c->displays[kept++] = c->displays[i];
    else
      free(c->displays[i].text);
  c->ndisplays = kept;
  if (*arg && kept == n)
    sdm_console_fail(c, "there is no such display");
}

void sdm_console_list_displays(struct sdm_console *c) {
  for (size_t i = 0; i < c->ndisplays; i++)
    fprintf(c->show.out, "%lld: %s\n", c->displays[i].id, c->displays[i].text);
}

/* ---- commands of breakpoints ---- */

void sdm_console_do_commands(struct sdm_console *c, char *arg) {
  long long id = *arg ? sdm_console_break_number(c, &arg) : c->next_break - 1;
  struct breakpoint *b = sdm_console_find_break(c, id);
  if (!b) {
    sdm_console_fail(c, "there is no such breakpoint; 'info breakpoints' lists them");
    return;
  }
  free(b->commands);
  b->commands = NULL;
  c->collecting = id; /* the lines that follow, up to "end" */
}

/* True: the line belongs to a breakpoint. */
bool sdm_console_collect(struct sdm_console *c, const char *line) {
  struct breakpoint *b = c->collecting ? sdm_console_find_break(c, c->collecting) : NULL;
  line += strspn(line, " \t");
  size_t n = strlen(line);
  while (n && isspace((unsigned char)line[n - 1]))
    n--;
  if (!b)
    return false;
  if (n == 3 && !strncmp(line, "end", 3)) {
    c->collecting = 0;
    sdm_console_keep_commands(c, b);
    return true;
  }
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_printf(&t, "%s%.*s\n", b->commands ? b->commands : "", (int)n, line);
  free(b->commands);
  b->commands = sdm_strdup(dvm_text_str(&t));
  dvm_text_fini(&t);
  return true;
}

/* The lines of one breakpoint for those who stand at it.  Those whose last line lets them run on are run by the caller. */
static bool run_commands(struct sdm_console *c, const struct breakpoint *b, struct sdm_set *who) {
  static const char *const go[] = {"continue", "c", "cont"};
  struct sdm_set *old = c->to;
  char *lines = sdm_strdup(b->commands), *rest = lines, *line;
  struct dvm_text t = DVM_TEXT_INIT;
  char *ranks = sdm_set_text(who);
  bool on = false;
  while (!on && (line = strsep(&rest, "\n"))) {
    for (size_t i = 0; i < sizeof(go) / sizeof(*go); i++)
      on |= !strcmp(line, go[i]);
    if (on || !*line || !strcmp(line, "silent"))
      continue;
    dvm_text_clear(&t);
    dvm_text_printf(&t, *line == '[' || (*line == 'p' && isdigit((unsigned char)line[1])) ? "%.0s%s" : "[%s] %s", ranks, line);
    c->to = NULL;
    sdm_console_line(c, dvm_text_str(&t));
  }
  c->to = old;
  free(ranks);
  free(lines);
  dvm_text_fini(&t);
  return on;
}

bool sdm_console_is_silent(const struct sdm_console *c, const json_t *event) {
  json_int_t bp = json_integer_value(json_object_get(event, "bp"));
  for (size_t k = 0; bp && k < c->nbreaks; k++)
    if (c->breaks[k].id == bp && c->breaks[k].commands)
      return !strncmp(c->breaks[k].commands, "silent", 6);
  return false;
}

/* Those who have stopped at the prompt, while something else was done. */
void sdm_console_run_owed(struct sdm_console *c) {
  if (sdm_set_is_empty(c->owed) || c->collecting)
    return;
  struct sdm_set *due = sdm_set_copy(c->owed), *on = sdm_set_new();
  sdm_set_clear(c->owed);
  sdm_console_run_commands(c, due, on);
  if (!sdm_set_is_empty(on))
    sdm_answer_free(sdm_session_go(c->s, on, json_pack("{s:s}", "cmd", "continue"), c->timeout_ms));
  sdm_set_free(due);
  sdm_set_free(on);
}

/* Runs the commands of the breakpoints at which those of 'set' have just stopped.  Those who are to go on are added to 'on'. */
void sdm_console_run_commands(struct sdm_console *c, const struct sdm_set *set, struct sdm_set *on) {
  for (size_t k = 0; k < c->nbreaks; k++) {
    if (!c->breaks[k].commands)
      continue;
    struct sdm_set *who = sdm_set_new();
    for (size_t i = 0; i < c->s->nplaces; i++)
      if (json_integer_value(json_object_get(c->s->places[i].event, "bp")) == c->breaks[k].id)
        sdm_set_union(who, c->s->places[i].set);
    sdm_set_intersect(sdm_set_intersect(who, set), c->s->stopped);
    sdm_set_diff(c->owed, who);
    if (!sdm_set_is_empty(who))
      sdm_console_show_news(c); /* where they stand, before what is said there */
    if (!sdm_set_is_empty(who) && run_commands(c, &c->breaks[k], who))
      sdm_set_union(on, who);
    sdm_set_free(who);
  }
}

/* ---- what only gdb knows ---- */

/* Programs that did not run before, 'ran', and run now have been set running by the line: they are waited for, but after a '&'. */
static void show_raw(struct sdm_console *c, const struct sdm_answer *a, const struct sdm_set *ran, const char *line) {
  size_t n = strlen(line);
  struct sdm_set *runs = sdm_set_intersect(sdm_set_copy(c->s->running), c->to);
  sdm_show_answer(&c->show, "raw", a);
  c->failed |= sdm_console_had_errors(a);
  sdm_set_diff(runs, ran);
  if (!sdm_set_is_empty(runs) && !(n && line[n - 1] == '&'))
    sdm_console_wait_for(c, runs);
  sdm_set_free(runs);
}

/* Commands of gdb that would do something which the console does not know of. */
static const char *better(const char *line) {
  static const struct {
    const char *word, *instead;
  } words[] = {{"hbreak", "'break' sets a breakpoint that 'info breakpoints' lists"},
               {"thbreak", "'tbreak' sets a breakpoint that 'info breakpoints' lists"},
               {"rbreak", "'break' sets a breakpoint at one function that 'info breakpoints' lists"},
               {"starti", "'start' stops in main"},
               {"attach", "'dvm debug --attach PID' begins a session with it"},
               {"add-inferior", "one program is debugged for each rank"}};
  size_t n = strcspn(line, " \t/");
  for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
    if (strlen(words[i].word) == n && !strncmp(line, words[i].word, n))
      return words[i].instead;
  return NULL;
}

bool sdm_console_pass_on(struct sdm_console *c, const char *line) {
  const char *instead = better(line);
  if (instead) {
    struct dvm_text t = DVM_TEXT_INIT;
    dvm_text_printf(&t, "'%.*s' is not passed to gdb: %s", (int)strcspn(line, " \t/"), line, instead);
    sdm_console_fail(c, dvm_text_str(&t));
    dvm_text_fini(&t);
    return true;
  }

  struct sdm_set *ran = sdm_set_copy(c->s->running);
  struct sdm_answer *a = sdm_console_ask(c, sdm_console_with_text(c, "raw", "text", line), SDM_REDUCE_SAME);
  bool known = a->n > 0 || !sdm_set_is_empty(a->timed_out); /* who does not answer may be doing it */
  for (size_t i = 0; i < a->n; i++)
    if (a->classes[i].kind == SDM_CLASS_ERROR && a->classes[i].body.len > 18 && !memcmp(a->classes[i].body.p, "Undefined command:", 18))
      known = false;
  if (known) {
    if (!c->show.json && strncmp(line, "whatis ", 7) && strncmp(line, "info line", 9)) /* they are known, and change nothing */
      fprintf(c->show.out, "passed to gdb verbatim: %s\n", line);
    show_raw(c, a, ran, line);
  }
  sdm_set_free(ran);
  sdm_answer_free(a);
  return known;
}

void sdm_console_do_raw(struct sdm_console *c, char *arg) {
  struct sdm_set *ran = sdm_set_copy(c->s->running);
  struct sdm_answer *a = sdm_console_ask(c, sdm_console_with_text(c, "raw", "text", arg), SDM_REDUCE_SAME);
  show_raw(c, a, ran, arg);
  sdm_set_free(ran);
  sdm_answer_free(a);
}
