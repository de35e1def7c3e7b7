/* 'diff': what most ranks have, and those that differ.  Of large arrays gdb shows the beginning alone: they are compared by digests, and the first
 * element that differs is found by halving. */
#include "sdm/console/console_private.h"

/* The rule first, then the exceptions. */
static void show_classes(struct sdm_console *c, struct sdm_answer *a) {
  size_t most = 0;
  for (size_t i = 1; i < a->n; i++)
    if (sdm_set_size(a->classes[i].set) > sdm_set_size(a->classes[most].set))
      most = i;
  if (most) {
    struct sdm_class k = a->classes[0];
    a->classes[0] = a->classes[most];
    a->classes[most] = k;
  }
  sdm_show_answer(&c->show, "diff", a);
}

/* Those from 'low' to 'high' - 1; 'at' not negative: the one element. */
static struct sdm_answer *elements(struct sdm_console *c, const char *array, json_int_t low, json_int_t high, json_int_t at) {
  json_t *j = sdm_console_with_text(c, "inspect", "expression", array);
  json_object_set_new(j, "what", json_string("elements"));
  if (at >= 0)
    json_object_set_new(j, "at", json_integer(at));
  else if (high)
    json_object_update_new(j, json_pack("{s:I, s:I}", "low", low, "high", high));
  return sdm_console_ask(c, j, SDM_REDUCE_SAME);
}

/* How many elements all have; 0: it is not an array of numbers everywhere, or not of one shape. */
static json_int_t common_count(const struct sdm_answer *a) {
  json_int_t count = 0;
  for (size_t i = 0; i < a->n; i++) {
    json_t *body = a->classes[i].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[i]) : NULL;
    json_int_t n = json_integer_value(json_object_get(body, "count"));
    json_decref(body);
    if (!n || (count && n != count))
      return 0;
    count = n;
  }
  return sdm_console_had_errors(a) ? 0 : count;
}

/* -1: somebody does not answer any more. */
static json_int_t first_difference(struct sdm_console *c, const char *array, json_int_t count) {
  json_int_t low = 0, high = count; /* it is one of these */
  while (high - low > 1) {
    json_int_t middle = low + (high - low) / 2;
    struct sdm_answer *a = elements(c, array, low, middle, -1);
    bool same = a->n == 1, answered = common_count(a) == count;
    sdm_answer_free(a);
    if (!answered)
      return -1;
    *(same ? &low : &high) = middle;
  }
  return low;
}

static void say_equal(struct sdm_console *c, const struct sdm_answer *a, json_int_t count) {
  json_t *body = sdm_class_json(&a->classes[0]);
  if (c->show.json)
    sdm_show_answer(&c->show, "diff", a);
  else
    fprintf(c->show.out, "all equal: %lld elements of type '%s'\n", (long long)count, json_string_value(json_object_get(body, "type")));
  json_decref(body);
}

static void diff_arrays(struct sdm_console *c, const char *array, json_int_t count) {
  json_int_t at = first_difference(c, array, count);
  struct sdm_answer *a = elements(c, array, 0, 0, at < 0 ? 0 : at);
  json_t *body = a->n && a->classes[0].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[0]) : NULL;
  const char *subscripts = json_string_value(json_object_get(body, "element"));
  if (at < 0)
    sdm_console_fail(c, "a rank that was asked for its elements no longer answers");
  else if (subscripts && !c->show.json)
    fprintf(c->show.out, "%lld elements, the first that differs is %s:\n", (long long)count, subscripts);
  if (at >= 0)
    show_classes(c, a);
  c->failed |= sdm_console_had_errors(a);
  json_decref(body);
  sdm_answer_free(a);
}

void sdm_console_do_diff(struct sdm_console *c, char *arg) {
  struct sdm_answer *a = elements(c, arg, 0, 0, -1);
  json_int_t count = common_count(a);
  if (count && a->n == 1)
    say_equal(c, a, count);
  else if (count)
    diff_arrays(c, arg, count);
  else {
    sdm_answer_free(a);
    a = sdm_console_ask(c, sdm_console_with_text(c, "evaluate", "expression", arg), SDM_REDUCE_SAME);
    if (a->n == 1 && !sdm_console_had_errors(a) && !c->show.json)
      fprintf(c->show.out, "all equal: ");
    show_classes(c, a);
    c->failed |= sdm_console_had_errors(a);
  }
  sdm_answer_free(a);
}
