#include "runtime/data/options.h"
#include "base/text.h"
#include "runtime/data/ids.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a key's value is, and where it goes. */
typedef int option_f(struct dvmrt_options *o, const char *key, const char *value, struct dvm_error *err);

static int bad(struct dvm_error *err, const char *key, const char *value, const char *expected) {
  return dvm_error_set(err, -EINVAL, "DVM_OPTIONS: '%s=%s': expected %s", key, value, expected);
}

static int number(uint64_t *to, uint64_t max, const char *key, const char *value, struct dvm_error *err) {
  char *end;
  errno = 0;
  unsigned long long v = strtoull(value, &end, 10);
  if (*value < '0' || *value > '9' || *end || errno || v > max) {
    char text[64];
    snprintf(text, sizeof(text), max == UINT64_MAX ? "a number" : "a number from 0 to %llu", (unsigned long long)max);
    return bad(err, key, value, text);
  }
  *to = v;
  return 0;
}

static int boolean(bool *to, const char *key, const char *value, struct dvm_error *err) {
  if (strcmp(value, "0") && strcmp(value, "1"))
    return bad(err, key, value, "0 or 1");
  *to = *value == '1';
  return 0;
}

/* ---- one function a kind of value ----------------------------------------------------------------------------------------- */

static int set_help(struct dvmrt_options *o, const char *k, const char *v, struct dvm_error *err) { return boolean(&o->help, k, v, err); }
static int set_halt(struct dvmrt_options *o, const char *k, const char *v, struct dvm_error *err) {
  return boolean(&o->halt_on_error, k, v, err);
}
static int set_stats(struct dvmrt_options *o, const char *k, const char *v, struct dvm_error *err) { return boolean(&o->stats, k, v, err); }
static int set_history(struct dvmrt_options *o, const char *k, const char *v, struct dvm_error *err) {
  return boolean(&o->history, k, v, err);
}
static int set_summaries(struct dvmrt_options *o, const char *k, const char *v, struct dvm_error *err) {
  return boolean(&o->summaries, k, v, err);
}
static int set_repeats(struct dvmrt_options *o, const char *k, const char *v, struct dvm_error *err) {
  return boolean(&o->repeats, k, v, err);
}
static int set_stretches(struct dvmrt_options *o, const char *k, const char *v, struct dvm_error *err) {
  return number(&o->stretches, UINT32_MAX, k, v, err);
}
static int set_max_errors(struct dvmrt_options *o, const char *k, const char *v, struct dvm_error *err) {
  o->max_errors_given = true;
  return number(&o->max_errors, UINT64_MAX, k, v, err);
}
static int set_exitcode(struct dvmrt_options *o, const char *k, const char *v, struct dvm_error *err) {
  uint64_t n;
  int rc = number(&n, 255, k, v, err);
  if (!rc)
    o->exitcode = (int)n;
  return rc;
}

static int set_color(struct dvmrt_options *o, const char *k, const char *v, struct dvm_error *err) {
  static const char *const names[] = {"auto", "always", "never"};
  for (int i = 0; i < 3; i++) {
    if (!strcmp(v, names[i])) {
      o->color = i;
      return 0;
    }
  }
  return bad(err, k, v, "auto, always or never");
}

static int set_reduction(struct dvmrt_options *o, const char *k, const char *v, struct dvm_error *err) {
  if (strcmp(v, "mirror") && strcmp(v, "emulate"))
    return bad(err, k, v, "mirror or emulate");
  o->emulate = *v == 'e';
  return 0;
}

static int set_device(struct dvmrt_options *o, const char *k, const char *v, struct dvm_error *err) {
  if (strcmp(v, "none") && strcmp(v, "emulate"))
    return bad(err, k, v, "none or emulate");
  o->device = *v == 'e';
  return 0;
}

static int set_report(struct dvmrt_options *o, const char *k, const char *v, struct dvm_error *err) {
  size_t n = strlen(v);
  bool known = (n > 6 && !strcmp(v + n - 6, ".jsonl")) || (n > 6 && !strcmp(v + n - 6, ".sarif"));
  if (!known || n >= DVMRT_PATH_MAX - 16)
    return bad(err, k, v, "a file name that ends in .jsonl or .sarif");
  if (o->nreports == DVMRT_REPORTS_MAX)
    return bad(err, k, v, "at most 8 reports");
  memcpy(o->report[o->nreports++], v, n + 1);
  return 0;
}

