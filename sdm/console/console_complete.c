/* What the last word of a line may become: commands, sets, and what gdb knows: symbols, fields, files, its own words. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sdm/console/console_private.h"

#define TIMEOUT_MS 3000 /* at the keyboard */

const char *sdm_console_last_word(const char *line) {
  const char *word = line;
  for (const char *p = line; *p; p++)
    if (strchr(CONSOLE_WORD_BREAKS, *p))
      word = p + 1;
  return word;
}

static void add_if(json_t *list, const char *candidate, const char *word) {
  json_t *one;
  size_t i;
  if (strncmp(candidate, word, strlen(word)))
    return;
  json_array_foreach(list, i, one) if (!strcmp(json_string_value(one), candidate)) return;
  json_array_append_new(list, json_string(candidate));
}

static void add_sets(struct sdm_console *c, json_t *list, const char *word) {
  static const char *const own[] = {"all", "stopped", "running", "exited", "dead", "bp(", "at(", "host(", "value("};
  for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
    add_if(list, own[i], word);
  for (size_t i = 0; i < c->names.n; i++)
    add_if(list, c->names.items[i].name, word);
}

/* gdb gives whole lines; a word of its own may be longer than ours. */
static void add_from_gdb(struct sdm_console *c, json_t *list, const char *line) {
  struct sdm_set *one = sdm_set_new();
  const struct sdm_set *of = sdm_set_is_empty(c->s->stopped) ? c->s->all : c->s->stopped;
  struct sdm_set_iter it = sdm_set_iter(of);
  struct dvm_text t = DVM_TEXT_INIT;
  sdm_id rank;
  if (sdm_set_iter_id(&it, &rank))
    sdm_set_add_element(one, rank);
  dvm_text_printf(&t, "complete %s", line);
  json_t *command = sdm_console_with_text(c, "raw", "text", dvm_text_str(&t));
  struct sdm_answer *a = sdm_session_ask(c->s, one, command, SDM_REDUCE_SAME, TIMEOUT_MS);
  json_t *body = a->n && a->classes[0].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[0]) : NULL;
  const char *text = json_string_value(json_object_get(body, "text"));
  const size_t head = (size_t)(sdm_console_last_word(line) - line);
  while (text && *text) {
    size_t n = strcspn(text, "\n");
    if (n > head && !strncmp(text, line, head)) {
      char *word = sdm_alloc(n - head + 1);
      memcpy(word, text + head, n - head);
      add_if(list, word, line + head);
      free(word);
    }
    text += n + (text[n] == '\n');
  }
  json_decref(body);
  sdm_answer_free(a);
  dvm_text_fini(&t);
  sdm_set_free(one);
}

/* Behind "[SET]" or "pRANKS".  NULL: one is being typed there. */
static const char *behind_prefix(const char *line) {
  line += strspn(line, " \t");
  if (*line == '[') {
    const char *end = strchr(line, ']');
    return end ? end + 1 + strspn(end + 1, " \t") : NULL;
  }
  if (*line == 'p' && isdigit((unsigned char)line[1])) {
    const char *end = line + strcspn(line, " \t");
    return *end ? end + strspn(end, " \t") : line;
  }
  return line;
}

/* Our words, and the word of gdb that takes the same. */
static const struct {
  const char *name, *like;
} alike[] = {{"barrier", "break"}, {"diff", "print"}, {"gdb", ""}, {"display", "print"}, {"advance", "break"}, {"x", "print"}};

static const char *const subjects[][10] = {
    {"dvm", "construct", "arrays", "owner", "shadow", "diagnostics", "stats", "break-on-diagnostic"},
    {"info", "breakpoints", "threads", "registers", "signals", "locals", "args", "ranks", "display"},
    {"set", "var", "timeout", "stop-all", "stop-at-end"},
};

static void add_arguments(struct sdm_console *c, json_t *list, const char *line) {
  size_t n = strcspn(line, " \t/");
  const char *rest = line + strcspn(line, " \t"), *name = sdm_console_full_name(line, n);
  const char *word = sdm_console_last_word(rest), *like = name;
  struct dvm_text t = DVM_TEXT_INIT;
  rest += strspn(rest, " \t");
  if (!name)
    like = line; /* gdb's own */
  else if (!strcmp(name, "focus") || !strcmp(name, "viewset") || !strcmp(name, "define"))
    add_sets(c, list, word);
  for (size_t i = 0; name && i < sizeof(subjects) / sizeof(*subjects); i++)
    for (size_t k = 1; !strcmp(subjects[i][0], name) && word == rest && k < 10 && subjects[i][k]; k++)
      add_if(list, subjects[i][k], word);
  for (size_t i = 0; name && i < sizeof(alike) / sizeof(*alike); i++)
    if (!strcmp(alike[i].name, name))
      like = alike[i].like;
  while (name && *rest == '-' && strchr(rest, ' ') && !strcmp(name, "print")) /* -s, -h 10, -t 3 */
    rest = strchr(rest, ' ') + 1;
  if (name)
    dvm_text_printf(&t, "%s%s%s", like, *like ? " " : "", rest);
  else
    dvm_text_add(&t, like);
  add_from_gdb(c, list, dvm_text_str(&t));
  dvm_text_fini(&t);
}

json_t *sdm_console_completions(struct sdm_console *c, const char *line) {
  json_t *list = json_array();
  const char *rest = behind_prefix(line), *word = sdm_console_last_word(line);
  if (!rest)
    add_sets(c, list, word);
  else if (!rest[strcspn(rest, " \t")]) {
    const char *name;
    for (size_t i = 0; (name = sdm_console_command_name(i)); i++)
      add_if(list, name, rest);
    if (!json_array_size(list) && *rest)
      add_from_gdb(c, list, rest);
  } else
    add_arguments(c, list, rest);
  return list;
}
