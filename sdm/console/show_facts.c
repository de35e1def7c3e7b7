/* What the run-time library of a checked program knows, for people. */
#include <string.h>

#include "sdm/console/show.h"

static const char *text_of(const json_t *j, const char *key) {
  const char *s = json_string_value(json_object_get(j, key));
  return s ? s : "";
}
static long long number_of(const json_t *j, const char *key) { return json_integer_value(json_object_get(j, key)); }

static void times(FILE *out, long long n) {
  if (n == 1)
    fprintf(out, "once");
  else
    fprintf(out, "%lld times", n);
}

/* "parallel loop at jac.c:28" */
static void directive(FILE *out, const json_t *d) {
  const char *kind = text_of(d, "kind");
  fprintf(out, "%s", strcmp(kind, "parallel") ? kind : "parallel loop");
  if (*text_of(d, "file"))
    fprintf(out, " at %s:%lld", text_of(d, "file"), number_of(d, "line"));
}

static void construct(FILE *out, const json_t *c) {
  json_t *list = json_object_get(c, "indices"), *v;
  size_t i;
  directive(out, c);
  if (json_is_true(json_object_get(c, "proved")))
    fprintf(out, ", judged as a whole when it was entered: its iterations are not followed");
  else if (list && number_of(c, "iteration"))
    fprintf(out, ", iteration %lld", number_of(c, "iteration"));
  else if (list && !json_object_get(json_array_get(list, 0), "part"))
    fprintf(out, ", before its first iteration");
  if (json_object_get(c, "turns"))
    fprintf(out, ", turn %lld of %lld", number_of(c, "turn"), number_of(c, "turns"));
  json_array_foreach(list, i, v) if (json_object_get(v, "part"))
      fprintf(out, "%s%s %s", i ? ", " : ": this rank's ", text_of(v, "name"), text_of(v, "part"));
  if (number_of(c, "iteration"))
    json_array_foreach(list, i, v)
        fprintf(out, "%s%s=%lld%s", i ? ", " : " (", text_of(v, "name"), number_of(v, "value"), i + 1 == json_array_size(list) ? ")" : "");
  fprintf(out, "\n");
}

static void constructs(FILE *out, const json_t *list) {
  json_t *c;
  size_t i;
  if (!json_array_size(list))
    fprintf(out, "sequential part\n");
  json_array_foreach(list, i, c) {
    if (i)
      fprintf(out, "  in ");
    construct(out, c);
  }
}

void sdm_show_facts_array(FILE *out, const json_t *a) {
  json_t *e;
  size_t i;
  fprintf(out, "  %s %s", text_of(a, "type"), text_of(a, "name"));
  json_array_foreach(json_object_get(a, "extents"), i, e) fprintf(out, "[%lld]", (long long)json_integer_value(e));
  fprintf(out, "  %s", text_of(a, "distribution"));
  if (*text_of(a, "shadow"))
    fprintf(out, " shadow%s", text_of(a, "shadow"));
  if (json_is_true(json_object_get(a, "dynamic")))
    fprintf(out, " dynamic");
  fprintf(out, "  %s:%lld\n", text_of(a, "file"), number_of(a, "line"));
}

static void edge(FILE *out, const json_t *e) {
  json_t *b, *w = json_object_get(e, "written");
  size_t i;
  fprintf(out, "  %s%s  %s", text_of(e, "name"), text_of(e, "shadow"), text_of(e, "state"));
  json_array_foreach(json_object_get(e, "renewed"), i, b) fprintf(out, "%s%s", i ? ", " : ": ", json_string_value(b));
  json_array_foreach(json_object_get(e, "pending"), i, b)
      fprintf(out, "%s%s of group '%s'", i ? ", " : ": ", text_of(b, "edge"), text_of(b, "group"));
  if (json_is_true(json_object_get(e, "shadow_add")))
    fprintf(out, "; an edge of shadow_add is renewed");
  if (json_is_true(json_object_get(e, "dirty")))
    fprintf(out, "; being written");
  if (w)
    fprintf(out, "; last written");
  if (*text_of(w, "file"))
    fprintf(out, " at %s:%lld", text_of(w, "file"), number_of(w, "line"));
  if (json_object_get(w, "in")) {
    fprintf(out, " in the ");
    directive(out, json_object_get(w, "in"));
  }
  fprintf(out, "\n");
}

static void diagnostic(FILE *out, const json_t *d) {
  fprintf(out, "  %s:%lld:%lld: %s: %s [%s]\n", text_of(d, "file"), number_of(d, "line"), number_of(d, "column"), text_of(d, "severity"),
          *text_of(d, "message") ? text_of(d, "message") : text_of(d, "what"), text_of(d, "id"));
  if (number_of(d, "count") == 1 && !*text_of(d, "clause"))
    return;
  fprintf(out, "    ");
  times(out, number_of(d, "count"));
  if (*text_of(d, "clause"))
    fprintf(out, "; smallest clause so far: %s", text_of(d, "clause"));
  fprintf(out, "\n");
}

static void loop(FILE *out, const json_t *l) {
  fprintf(out, "  ");
  directive(out, l);
  fprintf(out, ": run ");
  times(out, number_of(l, "entries"));
  fprintf(out, ", %lld iterations", number_of(l, "iterations"));
  if (number_of(l, "proved")) {
    fprintf(out, "; judged as a whole ");
    times(out, number_of(l, "proved"));
  }
  fprintf(out, "\n");
}

static const struct {
  const char *key, *none;
  void (*show)(FILE *out, const json_t *one);
} listings[] = {
    {"arrays", "no distributed array", sdm_show_facts_array},
    {"edges", "no distributed array", edge},
    {"diagnostics", "no diagnostic so far", diagnostic},
    {"loops", "no parallel loop so far", loop},
};

bool sdm_show_facts(FILE *out, const json_t *r) {
  json_t *list = json_object_get(r, "constructs"), *one;
  size_t k;
  if (list)
    constructs(out, list);
  for (size_t i = 0; i < sizeof(listings) / sizeof(*listings) && !list; i++) {
    json_t *found = json_object_get(r, listings[i].key);
    if (!found)
      continue;
    fprintf(out, "%s\n", json_array_size(found) ? "" : listings[i].none);
    json_array_foreach(found, k, one) listings[i].show(out, one);
    list = found;
  }
  if (json_object_get(r, "accesses"))
    fprintf(out, "  %lld access%s decided by the run-time library, all others inline\n", number_of(r, "accesses"),
            number_of(r, "accesses") == 1 ? "" : "es");
  if (json_is_true(json_object_get(r, "more")))
    fprintf(out, "  and more\n");
  return list != NULL;
}
