/* Breakpoints of the console: numbered here, kept by every back end. */
#include <stdlib.h>
#include <string.h>

#include "base/facts.h"
#include "sdm/console/console_private.h"

/* Owned; NULL: it has none yet, or is at no line. */
static char *place_of(const json_t *result) {
  const char *file = json_string_value(json_object_get(result, "file"));
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_printf(&t, "%s:%lld", file ? file : "", (long long)json_integer_value(json_object_get(result, "line")));
  char *place = file ? sdm_strdup(dvm_text_str(&t)) : NULL;
  dvm_text_fini(&t);
  return place;
}

void sdm_console_add_break(struct sdm_console *c, json_t *j, const char *what) {
  long long id = c->next_break++;
  json_object_set_new(j, "id", json_integer(id));
  json_t *command = json_deep_copy(j);
  struct sdm_answer *a = sdm_console_ask(c, j, SDM_REDUCE_SAME);
  struct sdm_set *set = sdm_set_new();
  char *place = NULL;
  for (size_t i = 0; i < a->n; i++) {
    json_t *body = a->classes[i].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[i]) : NULL;
    if (a->classes[i].kind == SDM_CLASS_OK)
      sdm_set_union(set, a->classes[i].set);
    place = place ? place : place_of(body);
    json_decref(body);
  }
  sdm_show_answer(&c->show, "break", a);
  c->failed |= sdm_console_had_errors(a);
  sdm_answer_free(a);
  c->breaks = sdm_realloc(c->breaks, (c->nbreaks + 1) * sizeof(*c->breaks));
  c->breaks[c->nbreaks++] =
      (struct breakpoint){.id = id, .what = sdm_strdup(what), .set = set, .enabled = true, .place = place, .command = command};
}

static bool is_temporary(const struct breakpoint *b) { return json_integer_value(json_object_get(b->command, "temporary")); }

/* Those who have come to a temporary breakpoint do not have it any more. */
void sdm_console_note_hit(struct sdm_console *c, const struct sdm_set *ids, const json_t *event) {
  struct breakpoint *b = sdm_console_find_break(c, json_integer_value(json_object_get(event, "bp")));
  if (b)
    b->hits += sdm_set_size(ids);
  if (b && is_temporary(b))
    sdm_set_diff(b->set, ids);
  if (b && b->commands)
    sdm_set_union(c->owed, ids);
  else
    sdm_set_diff(c->owed, ids);
}

void sdm_console_set_breaks_again(struct sdm_console *c) {
  for (size_t i = 0; i < c->nbreaks; i++) {
    struct breakpoint *b = &c->breaks[i];
    if (sdm_set_is_empty(b->set) || !b->command)
      continue;
    struct sdm_answer *a = sdm_session_ask(c->s, b->set, json_deep_copy(b->command), SDM_REDUCE_SAME, c->timeout_ms);
    if (sdm_console_had_errors(a)) { /* a variable that is not there yet, say */
      sdm_show_answer(&c->show, "break", a);
      c->failed = true;
    }
    sdm_answer_free(a);
    if (!b->enabled)
      sdm_answer_free(sdm_session_ask(c->s, b->set, json_pack("{s:s, s:I}", "cmd", "disable", "id", (json_int_t)b->id), SDM_REDUCE_SAME,
                                      c->timeout_ms));
  }
}

void sdm_console_known(void *console, const struct sdm_set *ids, const json_t *command) {
  struct sdm_console *c = console;
  long long id = json_integer_value(json_object_get(command, "id"));
  const json_t *text;
  const char *name;
  json_object_foreach(json_object_get(command, "names"), name, text)
      sdm_names_set(&c->names, name, json_string_value(text) ? json_string_value(text) : "");
  if (!id)
    return;
  const char *where = json_string_value(json_object_get(command, "where"));
  const char *what = where ? where : json_string_value(json_object_get(command, "expression"));
  for (size_t i = 0; i < c->nbreaks; i++)
    if (c->breaks[i].id == id) {
      sdm_set_union(c->breaks[i].set, ids);
      return;
    }
  if (id >= SDM_END_BREAK) {
    c->stops_at_end = true;
    return;
  }
  const char *condition = json_string_value(json_object_get(command, "condition")),
             *lines = json_string_value(json_object_get(command, "commands"));
  const char *catch = json_string_value(json_object_get(command, "catch"));
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_printf(&t, "%s%s%s%s", !what && catch ? "catch " : "",
                  what && !strcmp(what, DVM_FACTS_STOP) ? CONSOLE_DIAGNOSTIC
                  : what                                ? what
                  : catch                               ? catch
                                                        : "?",
                  condition && *condition ? " if " : "", condition ? condition : "");
  c->breaks = sdm_realloc(c->breaks, (c->nbreaks + 1) * sizeof(*c->breaks));
  c->breaks[c->nbreaks++] = (struct breakpoint){.id = id,
                                                .what = sdm_strdup(dvm_text_str(&t)),
                                                .set = sdm_set_copy(ids),
                                                .enabled = !json_integer_value(json_object_get(command, "disabled")),
                                                .commands = lines && *lines ? sdm_strdup(lines) : NULL,
                                                .command = json_deep_copy(command)};
  json_object_del(c->breaks[c->nbreaks - 1].command, "commands");
  dvm_text_fini(&t);
  c->next_break = id >= c->next_break ? id + 1 : c->next_break;
}

