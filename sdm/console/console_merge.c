/* Variables of many ranks, merged one by one: each name once, with all its values and who has them. */
#include <stdlib.h>
#include <string.h>

#include "sdm/console/console_private.h"
#include "sdm/console/show_private.h"

#define VALUES_MAX 4 /* of one variable, before they are counted only */

struct value {
  const char *text; /* of an answer that outlives it */
  struct sdm_set *set;
};

struct variable {
  const char *name;
  struct value *values;
  size_t n;
};

static void add_value(struct variable *v, const char *text, const struct sdm_set *who) {
  for (size_t i = 0; i < v->n; i++)
    if (!strcmp(v->values[i].text, text)) {
      sdm_set_union(v->values[i].set, who);
      return;
    }
  v->values = sdm_realloc(v->values, (v->n + 1) * sizeof(*v->values));
  v->values[v->n++] = (struct value){text, sdm_set_copy(who)};
}

static void variable_fini(struct variable *v) {
  for (size_t i = 0; i < v->n; i++)
    sdm_set_free(v->values[i].set);
  free(v->values);
}

/* Which differ from rank to rank for no reason that one could see in them. */
static bool are_addresses(const struct variable *v) {
  for (size_t i = 0; i < v->n; i++)
    if (strncmp(v->values[i].text, "0x", 2) || strlen(v->values[i].text) < 8)
      return false;
  return true;
}

/* "5", or "5 {0-2}, 7 {3}", or "8 values"; of addresses that differ so many, if 'addresses'. */
static void print_values(FILE *out, const struct variable *v, const struct sdm_set *of, bool addresses) {
  if (v->n == 1 && sdm_set_equal(v->values[0].set, of)) {
    fprintf(out, "%s", v->values[0].text);
    return;
  }
  if (v->n > VALUES_MAX || (v->n > 1 && addresses && are_addresses(v))) {
    fprintf(out, "%zu values", v->n);
    return;
  }
  for (size_t i = 0; i < v->n; i++) {
    char *ranks = sdm_set_text(v->values[i].set);
    fprintf(out, "%s%s {%s}", i ? ", " : "", v->values[i].text, ranks);
    free(ranks);
  }
}

static const char *text_of(const json_t *j, const char *key) {
  const char *s = json_string_value(json_object_get(j, key));
  return s ? s : "";
}

/* The variable of that name, added if it is new. */
static struct variable *named(struct variable **list, size_t *n, const char *name) {
  for (size_t i = 0; i < *n; i++)
    if (!strcmp((*list)[i].name, name))
      return &(*list)[i];
  *list = sdm_realloc(*list, (*n + 1) * sizeof(**list));
  (*list)[*n] = (struct variable){.name = name};
  return &(*list)[(*n)++];
}

static void add_all(struct variable **list, size_t *n, const json_t *variables, const struct sdm_set *who) {
  json_t *v;
  size_t i;
  json_array_foreach((json_t *)variables, i, v) add_value(named(list, n, text_of(v, "name")), text_of(v, "value"), who);
}

/* Bodies of the good classes; [a->n], the caller frees each. */
static json_t **bodies_of(const struct sdm_answer *a) {
  json_t **bodies = sdm_alloc((a->n + 1) * sizeof(*bodies));
  for (size_t i = 0; i < a->n; i++)
    bodies[i] = a->classes[i].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[i]) : NULL;
  return bodies;
}

static void free_bodies(json_t **bodies, size_t n) {
  for (size_t i = 0; i < n; i++)
    json_decref(bodies[i]);
  free(bodies);
}