static const char *const check_names[] = {
#define ID_TEXT(sym, name, severity, meaning) name,
    DVMRT_IDS(ID_TEXT)
#undef ID_TEXT
        "anti",
    "all",
    "trace-value",
    "trace-structure",
    "trace-nan" /* of comparisons, which are not made here */,
    NULL};

_Static_assert(sizeof(check_names) / sizeof(check_names[0]) == DVMRT_ID_COUNT + 6,
               "one name each, then anti, all and three of comparisons");
_Static_assert(DVMRT_ID_COUNT <= DVMRT_CHECK_ANTI && DVMRT_CHECK_ANTI < 64, "a check is a bit of a word");

static int check_bits(const char *name, uint64_t *bits) {
  for (unsigned i = 0; check_names[i]; i++) {
    if (strcmp(check_names[i], name))
      continue;
    *bits = i < DVMRT_ID_COUNT ? 1ull << i : i == DVMRT_ID_COUNT ? 1ull << DVMRT_CHECK_ANTI : i == DVMRT_ID_COUNT + 1 ? ~0ull : 0;
    return 0;
  }
  return -EINVAL;
}

static int set_checks(struct dvmrt_options *o, const char *k, const char *v, struct dvm_error *err) {
  while (*v) {
    size_t n = strcspn(v, ",");
    char name[64];
    uint64_t bits;
    if (n < 2 || n >= sizeof(name) || (*v != '-' && *v != '+'))
      return bad(err, k, v, "a list of -name and +name");
    memcpy(name, v + 1, n - 1);
    name[n - 1] = 0;
    const char *plain = strncmp(name, "dvm-", 4) ? name : name + 4;
    if (check_bits(plain, &bits)) {
      const char *near = dvm_text_nearest(plain, check_names);
      return dvm_error_set(err, -EINVAL, "DVM_OPTIONS: '%s': unknown check '%s'%s%s%s", k, plain, near ? "; did you mean '" : "",
                           near ? near : "", near ? "'?" : "");
    }
    o->checks = *v == '-' ? o->checks & ~bits : o->checks | bits;
    v += n + (v[n] == ',');
  }
  return 0;
}

static int text(char to[DVMRT_PATH_MAX], const char *k, const char *v, struct dvm_error *err) {
  size_t n = strlen(v);
  if (n >= DVMRT_PATH_MAX)
    return bad(err, k, v, "a shorter text");
  memcpy(to, v, n + 1);
  return 0;
}

static int set_sdm(struct dvmrt_options *o, const char *k, const char *v, struct dvm_error *err) { return text(o->sdm, k, v, err); }
static int set_sources(struct dvmrt_options *o, const char *k, const char *v, struct dvm_error *err) { return text(o->sources, k, v, err); }

/* Of libdvmtrace, which reads its keys itself where it is part of the program. */
void __dvmt_full(void) __attribute__((weak));

/* Keys of the contract that are not the checker's. */
static int refuse(struct dvmrt_options *o, const char *k, const char *v, struct dvm_error *err) {
  (void)o;
  if ((!strcmp(k, "trace") && !strcmp(v, "off")) || __dvmt_full)
    return 0;
  return dvm_error_set(err, -EINVAL,
                       "DVM_OPTIONS: '%s=%s': this program was compiled for checking, not for recording: use 'dvmcc -fdvm=trace'", k, v);
}

