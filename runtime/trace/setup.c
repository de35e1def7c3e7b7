#include "runtime/trace/setup.h"
#include "base/text.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct dvmt_setup setup = {DVMT_CONFIG_INIT, -1};

/* Keys of the contract.  Those of the checker are known here too, but mean nothing to a recording. */
static const struct {
  const char *key, *value, *meaning;
} table[] = {
    {"help", "0", "1: list the keys and end"},
    {"trace", "off", "off, record; 'dvm record' and 'dvm compare' set it"},
    {"trace_level", "modify", "none, minimal, modify, full, checksum, system"},
    {"trace_config", "", "file with levels per construct, start and finish, tolerances"},
    {"trace_ring", "", "set by 'dvm record' and 'dvm compare'"},
    {"report", "", "of checked programs; nothing here, as the next ones"},
    {"exitcode", "66", ""},
    {"max_errors", "1000", ""},
    {"halt_on_error", "0", ""},
    {"color", "auto", ""},
    {"stats", "0", ""},
    {"history", "1", ""},
    {"checks", "+all", ""},
    {"reduction", "mirror", ""},
    {"trace_file", "", ""},
    {"reference", "", ""},
    {"tolerance", "", ""},
    {"sdm", "", ""},
};
enum { NKEYS = sizeof(table) / sizeof(table[0]) };

static void fail(const char *text) {
  fprintf(stderr, "dvm: error: %s\n", text);
  fflush(NULL);
  _exit(2);
}

static void list_keys(void) {
  for (int i = 0; i < NKEYS; i++) {
    char pair[40];
    snprintf(pair, sizeof(pair), "%s=%s", table[i].key, table[i].value);
    printf("%-18s %s\n", pair, table[i].meaning);
  }
  fflush(stdout);
  _exit(0);
}

static const char *level_text, *config_path;
static char *values[2]; /* owned copies of the two above */

static void check_key(const char *key) {
  const char *keys[NKEYS + 1] = {NULL};
  char text[256];
  for (int i = 0; i < NKEYS; i++) {
    keys[i] = table[i].key;
    if (!strcmp(table[i].key, key))
      return;
  }
  const char *near = dvm_text_nearest(key, keys);
  if (near)
    snprintf(text, sizeof(text), "DVM_OPTIONS: unknown key '%.100s'; did you mean '%s'?", key, near);
  else
    snprintf(text, sizeof(text), "DVM_OPTIONS: unknown key '%.100s'; DVM_OPTIONS=help=1 lists the keys", key);
  fail(text);
}

static void set(const char *key, const char *value) {
  char text[512];
  check_key(key);
  if (!strcmp(key, "help") && !strcmp(value, "1"))
    list_keys();
  if (!strcmp(key, "trace") && strcmp(value, "off") && strcmp(value, "record")) {
    snprintf(text, sizeof(text), "DVM_OPTIONS: 'trace=%.100s': a program records; 'dvm compare' and 'dvm trace config' start it for "
             "the rest", value);
    fail(text);
  }
  if (!strcmp(key, "trace_level"))
    level_text = values[0] = strdup(value);
  if (!strcmp(key, "trace_config"))
    config_path = values[1] = strdup(value);
  if (!strcmp(key, "trace_ring"))
    setup.ring_fd = atoi(value);
}

static void parse(const char *options) {
  char *pair = malloc(strlen(options) + 1);
  if (!pair)
    return;
  while (*options) {
    size_t n = 0;
    for (; *options && *options != ':'; options++) {
      if (options[0] == '\\' && options[1] == ':')
        options++;
      pair[n++] = *options;
    }
    pair[n] = 0;
    options += *options == ':';
    char *value = strchr(pair, '=');
    if (n && !value)
      fail("DVM_OPTIONS: expected key=value");
    if (n) {
      *value++ = 0;
      set(pair, value);
    }
  }
  free(pair);
}

static void configure(void) {
  struct dvm_error err = DVM_ERROR_INIT;
  int level = level_text ? dvmt_level_number(level_text) : -1;
  if (level_text && level < 0)
    fail("DVM_OPTIONS: 'trace_level': expected none, minimal, modify, full, checksum or system");
  if (config_path && *config_path && dvmt_config_read(&setup.config, config_path, &err))
    fail(err.text);
  if (level >= 0)
    setup.config.level = (enum dvmt_level)level;
}

const struct dvmt_setup *dvmt_setup(void) {
  static int done;
  if (!done) {
    done = 1;
    const char *options = getenv("DVM_OPTIONS");
    if (options)
      parse(options);
    configure();
  }
  return &setup;
}
