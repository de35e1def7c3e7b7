#include "sdm/server/reduced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sdm/answer.h"
#include "sdm/overlay/prefix.h"
#include "sdm/reduce.h"

/* The first number in a value as gdb prints it: "42", "3.5", "0x1f", "65 'A'". */
static bool number_of(const char *text, long double *out) {
  char *end;
  long double v = strtold(text, &end); /* 64 bits: exact for integers */
  if (end == text || (*end && *end != ' '))
    return false;
  *out = v;
  return true;
}

/* Numbers of a command that JSON's are too short for are text. */
static long double real_of(const json_t *args, const char *key) {
  const json_t *j = json_object_get(args, key);
  return json_is_string(j) ? strtold(json_string_value(j), NULL) : (long double)json_number_value(j);
}

typedef const char *(*body_f)(const json_t *args, const json_t *result, sdm_id id, struct sdm_bytes *out);

static const char *value_of(const json_t *result, long double *v) {
  const char *text = json_string_value(json_object_get(result, "value"));
  return text && number_of(text, v) && isfinite(*v) ? NULL : "the value is not a number";
}

static const char *stats_body(const json_t *args, const json_t *result, sdm_id id, struct sdm_bytes *out) {
  long double v;
  const char *why = value_of(result, &v);
  (void)args;
  if (!why)
    sdm_stats_encode(&(struct sdm_stats){1, v, 0, v, v, id, id}, out);
  return why;
}

static const char *histogram_body(const json_t *args, const json_t *result, sdm_id id, struct sdm_bytes *out) {
  struct sdm_histogram h;
  long double v;
  const char *why = value_of(result, &v);
  json_int_t bins = json_integer_value(json_object_get(args, "bins"));
  if (why)
    return why;
  if (bins < 0 || bins > SDM_BINS_MAX || sdm_histogram_init(&h, real_of(args, "low"), real_of(args, "high"), (uint32_t)bins))
    return "the histogram's limits are invalid";
  sdm_histogram_add(&h, v, id);
  sdm_histogram_encode(&h, out);
  sdm_histogram_fini(&h);
  return NULL;
}

static const char *top_body(const json_t *args, const json_t *result, sdm_id id, struct sdm_bytes *out) {
  long double v;
  const char *why = value_of(result, &v);
  json_int_t limit = json_integer_value(json_object_get(args, "limit"));
  struct sdm_top t = {.smallest = limit < 0, .limit = (uint32_t)(limit < 0 ? -limit : limit)};
  if (!why && (!limit || limit > (json_int_t)SDM_TOP_MAX || -limit > (json_int_t)SDM_TOP_MAX))
    why = "too many extremes are requested";
  if (!why) {
    sdm_top_add(&t, v, id);
    sdm_top_encode(&t, out);
  }
  return why;
}

/* Of all threads. */
static void add_stacks(struct sdm_prefix *p, const json_t *stacks, sdm_id id) {
  json_t *stack, *name;
  size_t i, k;
  json_array_foreach((json_t *)stacks, i, stack) {
    const char **names = sdm_alloc((json_array_size(stack) + 1) * sizeof(*names));
    json_array_foreach(stack, k, name) names[k] = json_string_value(name) ? json_string_value(name) : "??";
    sdm_prefix_add(p, names, json_array_size(stack), id);
    free(names);
  }
}

static const char *tree_body(const json_t *args, const json_t *result, sdm_id id, struct sdm_bytes *out) {
  (void)args;
  json_t *frames = json_object_get(result, "frames");
  size_t n = json_array_size(frames);
  char **names = sdm_alloc((n ? n : 1) * sizeof(*names));
  for (size_t i = 0; i < n; i++) { /* frame 0 is the innermost, the tree begins outside */
    const json_t *f = json_array_get(frames, n - 1 - i);
    const char *func = json_string_value(json_object_get(f, "func")), *file = json_string_value(json_object_get(f, "file"));
    struct dvm_text t = DVM_TEXT_INIT;
    const char *lib = json_string_value(json_object_get(f, "lib"));
    dvm_text_add(&t, func ? func : "??");
    if (file)
      dvm_text_printf(&t, " %s:%d", file, (int)json_integer_value(json_object_get(f, "line")));
    else if (lib)
      dvm_text_printf(&t, " %s", lib);
    names[i] = t.s;
  }
  struct sdm_prefix *p = sdm_prefix_new();
  if (json_object_get(result, "stacks"))
    add_stacks(p, json_object_get(result, "stacks"), id);
  else
    sdm_prefix_add(p, (const char *const *)names, n, id);
  sdm_prefix_encode(p, out);
  sdm_prefix_free(p);
  for (size_t i = 0; i < n; i++)
    free(names[i]);
  free(names);
  return NULL;
}

/* The whole answer as a line, for a front end that needs those of all ranks. */
static const char *lines_body(const json_t *args, const json_t *result, sdm_id id, struct sdm_bytes *out) {
  json_t *j = json_copy((json_t *)result);
  (void)args;
  json_object_set_new(j, "rank", json_integer(id));
  char *text = json_dumps(j, JSON_COMPACT);
  sdm_bytes_add(out, text, strlen(text));
  sdm_bytes_add(out, "\n", 1);
  free(text);
  json_decref(j);
  return NULL;
}

static const struct {
  const char *name;
  body_f body;
} reducers[] = {{"stats", stats_body}, {"tree", tree_body}, {"histogram", histogram_body}, {"top", top_body}, {"lines", lines_body}};

const char *sdm_server_reduced(const json_t *args, const json_t *result, sdm_id id, struct sdm_bytes *out) {
  const char *name = json_string_value(json_object_get(args, "reduce"));
  for (size_t i = 0; i < sizeof(reducers) / sizeof(*reducers); i++)
    if (!strcmp(name, reducers[i].name))
      return reducers[i].body(args, result, id, out);
  return NULL;
}

bool sdm_server_is_inlier(const json_t *args, const json_t *result) {
  long double v = 0;
  const char *text = json_string_value(json_object_get(result, "value"));
  return text && number_of(text, &v) && fabsl(v - real_of(args, "mean")) <= real_of(args, "limit");
}
