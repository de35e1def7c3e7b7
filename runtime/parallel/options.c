#include "runtime/parallel/options.h"
#include "base/text.h"
#include "runtime/parallel/job.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int dvmp_options_help;
const char *dvmp_options_profile;
struct dvmp_recording dvmp_options_recording = {.substitute = true};

static int bad(struct dvm_error *err, const char *key, const char *value, const char *expected) {
  return dvm_error_set(err, -EINVAL, "DVM_OPTIONS: '%s=%s': expected %s", key, value, expected);
}

static int set_help(const char *key, const char *value, struct dvm_error *err) {
  if (strcmp(value, "0") && strcmp(value, "1"))
    return bad(err, key, value, "0 or 1");
  dvmp_options_help = *value == '1';
  return 0;
}

static int set_bool(const char *key, const char *value, struct dvm_error *err) {
  if (strcmp(value, "0") && strcmp(value, "1"))
    return bad(err, key, value, "0 or 1");
  bool *to = !strcmp(key, "guard")    ? &dvmp_job.guard
             : !strcmp(key, "huge")   ? &dvmp_job.huge
             : !strcmp(key, "poison") ? &dvmp_job.poison
                                      : &dvmp_job.digest;
  *to = *value == '1';
  return 0;
}

static int set_grid(const char *key, const char *value, struct dvm_error *err) {
  const char *at = value;
  dvmp_job.ngrid = 0;
  for (;;) {
    char *end;
    long n = strtol(at, &end, 10);
    if (*at < '0' || *at > '9' || n < 1 || n > 1 << 24 || dvmp_job.ngrid == DVMRT_NDIMS_MAX || (*end && *end != 'x'))
      return bad(err, key, value, "numbers of processors with 'x' between them, as in 2x3");
    dvmp_job.grid[dvmp_job.ngrid++] = (int)n;
    if (!*end)
      return 0;
    at = end + 1;
  }
}

static int set_patience(const char *key, const char *value, struct dvm_error *err) {
  char *end;
  double s = strtod(value, &end);
  if (*value < '0' || *value > '9' || *end || !(s > 0 && s < 1e9))
    return bad(err, key, value, "a positive number of seconds");
  dvmp_job.patience_s = s;
  return 0;
}

static int set_io(const char *key, const char *value, struct dvm_error *err) {
  if (strcmp(value, "one") && strcmp(value, "all"))
    return bad(err, key, value, "one or all");
  dvmp_job.everywhere = *value == 'a';
  return 0;
}

static int set_tasks(const char *key, const char *value, struct dvm_error *err) {
  if (strcmp(value, "own") && strcmp(value, "all"))
    return bad(err, key, value, "own or all");
  dvmp_job.tasks_all = *value == 'a';
  return 0;
}

static int set_profile(const char *key, const char *value, struct dvm_error *err) {
  if (!*value)
    return bad(err, key, value, "a folder");
  return (dvmp_options_profile = strdup(value)) ? 0 : dvm_error_set(err, -ENOMEM, "out of memory");
}

static int set_trace(const char *key, const char *value, struct dvm_error *err) {
  struct dvmp_recording *o = &dvmp_options_recording;
  const char **to = !strcmp(key, "trace_job")       ? &o->job
                    : !strcmp(key, "trace_file")    ? &o->file
                    : !strcmp(key, "trace_results") ? &o->results
                    : !strcmp(key, "trace_live")    ? &o->live
                    : !strcmp(key, "trace_level")   ? &o->level
                    : !strcmp(key, "trace_config")  ? &o->config
                                                    : NULL;
  o->step |= !strcmp(key, "trace_step");
  if (!strcmp(key, "trace_rows")) {
    o->whole = !strcmp(value, "0");
    o->small = !strcmp(value, "2");
  }
  o->bounds |= !strcmp(key, "trace_bounds");
  if (to && !(*to = strdup(value)))
    return dvm_error_set(err, -ENOMEM, "out of memory");
  return 0;
}

/* "N@FILE:LINE" */
static int set_elements(const char *key, const char *value, struct dvm_error *err) {
  struct dvmp_recording *o = &dvmp_options_recording;
  char *end, *colon;
  o->elements_execution = strtoul(value, &end, 10);
  char *file = *end == '@' ? strdup(end + 1) : NULL;
  if (!file || !(colon = strrchr(file, ':')) || colon == file) {
    free(file);
    return bad(err, key, value, "N@FILE:LINE");
  }
  *colon = 0;
  o->elements_line = (unsigned)strtoul(colon + 1, NULL, 10);
  o->elements_file = file;
  return 0;
}

