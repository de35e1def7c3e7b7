/* The command 'dvm': what the run-time libraries of checked programs know. */
#include <stdlib.h>
#include <string.h>

#include "base/facts.h"
#include "sdm/console/console_private.h"
#include "sdm/console/show_private.h"

/* One breakpoint for it; "off" takes it away. */
static void stop_at_diagnostics(struct sdm_console *c, const char *how) {
  char number[24] = "";
  if (!strcmp(how, "off")) {
    for (size_t i = 0; i < c->nbreaks; i++)
      if (!strcmp(c->breaks[i].what, CONSOLE_DIAGNOSTIC)) {
        snprintf(number, sizeof(number), "%lld", c->breaks[i].id);
        sdm_console_do_delete(c, number);
        return;
      }
    sdm_console_fail(c, "the programs do not stop at diagnostics");
  } else if (*how)
    sdm_console_fail(c, "expected: dvm break-on-diagnostic [off]");
  else
    sdm_console_add_break(c, json_pack("{s:s, s:s}", "cmd", "break", "where", DVM_FACTS_STOP), CONSOLE_DIAGNOSTIC);
}

/* ---- what differs from rank to rank of a parallel run, in one answer ---- */

#define PARTS_SHOWN 16

static const char *text_of(const json_t *j, const char *key) {
  const char *s = json_string_value(json_object_get(j, key));
  return s ? s : "";
}

static int by_rank(const void *x, const void *y) {
  const json_t *const *a = x, *const *b = y;
  json_int_t i = json_integer_value(json_object_get(*a, "rank")), j = json_integer_value(json_object_get(*b, "rank"));
  return i < j ? -1 : i > j;
}

static json_t *rank_of_first(const json_t *body) {
  const json_t *first = json_array_get(json_object_get(body, "arrays"), 0);
  return json_object_get(first ? first : body, "rank");
}

/* Answers of all ranks that could, in their order: [number of classes + 1], NULL at the end; the caller frees them. */
static json_t **bodies_of(const struct sdm_answer *a, struct sdm_set *who) {
  json_t **bodies = sdm_alloc((a->n + 1) * sizeof(*bodies));
  size_t n = 0;
  for (size_t i = 0; i < a->n; i++)
    if (a->classes[i].kind == SDM_CLASS_OK) {
      json_t *body = sdm_class_json(&a->classes[i]);
      json_object_set(body, "rank", rank_of_first(body));
      sdm_set_union(who, a->classes[i].set);
      bodies[n++] = body;
    }
  qsort(bodies, n, sizeof(*bodies), by_rank);
  return bodies;
}

static void show_failures(struct sdm_console *c, const struct sdm_answer *a) {
  for (size_t i = 0; i < a->n; i++)
    if (a->classes[i].kind != SDM_CLASS_OK)
      sdm_show_class_error(&c->show, &a->classes[i]);
  sdm_show_missing(&c->show, a);
  fflush(c->show.out);
}

static void finish(struct sdm_console *c, struct sdm_answer *a, json_t **bodies, struct sdm_set *who) {
  for (json_t **b = bodies; *b; b++)
    json_decref(*b);
  free(bodies);
  sdm_set_free(who);
  c->failed |= sdm_console_had_errors(a);
  sdm_answer_free(a);
}

/* Are they the same array, at two ranks? */
static bool is_same(const json_t *x, const json_t *y) {
  static const char *const keys[] = {"name", "file", "line", "extents", "distribution", "grid", NULL};
  for (const char *const *k = keys; *k; k++)
    if (json_object_get(x, *k) != json_object_get(y, *k) && !json_equal(json_object_get(x, *k), json_object_get(y, *k)))
      return false;
  return true;
}

static const json_t *find_array(const json_t *body, const json_t *like) {
  const json_t *x;
  size_t i;
  json_array_foreach(json_object_get(body, "arrays"), i, x) if (is_same(x, like)) return x;
  return NULL;
}