static const struct {
  const char *key, *value, *meaning;
  option_f *set;
} table[] = {
    {"help", "0", "1: list the keys and exit", set_help},
    {"report", "", "write the diagnostics to this file too (.sarif, .jsonl); may be given several times", set_report},
    {"exitcode", "66", "exit with this status if there was an error (0..255)", set_exitcode},
    {"max_errors", "1000", "show at most this many distinct diagnostics; 0: all. If given, checking ends with the last of them",
     set_max_errors},
    {"halt_on_error", "0", "1: end the program at the first error", set_halt},
    {"color", "auto", "auto, always, never", set_color},
    {"stats", "0", "1: always print the summary, with statistics of the run", set_stats},
    {"history", "1", "0: do not show the other access", set_history},
    {"checks", "+all", "-name,+name: switch checks off and on; names are ids without 'dvm-', anti, all", set_checks},
    {"summaries", "1", "0: judge each access by itself, also where a whole loop can be judged when it is entered", set_summaries},
    {"stretches", "8", "judge innermost loops of at least this many iterations before they are executed; 0: judge each access by itself",
     set_stretches},
    {"repeats", "1", "0: judge each access again, also where it can only repeat what has been reported", set_repeats},
    {"reduction", "mirror", "evaluate reductions a second time in this way: mirror, emulate", set_reduction},
    {"device", "none", "emulate: regions are executed on second copies of the data, exchanged as their clauses say", set_device},
    {"sources", "", "show the files of this folder in place of those with the same absolute name (set by 'dvm fix')", set_sources},
    {"trace", "off", "off, record, compare, config", refuse},
    {"trace_file", "", "trace to write (needs trace=record)", refuse},
    {"trace_level", "", "none, minimal, modify, full, checksum (needs trace=record)", refuse},
    {"trace_config", "", "file with trace levels per construct (needs trace=record)", refuse},
    {"trace_ring", "", "set by 'dvm record' and 'dvm compare'", refuse},
    {"trace_job", "", "likewise, of ranks of a job", refuse},
    {"trace_results", "", "likewise", refuse},
    {"trace_elements", "", "likewise", refuse},
    {"trace_live", "", "likewise", refuse},
    {"trace_step", "", "likewise", refuse},
    {"trace_nest", "", "likewise", refuse},
    {"trace_rows", "", "how arrays are summed up (trace_level=checksum)", refuse},
    {"substitute", "1", "of programs that run in parallel under 'dvm compare'", refuse},
    {"reference", "", "trace to compare with (needs trace=compare)", refuse},
    {"tolerance", "", "largest accepted difference (needs trace=compare)", refuse},
    {"sdm", "", "debug server inside the program: HOST\\:PORT of the debugger, or PORT to listen at; ,hold ,secret=FILE", set_sdm},
};
enum { NKEYS = sizeof(table) / sizeof(table[0]) };

void dvmrt_options_default(struct dvmrt_options *o) {
  *o = (struct dvmrt_options){
      .exitcode = 66, .max_errors = 1000, .history = true, .summaries = true, .repeats = true, .stretches = 8, .checks = ~0ull};
}

static int unknown(const char *key, struct dvm_error *err) {
  const char *keys[NKEYS + 1] = {NULL};
  for (unsigned i = 0; i < NKEYS; i++)
    keys[i] = table[i].key;
  const char *near = dvm_text_nearest(key, keys);
  if (near)
    return dvm_error_set(err, -EINVAL, "DVM_OPTIONS: unknown key '%s'; did you mean '%s'?", key, near);
  return dvm_error_set(err, -EINVAL, "DVM_OPTIONS: unknown key '%s'; DVM_OPTIONS=help=1 lists the keys", key);
}

static int set_one(struct dvmrt_options *o, char *pair, struct dvm_error *err) {
  char *value = strchr(pair, '=');
  if (!value)
    return dvm_error_set(err, -EINVAL, "DVM_OPTIONS: '%s': expected key=value", pair);
  *value++ = 0;
  for (unsigned i = 0; i < NKEYS; i++)
    if (!strcmp(table[i].key, pair))
      return table[i].set(o, pair, value, err);
  return unknown(pair, err);
}

int dvmrt_options_parse(struct dvmrt_options *o, const char *text, struct dvm_error *err) {
  char pair[DVMRT_PATH_MAX + 64];
  while (*text) {
    size_t n = 0;
    for (; *text && *text != ':'; text++) {
      if (text[0] == '\\' && text[1] == ':')
        text++;
      if (n + 1 == sizeof(pair))
        return dvm_error_set(err, -E2BIG, "DVM_OPTIONS: a value is longer than %d bytes", DVMRT_PATH_MAX);
      pair[n++] = *text;
    }
    pair[n] = 0;
    text += *text == ':';
    int rc = n ? set_one(o, pair, err) : 0;
    if (rc)
      return rc;
  }
  return 0;
}

const char *dvmrt_options_line(unsigned i, char *buf, size_t size) {
  if (i >= NKEYS)
    return NULL;
  char pair[40];
  snprintf(pair, sizeof(pair), "%s=%s", table[i].key, table[i].value);
  snprintf(buf, size, "%-18s %s", pair, table[i].meaning);
  return buf;
}