/* "WHERE [if CONDITION]" */
json_t *sdm_console_break_words(char *arg) {
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

static bool take_any(char **arg) {
  if (strncmp(*arg, "-any ", 5))
    return false;
  *arg += 5 + strspn(*arg + 5, " ");
  return true;
}

/* Runs until it happens to one rank, stops all, and forgets it. */
static void run_to_any(struct sdm_console *c, long long id) {
  char number[24];
  if (c->failed)
    return;
  sdm_console_run_until_any(c);
  snprintf(number, sizeof(number), "%lld", id);
  sdm_console_do_delete(c, number);
}

void sdm_console_do_break(struct sdm_console *c, char *arg) {
  bool any = take_any(&arg);
  long long id = c->next_break;
  char *what = sdm_strdup(arg);
  sdm_console_add_break(c, sdm_console_break_words(arg), what);
  free(what);
  if (any)
    run_to_any(c, id);
}
void sdm_console_do_tbreak(struct sdm_console *c, char *arg) {
  char *what = sdm_strdup(arg);
  json_t *j = sdm_console_break_words(arg);
  json_object_set_new(j, "temporary", json_integer(1));
  sdm_console_add_break(c, j, what);
  free(what);
}
static void watch(struct sdm_console *c, char *arg, bool any, const char *access) {
  long long id = c->next_break;
  json_t *j = json_pack("{s:s}", "cmd", "watch");
  if (access)
    json_object_set_new(j, "access", json_string(access));
  json_object_set_new(j, "expression", json_string(arg));
  sdm_console_add_break(c, j, arg);
  if (any)
    run_to_any(c, id);
}
void sdm_console_do_watch(struct sdm_console *c, char *arg) {
  bool any = take_any(&arg), option = arg[0] == '-' && (arg[1] == 'r' || arg[1] == 'a');
  const char *access = !option ? NULL : arg[1] == 'r' ? "read" : "any";
  if (!strncmp(arg, "-l", 2))
    sdm_console_fail(c, "-l is not there: 'watch *(TYPE *) ADDRESS' watches a place in memory, 'print &EXPRESSION' tells its address");
  else
    watch(c, option ? arg + 2 + strspn(arg + 2, " ") : arg, any, access);
}
void sdm_console_do_rwatch(struct sdm_console *c, char *arg) { watch(c, arg, false, "read"); }
void sdm_console_do_awatch(struct sdm_console *c, char *arg) { watch(c, arg, false, "any"); }

struct breakpoint *sdm_console_find_break(struct sdm_console *c, long long id) {
  for (size_t i = 0; i < c->nbreaks; i++)
    if (c->breaks[i].id == id)
      return &c->breaks[i];
  return NULL;
}

long long sdm_console_break_number(const struct sdm_console *c, char **arg) {
  if (strncmp(*arg, "$bpnum", 6))
    return strtoll(*arg, arg, 10);
  *arg += 6;
  return c->next_break - 1;
}

static struct breakpoint *find_break(struct sdm_console *c, char **arg) {
  long long id = sdm_console_break_number(c, arg);
  *arg += strspn(*arg, " ");
  struct breakpoint *found = sdm_console_find_break(c, id);
  if (found && !sdm_set_is_empty(found->set))
    return found;
  sdm_console_fail(c, "there is no such breakpoint; 'info breakpoints' lists them");
  return NULL;
}

static void set_condition(struct breakpoint *b, const char *condition) {
  struct dvm_text t = DVM_TEXT_INIT;
  char *old = strstr(b->what, " if ");
  dvm_text_printf(&t, "%.*s%s%s", old ? (int)(old - b->what) : (int)strlen(b->what), b->what, *condition ? " if " : "", condition);
  json_object_set_new(b->command, "condition", json_string(condition));
  free(b->what);
  b->what = sdm_strdup(dvm_text_str(&t));
  dvm_text_fini(&t);
}

static void change(struct sdm_console *c, struct breakpoint *b, const char *name, char *arg);

/* gdb's way to say all of them. */
static bool is_all(char *arg) { return !*arg || !strcmp(arg, "breakpoints"); }

static void break_change(struct sdm_console *c, const char *name, char *arg) {
  bool all = (!strcmp(name, "delete") || !strcmp(name, "enable") || !strcmp(name, "disable")) && is_all(arg);
  struct breakpoint *b = all ? NULL : find_break(c, &arg);
  for (size_t i = 0; all && i < c->nbreaks; i++)
    if (!sdm_set_is_empty(c->breaks[i].set))
      change(c, &c->breaks[i], name, arg);
  if (b)
    change(c, b, name, arg);
}

/* Those that were set at the place, in the same words. */
void sdm_console_do_clear(struct sdm_console *c, char *arg) {
  bool found = false;
  for (size_t i = 0; i < c->nbreaks; i++) {
    struct breakpoint *b = &c->breaks[i];
    size_t n = strcspn(b->what, " ");
    bool same = (strlen(arg) == n && !strncmp(b->what, arg, n)) || (b->place && !strcmp(b->place, arg));
    if (!same || sdm_set_is_empty(b->set))
      continue;
    found = true;
    change(c, b, "delete", arg);
  }
  if (!found)
    sdm_console_fail(c, "no breakpoint was set there; 'info breakpoints' lists them, 'delete N' removes one");
}

static void change(struct sdm_console *c, struct breakpoint *b, const char *name, char *arg) {
  json_t *j = json_pack("{s:s, s:I}", "cmd", name, "id", (json_int_t)b->id);
  if (!strcmp(name, "condition"))
    json_object_set_new(j, "condition", json_string(arg));
  if (!strcmp(name, "ignore"))
    json_object_set_new(j, "count", json_integer(atoll(arg)));
  struct sdm_set *to = sdm_set_intersect(sdm_set_copy(c->to), b->set), *old = c->to;
  c->to = to;
  sdm_console_ask_and_show(c, j);
  c->to = old;
  if (!strcmp(name, "delete"))
    sdm_set_diff(b->set, to);
  else if (!strcmp(name, "condition") && b->command)
    set_condition(b, arg);
  else if (*name == 'e' || *name == 'd')
    b->enabled = *name == 'e';
  sdm_set_free(to);
}
void sdm_console_do_delete(struct sdm_console *c, char *arg) { break_change(c, "delete", arg); }
void sdm_console_do_enable(struct sdm_console *c, char *arg) { break_change(c, "enable", arg); }
void sdm_console_do_disable(struct sdm_console *c, char *arg) { break_change(c, "disable", arg); }
void sdm_console_do_condition(struct sdm_console *c, char *arg) { break_change(c, "condition", arg); }
void sdm_console_do_ignore(struct sdm_console *c, char *arg) { break_change(c, "ignore", arg); }

static const char *kind_of(const struct breakpoint *b) {
  const char *command = json_string_value(json_object_get(b->command, "cmd"));
  return command && !strcmp(command, "watch") ? "watch " : "";
}

static void show_break(struct sdm_console *c, const struct breakpoint *b, const char *ranks) {
  if (c->show.json) {
    json_t *j = json_pack("{s:I, s:s, s:s, s:b, s:s*, s:I}", "breakpoint", (json_int_t)b->id, "where", b->what, "ranks", ranks, "enabled",
                          b->enabled, "at", b->place, "hits", (json_int_t)b->hits);
    char *text = json_dumps(j, JSON_COMPACT);
    fprintf(c->show.out, "%s\n", text);
    free(text);
    json_decref(j);
    return;
  }
  fprintf(c->show.out, "%lld  %s%s  {%s}", b->id, kind_of(b), b->what, ranks);
  if (b->place)
    fprintf(c->show.out, "  at %s", b->place);
  if (b->hits)
    fprintf(c->show.out, "  hit %llu time%s", (unsigned long long)b->hits, b->hits == 1 ? "" : "s");
  fprintf(c->show.out, "%s%s\n", is_temporary(b) ? "  temporary" : "", b->enabled ? "" : "  disabled");
  for (const char *line = b->commands; line && *line && !c->show.json; line += strcspn(line, "\n") + 1)
    fprintf(c->show.out, "        %.*s\n", (int)strcspn(line, "\n"), line);
}

void sdm_console_show_breaks(struct sdm_console *c) {
  for (size_t i = 0; i < c->nbreaks; i++) {
    char *ranks = sdm_set_text(c->breaks[i].set);
    if (!sdm_set_is_empty(c->breaks[i].set))
      show_break(c, &c->breaks[i], ranks);
    free(ranks);
  }
}

/* ---- the end with an error ---- */

#if defined(__x86_64__)
#define STATUS "$edi"
#elif defined(__aarch64__)
#define STATUS "$w0"
#else
#define STATUS "1"
#endif

void sdm_console_stop_at_end(struct sdm_console *c, bool on) {
  /* Open MPI's own handling of an error comes to the second one directly. */
  static const char *const ends[][2] = {{"MPI_Abort", ""}, {"ompi_mpi_abort", "!$_caller_is(\"PMPI_Abort\")"}, {"exit", STATUS " != 0"}};
  for (size_t i = 0; i < sizeof(ends) / sizeof(*ends) && on != c->stops_at_end; i++) {
    json_t *j = json_pack("{s:s, s:I}", "cmd", on ? "break" : "delete", "id", (json_int_t)(SDM_END_BREAK + i));
    if (on)
      json_object_update_new(j, json_pack("{s:s, s:s}", "where", ends[i][0], "condition", ends[i][1]));
    sdm_answer_free(sdm_session_ask(c->s, c->s->all, j, SDM_REDUCE_SAME, c->timeout_ms));
  }
  c->stops_at_end = on;
}