/* "    grid 2x2: 0 [0..49][0..49], 1 [0..49][50..99], .." */
static void show_parts(FILE *out, json_t *const *bodies, const json_t *like) {
  json_t *grid = json_object_get(like, "grid"), *n;
  size_t i, shown = 0, all = 0;
  fprintf(out, "    ");
  json_array_foreach(grid, i, n) fprintf(out, "%s%lld", i ? "x" : "grid ", (long long)json_integer_value(n));
  fprintf(out, grid ? ": " : "each rank has all of it");
  for (; *bodies; bodies++) {
    const json_t *x = find_array(*bodies, like);
    const char *own = x && grid ? text_of(x, "own") : "";
    if (!*own)
      continue;
    if (all++ < PARTS_SHOWN)
      fprintf(out, "%s%lld %s", shown++ ? ", " : "", (long long)json_integer_value(json_object_get(x, "rank")), own);
  }
  fprintf(out, all > shown ? ", and %zu more ranks\n" : "\n", all - shown);
}

static void show_arrays(struct sdm_console *c) {
  struct sdm_answer *a = sdm_console_ask(c, json_pack("{s:s, s:s}", "cmd", "dvm", "what", "arrays"), SDM_REDUCE_SAME);
  struct sdm_set *who = sdm_set_new();
  json_t **bodies = bodies_of(a, who), *x;
  size_t i;
  if (c->show.json || !*bodies || !rank_of_first(*bodies))
    sdm_show_answer(&c->show, "dvm", a);
  else {
    sdm_show_head(&c->show, who);
    fprintf(c->show.out, "\n");
    for (json_t **b = bodies; *b; b++)
      json_array_foreach(json_object_get(*b, "arrays"), i, x) {
        bool before = false;
        for (json_t **o = bodies; o < b && !before; o++)
          before = find_array(*o, x) != NULL;
        if (before)
          continue;
        sdm_show_facts_array(c->show.out, x);
        show_parts(c->show.out, bodies, x);
      }
    show_failures(c, a);
  }
  finish(c, a, bodies, who);
}

/* "A[40][4]: rank 2 has it, in the edge of ranks 1,3" */
static void show_owner(struct sdm_console *c, const char *element) {
  json_t *j = sdm_console_with_text(c, "dvm", "what", "owner");
  json_object_set_new(j, "expression", json_string(element));
  struct sdm_answer *a = sdm_console_ask(c, j, SDM_REDUCE_SAME);
  struct sdm_set *who = sdm_set_new();
  json_t **bodies = bodies_of(a, who);
  if (c->show.json || !*bodies)
    sdm_show_answer(&c->show, "dvm", a);
  else {
    for (json_t **b = bodies; *b; b++) {
      const char *name = text_of(*b, "element");
      bool before = false;
      int edges = 0;
      for (json_t **o = bodies; o < b; o++)
        before |= !strcmp(text_of(*o, "element"), name);
      if (before)
        continue;
      bool many = strpbrk(text_of(*b, "owners"), ",-") != NULL;
      fprintf(c->show.out, many ? "%s: ranks %s have it" : "%s: rank %s has it", name, text_of(*b, "owners"));
      for (json_t **o = b; *o; o++)
        if (!strcmp(text_of(*o, "element"), name) && !strcmp(text_of(*o, "here"), "edge"))
          fprintf(c->show.out, "%s%lld", edges++ ? "," : ", an edge of rank ", (long long)json_integer_value(json_object_get(*o, "rank")));
      fprintf(c->show.out, "\n");
    }
    show_failures(c, a);
  }
  finish(c, a, bodies, who);
}

void sdm_console_do_dvm(struct sdm_console *c, char *arg) {
  static const char *const known[] = {"construct", "arrays", "shadow", "diagnostics", "stats"};
  size_t n = strcspn(arg, " \t");
  if (n && !strncmp("break-on-diagnostic", arg, n)) {
    stop_at_diagnostics(c, arg + n + strspn(arg + n, " \t"));
    return;
  }
  if (n && !strncmp("owner", arg, n)) {
    const char *element = arg + n + strspn(arg + n, " \t");
    if (*element)
      show_owner(c, element);
    else
      sdm_console_fail(c, "expected: dvm owner ELEMENT, as in: dvm owner A[3][4]");
    return;
  }
  if (n && !arg[n] && !strncmp("arrays", arg, n)) {
    show_arrays(c);
    return;
  }
  for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
    if (!arg[n] && !strncmp(known[i], arg, n)) { /* nothing: where the program is */
      sdm_console_ask_and_show(c, json_pack("{s:s, s:s}", "cmd", "dvm", "what", known[i]));
      return;
    }
  sdm_console_fail(c, "expected: dvm construct, arrays, owner, shadow, diagnostics, stats or break-on-diagnostic");
}