static int set_substitute(const char *key, const char *value, struct dvm_error *err) {
  if (strcmp(value, "0") && strcmp(value, "1"))
    return bad(err, key, value, "0 or 1");
  dvmp_options_recording.substitute = *value == '1';
  return 0;
}

static int refuse(const char *key, const char *value, struct dvm_error *err) {
  return dvm_error_set(err, -EINVAL,
                       "DVM_OPTIONS: '%s=%s': this program was compiled for parallel execution, not for checking: use 'dvmcc -fdvm=check'",
                       key, value);
}

static const struct {
  const char *key, *line;
  int (*set)(const char *key, const char *value, struct dvm_error *err);
} table[] = {
    {"help", "help=0             1: list the keys and exit", set_help},
    {"grid", "grid=              processors along the divided dimensions, as in 2x3, of arrays that have as many of them", set_grid},
    {"patience", "patience=5         seconds for which all ranks may wait for each other before they are reported as diverged",
     set_patience},
    {"io", "io=one             all: each rank does its own input and output, for programs with MPI calls of their own", set_io},
    {"tasks", "tasks=own          all: each task is executed by all ranks, not by those of the processors that 'map' gives it", set_tasks},
    {"guard", "guard=1            0: memory of other ranks' elements stays accessible, but holds stale values", set_bool},
    {"huge", "huge=1             0: no large pages are asked for, for the ranks' parts of large arrays", set_bool},
    {"poison", "poison=0           1: check each access: names the first element that no directive provides", set_bool},
    {"digest", "digest=0           1: print to stderr a digest of each array's final contents, the same for any number of ranks", set_bool},
    {"substitute",
     "substitute=1       0: continue with this run's own results of reductions, not with those of the reference that agree with them",
     set_substitute},
    {"profile", "profile=           a folder into which each rank writes where its time went, for 'dvm profile'", set_profile},
    {"trace", NULL, set_trace},
    {"trace_job", NULL, set_trace},
    {"trace_ring", NULL, set_trace},
    {"trace_file", NULL, set_trace},
    {"trace_results", NULL, set_trace},
    {"trace_elements", NULL, set_elements},
    {"trace_live", NULL, set_trace},
    {"trace_step", NULL, set_trace},
    {"trace_rows", NULL, set_trace},
    {"trace_bounds", NULL, set_trace},
    {"trace_level", NULL, set_trace},
    {"trace_config", NULL, set_trace},
    {"report", NULL, refuse},
    {"exitcode", NULL, refuse},
    {"max_errors", NULL, refuse},
    {"halt_on_error", NULL, refuse},
    {"color", NULL, refuse},
    {"stats", NULL, refuse},
    {"history", NULL, refuse},
    {"checks", NULL, refuse},
    {"reduction", NULL, refuse},
    {"device", NULL, refuse},
};
enum { NKEYS = sizeof(table) / sizeof(table[0]) };

const char *dvmp_options_line(unsigned i) { return i < NKEYS ? table[i].line : NULL; }

static int set_one(char *pair, struct dvm_error *err) {
  const char *keys[NKEYS + 1] = {NULL}, *near;
  char *value = strchr(pair, '=');
  if (!value)
    return dvm_error_set(err, -EINVAL, "DVM_OPTIONS: '%s': expected key=value", pair);
  *value++ = 0;
  for (unsigned i = 0; i < NKEYS; i++) {
    keys[i] = table[i].key;
    if (!strcmp(table[i].key, pair))
      return table[i].set(pair, value, err);
  }
  near = dvm_text_nearest(pair, keys);
  if (near)
    return dvm_error_set(err, -EINVAL, "DVM_OPTIONS: unknown key '%s'; did you mean '%s'?", pair, near);
  return dvm_error_set(err, -EINVAL, "DVM_OPTIONS: unknown key '%s'; DVM_OPTIONS=help=1 lists the keys", pair);
}

int dvmp_options_parse(const char *text, struct dvm_error *err) {
  char pair[1024];
  while (*text) {
    size_t n = 0;
    for (; *text && *text != ':'; text++) {
      if (text[0] == '\\' && text[1] == ':')
        text++;
      if (n + 1 == sizeof(pair))
        return dvm_error_set(err, -E2BIG, "DVM_OPTIONS: a value is longer than %zu bytes", sizeof(pair) - 1);
      pair[n++] = *text;
    }
    pair[n] = 0;
    text += *text == ':';
    int rc = n ? set_one(pair, err) : 0;
    if (rc)
      return rc;
  }
  return 0;
}