void sdm_console_show_variables(struct sdm_console *c, const char *kind) {
  struct sdm_answer *a = sdm_console_ask(c, sdm_console_with_text(c, "variables", "kind", kind), SDM_REDUCE_SAME);
  json_t **bodies = bodies_of(a);
  struct sdm_set *who = sdm_set_new();
  struct variable *list = NULL;
  size_t n = 0, good = 0;
  for (size_t i = 0; i < a->n; i++)
    if (bodies[i]) {
      sdm_set_union(who, a->classes[i].set);
      add_all(&list, &n, json_object_get(bodies[i], "variables"), a->classes[i].set);
      good++;
    }
  if (c->show.json || good < 2)
    sdm_show_answer(&c->show, "variables", a);
  else {
    sdm_show_head(&c->show, who);
    fprintf(c->show.out, "%s\n", n ? "" : "none");
    for (size_t i = 0; i < n; i++) {
      fprintf(c->show.out, "  %s = ", list[i].name);
      print_values(c->show.out, &list[i], who, false);
      fprintf(c->show.out, "\n");
    }
    for (size_t i = 0; i < a->n; i++)
      if (!bodies[i])
        sdm_show_class_error(&c->show, &a->classes[i]);
    sdm_show_missing(&c->show, a);
  }
  for (size_t i = 0; i < n; i++)
    variable_fini(&list[i]);
  free(list);
  c->failed |= sdm_console_had_errors(a);
  free_bodies(bodies, a->n);
  sdm_set_free(who);
  sdm_answer_free(a);
}

/* ---- stacks with arguments ---- */

static const json_t *frame_at(const json_t *body, json_int_t level) {
  json_t *f;
  size_t i;
  json_array_foreach(json_object_get(body, "frames"), i, f) if (json_integer_value(json_object_get(f, "level")) == level) return f;
  return NULL;
}

/* "(a=1, b=2)" of a frame of those in 'who'; nothing for a function without any. */
static void print_arguments(FILE *out, const struct sdm_answer *args, json_t *const *bodies, const struct sdm_set *who, json_int_t level) {
  struct variable *list = NULL;
  size_t n = 0;
  for (size_t i = 0; i < args->n; i++) {
    struct sdm_set *both = sdm_set_intersect(sdm_set_copy(who), args->classes[i].set);
    if (bodies[i] && !sdm_set_is_empty(both))
      add_all(&list, &n, json_object_get(frame_at(bodies[i], level), "args"), both);
    sdm_set_free(both);
  }
  for (size_t i = 0; i < n; i++) {
    fprintf(out, "%s%s=", i ? ", " : " (", list[i].name);
    print_values(out, &list[i], who, true);
    variable_fini(&list[i]);
  }
  fprintf(out, n ? ")" : "");
  free(list);
}

void sdm_console_show_stack(struct sdm_console *c, json_t *command) {
  json_t *ask = json_copy(command);
  struct sdm_answer *a = sdm_console_ask(c, command, SDM_REDUCE_SAME);
  c->failed |= sdm_console_had_errors(a);
  if (c->show.json) {
    sdm_show_answer(&c->show, "stack", a);
    json_decref(ask);
    sdm_answer_free(a);
    return;
  }
  json_object_set_new(ask, "cmd", json_string("variables"));
  json_object_set_new(ask, "kind", json_string("frames"));
  struct sdm_answer *args = sdm_session_ask(c->s, c->to, ask, SDM_REDUCE_SAME, c->timeout_ms);
  json_t **stacks = bodies_of(a), **values = bodies_of(args), *f;
  for (size_t i = 0, k; i < a->n; i++) {
    if (!stacks[i]) {
      sdm_show_class_error(&c->show, &a->classes[i]);
      continue;
    }
    sdm_show_head(&c->show, a->classes[i].set);
    fprintf(c->show.out, "\n");
    json_array_foreach(json_object_get(stacks[i], "frames"), k, f) {
      fprintf(c->show.out, "  #%d  %s", (int)json_integer_value(json_object_get(f, "level")),
              *text_of(f, "func") ? text_of(f, "func") : "??");
      print_arguments(c->show.out, args, values, a->classes[i].set, json_integer_value(json_object_get(f, "level")));
      sdm_show_file(c->show.out, f);
      fprintf(c->show.out, "\n");
    }
  }
  sdm_show_missing(&c->show, a);
  fflush(c->show.out);
  free_bodies(stacks, a->n);
  free_bodies(values, args->n);
  sdm_answer_free(args);
  sdm_answer_free(a);
}
