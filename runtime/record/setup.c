#include "runtime/record/setup.h"
#include "base/text.h"
#include "runtime/trace/inside.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct dvmt_setup setup = {.config = DVMT_CONFIG_INIT, .ring_fd = -1};

/* Keys of the contract.  Those of the checker are known here too, but mean nothing to a recording. */
static const struct {
  const char *key, *value, *meaning;
} table[] = {
    {"help", "0", "1: list the keys and exit"},
    {"trace", "off", "off, record, compare, config"},
    {"trace_file", "", "trace (or, for config, configuration) to write"},
    {"reference", "", "trace to compare with (trace=compare)"},
    {"tolerance", "", "largest accepted relative difference (trace=compare)"},
    {"trace_level", "modify", "none, minimal, modify, full, checksum, system"},
    {"trace_config", "", "file with levels per construct, start and finish, tolerances"},
    {"trace_rows", "1",
     "0: arrays are summed up when a construct has ended, not while it writes them; 2: small ones of ranks too (trace_level=checksum)"},
    {"trace_ring", "", "set by 'dvm record' and 'dvm compare'"},
    {"trace_job", "", "the same, for a program that is a rank of a job: its stream is its own"},
    {"trace_results", "", "the same, of programs that run in parallel"},
    {"trace_elements", "", "the same"},
    {"trace_live", "", "the same, of a comparison that runs beside"},
    {"trace_step", "", "the same"},
    {"trace_bounds", "", "set by 'dvm trace config'"},
    {"trace_nest", "", "set by 'dvm compare --bisect'"},
    {"substitute", "1", "of programs that run in parallel"},
    {"report", "", ".sarif or .jsonl with the differences, repeatable (trace=compare)"},
    {"exitcode", "66", "exit status if something differs (trace=compare)"},
    {"max_errors", "20", "maximum number of differences shown (trace=compare)"},
    {"checks", "+all", "kinds of differences: -trace-nan, .. (trace=compare)"},
    {"halt_on_error", "0", "for checked programs; ignored here, like the following ones"},
    {"color", "auto", ""},
    {"stats", "0", ""},
    {"history", "1", ""},
    {"reduction", "mirror", ""},
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

/* Values that were given; owned. */
enum { PASSED_ON = 32 };
static const char *passed_on[PASSED_ON]; /* options of 'dvm compare' */
static size_t npassed_on;
static char *mode, *level_text, *config_path, *trace_file, *reference, *tolerance;

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

/* Not from the program's heap: what it allocates is to lie where it lies in every run, however it is asked to record. */
static char *kept_text(const char *text, size_t n) {
  static char pool[64 << 10];
  static size_t used;
  if (n >= sizeof(pool) - used)
    fail("DVM_OPTIONS: too long");
  char *to = pool + used;
  memcpy(to, text, n);
  to[n] = 0;
  used += n + 1;
  return to;
}

/* A descriptor, or "inside.PID.CODEC.VERBOSE" (inside.h). */
static void set_ring(const char *value) {
  static char codec[16];
  int verbose = 0;
  if (strncmp(value, DVMT_INSIDE, strlen(DVMT_INSIDE)) != 0) {
    setup.ring_fd = atoi(value);
    return;
  }
  if (sscanf(value + strlen(DVMT_INSIDE), "%d.%15[a-z].%d", &setup.inside.pid, codec, &verbose) != 3)
    fail("DVM_OPTIONS: 'trace_ring' is set by 'dvm record' alone");
  setup.inside.codec = codec;
  setup.inside.verbose = verbose;
}

static void set(const char *key, const char *value) {
  char text[512];
  check_key(key);
  if (!strcmp(key, "help") && !strcmp(value, "1"))
    list_keys();
  if (!strcmp(key, "trace") && strcmp(value, "off") && strcmp(value, "record") && strcmp(value, "compare") && strcmp(value, "config")) {
    snprintf(text, sizeof(text), "DVM_OPTIONS: 'trace=%.100s': expected off, record, compare or config", value);
    fail(text);
  }
  static const struct {
    const char *key;
    char **to;
  } kept[] = {{"trace", &mode},          {"trace_level", &level_text}, {"trace_config", &config_path}, {"trace_file", &trace_file},
              {"reference", &reference}, {"tolerance", &tolerance}};
  for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
    if (!strcmp(kept[i].key, key))
      *kept[i].to = kept_text(value, strlen(value));
  static const char *const passed[][2] = {
      {"report", "--report"}, {"exitcode", "--exitcode"}, {"max_errors", "--max-errors"}, {"checks", "--checks"}};
  for (size_t i = 0; i < sizeof(passed) / sizeof(*passed); i++)
    if (!strcmp(passed[i][0], key) && npassed_on + 2 <= PASSED_ON) {
      passed_on[npassed_on++] = passed[i][1];
      passed_on[npassed_on++] = kept_text(value, strlen(value));
    }
  if (!strcmp(key, "trace_ring"))
    set_ring(value);
  setup.live |= !strcmp(key, "trace_live");
  setup.step |= !strcmp(key, "trace_step");
  setup.nest |= !strcmp(key, "trace_nest");
  if (!strcmp(key, "trace_rows"))
    setup.whole = !strcmp(value, "0");
  if (!strcmp(key, "trace_job"))
    setup.job = kept_text(value, strlen(value));
}

static void parse(const char *options) {
  char *pair = kept_text(options, strlen(options));
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

/* ---- without a tool that takes the records: the tool is started in this program's place, and starts it again --------------- */

/* Owned words of this process's own command line; the first becomes the program's path. */
static char **own_command(size_t room, size_t *n) {
  static char line[1 << 20], path[4096];
  int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  ssize_t got = fd < 0 ? -1 : 0, more = 0, length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  while (fd >= 0 && (more = read(fd, line + got, sizeof(line) - 1 - (size_t)got)) > 0)
    got += more;
  if (fd >= 0)
    close(fd);
  char **words = calloc(room + (size_t)(got > 0 ? got : 0) + 2, sizeof(*words));
  if (got <= 0 || length <= 0 || !words)
    return NULL;
  *n = room;
  for (char *w = line; w < line + got; w += strlen(w) + 1)
    words[(*n)++] = w;
  words[room] = path;
  return words;
}

static void find_tool(char *tool, size_t size, const char *name) {
  static const char *const below[] = {"../driver", DVMT_LIB_TO_LIBEXEC};
  Dl_info info;
  const char *lib = dladdr((void *)(uintptr_t)find_tool, &info) ? info.dli_fname : "";
  const char *slash = strrchr(lib, '/');
  for (int i = 0; i < 2; i++) {
    snprintf(tool, size, "%.*s/%s/dvm-%s", slash ? (int)(slash - lib) : 1, slash ? lib : ".", below[i], name);
    if (!access(tool, X_OK))
      return;
  }
}

static void start_tool(void) {
  char tool[4096], text[4200];
  size_t n = 0, first = 0;
  enum { ROOM = 12 + PASSED_ON };
  char **words = own_command(ROOM, &n);
  const char *before[ROOM];
  bool compare = !strcmp(mode, "compare"), config = !strcmp(mode, "config");
  if (compare && !(reference && *reference))
    fail("DVM_OPTIONS: 'trace=compare' needs 'reference=FILE'");
  find_tool(tool, sizeof(tool), compare ? "compare" : config ? "trace" : "record");
  before[first++] = tool;
  if (config)
    before[first++] = "config";
  if (!compare && trace_file && *trace_file) {
    before[first++] = "-o";
    before[first++] = trace_file;
  }
  if (!compare && !config && level_text) {
    before[first++] = "--level";
    before[first++] = level_text;
  }
  if (!config && config_path && *config_path) {
    before[first++] = "--config";
    before[first++] = config_path;
  }
  if (compare && tolerance && *tolerance) {
    before[first++] = "--tolerance";
    before[first++] = tolerance;
  }
  for (size_t i = 0; compare && i < npassed_on; i++)
    before[first++] = passed_on[i];
  if (compare)
    before[first++] = reference;
  before[first++] = "--";
  if (words) {
    memcpy(words + ROOM - first, before, first * sizeof(*before));
    execv(tool, words + ROOM - first);
  }
  snprintf(text, sizeof(text), "cannot run '%s', which receives what this program records; use 'dvm %s' instead", tool,
           compare  ? "compare"
           : config ? "trace config"
                    : "record");
  fail(text);
}

const struct dvmt_setup *dvmt_setup(void) {
  static int done;
  if (!done) {
    done = 1;
    const char *options = getenv("DVM_OPTIONS");
    if (options)
      parse(options);
    configure();
    setup.inside.file = trace_file ? trace_file : "";
    if (mode && strcmp(mode, "off") && setup.ring_fd < 0 && !setup.inside.pid)
      start_tool();
  }
  return &setup;
}
