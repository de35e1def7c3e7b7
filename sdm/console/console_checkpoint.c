/* Checkpoints of the console: saving, listing, restarting. */
#include <stdlib.h>
#include <string.h>

#include "sdm/console/console_private.h"
#include "sdm/session/checkpoints.h"

/* Lines that the user has given to breakpoints, which only the console knows. */
static json_t *commands_of_breaks(const struct sdm_console *c) {
  json_t *commands = json_object();
  for (size_t i = 0; i < c->nbreaks; i++) {
    char id[24];
    snprintf(id, sizeof(id), "%lld", c->breaks[i].id);
    if (c->breaks[i].commands)
      json_object_set_new(commands, id, json_string(c->breaks[i].commands));
  }
  return commands;
}

static void show_image(const struct sdm_show *w, const json_t *one) {
  json_int_t number = json_integer_value(json_object_get(one, "checkpoint"));
  const char *when = json_string_value(json_object_get(one, "time"));
  if (w->json) {
    char *text = json_dumps(one, JSON_COMPACT | JSON_SORT_KEYS);
    fprintf(w->out, "%s\n", text);
    free(text);
    return;
  }
  if (number)
    fprintf(w->out, "%lld  ", (long long)number);
  else
    fprintf(w->out, "   ");
  fprintf(w->out, "{%s}  %s%s%s%s\n", json_string_value(json_object_get(one, "ranks")), when ? when : "", when ? "  " : "",
          json_string_value(json_object_get(one, "handle")),
          json_is_true(json_object_get(one, "outside")) ? "  (asked for from outside)" : "");
}

static void list_images(struct sdm_console *c) {
  json_t *list = sdm_session_images(c->s, c->to), *one;
  size_t i;
  json_array_foreach(list, i, one) show_image(&c->show, one);
  if (!json_array_size(list) && !c->show.json)
    fprintf(c->show.out, "no checkpoints yet\n");
  json_decref(list);
}

void sdm_console_do_checkpoint(struct sdm_console *c, char *arg) {
  if (!strcmp(arg, "list") || !strcmp(arg, "-l")) {
    list_images(c);
    return;
  }
  if (*arg && *arg != '-') {
    sdm_console_fail(c, "expected: checkpoint [OPTION...], with the options of 'dvm checkpoint', or: checkpoint list");
    return;
  }
  sdm_console_note_nobody(c);
  struct sdm_answer *a = sdm_session_save(c->s, c->to, arg, commands_of_breaks(c));
  sdm_show_answer(&c->show, "checkpoint", a);
  c->failed |= sdm_console_had_errors(a);
  sdm_answer_free(a);
}

/* Breakpoints that have come back with an image. */
void sdm_console_restored(struct sdm_console *c, const struct sdm_set *ids, const json_t *result) {
  const json_t *one;
  size_t i;
  json_array_foreach(json_object_get(result, "breakpoints"), i, one) {
    const char *lines = json_string_value(json_object_get(one, "commands"));
    sdm_console_known(c, ids, one);
    struct breakpoint *b = sdm_console_find_break(c, json_integer_value(json_object_get(one, "id")));
    if (b && lines && !b->commands)
      b->commands = sdm_strdup(lines);
    if (b)
      b->enabled = !json_integer_value(json_object_get(one, "disabled"));
  }
}

void sdm_console_do_restart(struct sdm_console *c, char *arg) {
  struct dvm_error err = DVM_ERROR_INIT;
  sdm_console_note_nobody(c);
  struct sdm_answer *a = sdm_session_restart(c->s, c->to, arg, &err);
  if (!a) {
    sdm_console_fail(c, err.text);
    return;
  }
  for (size_t i = 0; i < a->n; i++) {
    json_t *result = a->classes[i].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[i]) : NULL;
    sdm_console_restored(c, a->classes[i].set, result);
    json_decref(result);
  }
  sdm_show_answer(&c->show, "restart", a);
  c->failed |= sdm_console_had_errors(a);
  c->frame = -1;
  c->thread = 0;
  sdm_session_wait(c->s, c->to, c->timeout_ms, &sdm_console_interrupted); /* the stops are events of their own */
  sdm_answer_free(a);
}
