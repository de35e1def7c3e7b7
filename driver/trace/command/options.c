#define _GNU_SOURCE
#include "driver/trace/command/options.h"
#include "base/usage.h"
#include "driver/trace/command/files.h"
#include "runtime/data/ids.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 2 };

const char dvmt_cli_help[] =
    "  --tolerance X      largest accepted relative difference of floating-point values, for all types\n"
    "  --ulps N           the same in units in the last place; a value is accepted if either allows it\n"
    "  --exact            values must agree bit for bit; '--tolerance 0 --ulps 0' means the same\n"
    "  --digits           report how many significant digits of each variable's values agree\n"
    "  --config FILE      tolerances of types and variables, levels and ranges of the recording\n"
    "  --ignore WHAT      leave out of the comparison: variable:NAME, file:NAME, function:NAME, FILE:LINE; repeatable\n"
    "  --rename OLD=NEW   a source file or a variable that has a different name in the run; repeatable\n"
    "  --accept LIST      what does not make a comparison fail: nothing (was compared), torn, damaged, end (came early),\n"
    "                     unrecorded (code that is not recorded wrote recorded data)\n"
    "  --partial          iterations of the reference that do not happen are not differences\n"
    "  --window MIB       memory for iterations in another order (64)\n"
    "  --report FILE      also write the differences to a .sarif or .jsonl file; repeatable\n"
    "  --html FILE        a page with maps of the differing elements over time\n"
    "  --checks LIST      kinds of differences to leave out or include: -trace-nan,+trace-value; also -all\n"
    "  --max-errors N     show at most N differences (20; 0: all)\n"
    "  --exitcode N       exit status if something differs (66)\n";

int dvmt_cli_usage(const struct dvmt_cli *o, const char *what, const char *word) {
  fprintf(stderr, "dvm: error: %s%s%s%s; 'dvm help %s' says more\n", what, word ? " '" : "", word ? word : "", word ? "'" : "", o->name);
  return EXIT_USAGE;
}

static int number(const struct dvmt_cli *o, const char *text, double most, double *to) {
  char *end;
  *to = strtod(text, &end);
  char what[64];
  snprintf(what, sizeof(what), most <= 1e15 ? "expected a number up to %.0f, found" : "expected a number, found", most);
  if (end == text || *end || !(*to >= 0) || *to > most)
    return dvmt_cli_usage(o, what, text);
  return 0;
}

/* "-trace-nan,+all", as 'checks=' of DVM_OPTIONS; checks of the other kind of programs mean nothing here. */
static int read_checks(struct dvmt_cli *o, const char *list) {
#define ID_TEXT(symbol, name, severity, meaning) name,
  static const char *const names[] = {"trace-value", "trace-structure", "trace-nan", "all", "anti", DVMRT_IDS(ID_TEXT) NULL};
#undef ID_TEXT
  while (*list) {
    size_t n = strcspn(list, ",");
    char name[64];
    unsigned i = 0;
    if (n < 2 || n >= sizeof(name) || (*list != '-' && *list != '+'))
      return dvmt_cli_usage(o, "expected a list of -name and +name, found", list);
    snprintf(name, sizeof(name), "%.*s", (int)n - 1, list + 1);
    const char *plain = strncmp(name, "dvm-", 4) ? name : name + 4;
    while (names[i] && strcmp(names[i], plain) != 0)
      i++;
    if (!names[i])
      return dvmt_cli_usage(o, "unknown check", plain);
    for (unsigned id = 0; id < DVMT_NFINDING_IDS; id++)
      if (i == id || i == DVMT_NFINDING_IDS)
        o->compare.silent[id] = *list == '-';
    list += n + (list[n] == ',');
  }
  return 0;
}

/* "torn,end" */
static int read_accept(struct dvmt_cli *o, const char *list) {
  while (*list) {
    size_t n = strcspn(list, ",");
    unsigned i = 0;
    while (i < DVMT_NDOUBTS && (strlen(dvmt_doubt_name(i)) != n || strncmp(dvmt_doubt_name(i), list, n) != 0))
      i++;
    if (i == DVMT_NDOUBTS)
      return dvmt_cli_usage(o, "expected a list of nothing, torn, damaged, end and unrecorded, found", list);
    o->compare.accept[i] = true;
    list += n + (list[n] == ',');
  }
  return 0;
}

static int read_rename(struct dvmt_cli *o, const char *text) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || !equals[1] || o->compare.nrenames == sizeof(o->renames) / sizeof(*o->renames))
    return dvmt_cli_usage(o, "expected OLD=NEW, found", text);
  char *copy = strdup(text);
  if (!copy)
    return dvmt_cli_usage(o, "out of memory", NULL);
  copy[equals - text] = 0;
  o->renames[o->compare.nrenames][0] = copy;
  o->renames[o->compare.nrenames++][1] = copy + (equals - text) + 1;
  return 0;
}

void dvmt_cli_note_unused(const struct dvmt_cli *o) {
  for (size_t i = 0; i < o->ignore.n; i++)
    if (!o->ignore.row[i].hit)
      fprintf(stderr, "dvm: warning: '--ignore %s' matches nothing that was recorded\n", o->ignore.row[i].text);
  for (size_t i = 0; i < o->compare.nrenames; i++)
    if (!o->renamed[i])
      fprintf(stderr, "dvm: warning: '--rename %s=%s' fits no file or variable of the reference\n", o->renames[i][0], o->renames[i][1]);
}

static int read_options(struct dvmt_cli *o, int argc, char **argv) {
  static const struct option names[] = {
      {"tolerance", 1, NULL, 't'}, {"exact", 0, NULL, 'x'},  {"digits", 0, NULL, 'd'}, {"ignore", 1, NULL, 'i'},
      {"rename", 1, NULL, 'n'},    {"accept", 1, NULL, 'a'}, {"ulps", 1, NULL, 'u'},   {"config", 1, NULL, 'c'},
      {"partial", 0, NULL, 'p'},   {"window", 1, NULL, 'w'}, {"report", 1, NULL, 'r'}, {"max-errors", 1, NULL, 'm'},
      {"exitcode", 1, NULL, 'e'},  {"checks", 1, NULL, 'k'}, {"bisect", 0, NULL, 'b'}, {"live", 1, NULL, 'L'},
      {"stop", 0, NULL, 's'},      {"html", 1, NULL, 'H'},   {"help", 0, NULL, 'h'},   {NULL, 0, NULL, 0}};
  struct dvm_error err = DVM_ERROR_INIT;
  double v;
  int c, rc = 0;
  opterr = 0;
  while (!rc && (c = getopt_long(argc, argv, "+:h", names, NULL)) >= 0)
    switch (c) {
    case 't': rc = number(o, optarg, 1e300, &o->compare.relative); break;
    case 'u': rc = number(o, optarg, 1e300, &o->compare.ulps); break;
    case 'x': o->compare.exact = true; break;
    case 'd': o->compare.digits = true; break;
    case 'i': rc = dvmt_select_add(&o->ignore, optarg, &err) ? dvmt_cli_usage(o, err.text, NULL) : 0; break;
    case 'n': rc = read_rename(o, optarg); break;
    case 'a': rc = read_accept(o, optarg); break;
    case 'c': o->config_path = optarg; break;
    case 'p': o->compare.partial = true; break;
    case 'w':
      rc = number(o, optarg, 1 << 20, &v);
      o->compare.window_bytes = (size_t)(v * (1 << 20)) + 1;
      break;
    case 'm':
      rc = number(o, optarg, 1e15, &v);
      o->report.max_errors = (uint64_t)v;
      break;
    case 'e':
      rc = number(o, optarg, 255, &v);
      o->exitcode = (int)v;
      break;
    case 'H': o->html = optarg; break;
    case 'k': rc = read_checks(o, optarg); break;
    case 'b': o->bisect = true; break;
    case 'L': o->live = optarg; break;
    case 's': o->stop = true; break;
    case 'r':
      if (dvmt_report_add_file(&o->report, optarg, &err))
        rc = dvmt_cli_usage(o, err.text, NULL);
      break;
    case 'h': printf("%s\n%s", o->help, dvmt_cli_help); return -1;
    default: rc = dvm_usage_refused(o->name, c, argv, names);
    }
  return rc;
}

/* Files that are to be written can be, and those that are to be read are. */
static int open_files(struct dvmt_cli *o) {
  struct dvm_error err = DVM_ERROR_INIT;
  if ((o->html && dvmt_file_writable(o->html, &err)) || dvmt_report_check_files(&o->report, &err)) {
    fprintf(stderr, "dvm: error: %s\n", err.text);
    return 1;
  }
  if (o->config_path && dvmt_config_read(&o->config, o->config_path, &err)) {
    fprintf(stderr, "dvm: error: %s\n", err.text);
    return err.code == -EINVAL ? EXIT_USAGE : 1;
  }
  return 0;
}

int dvmt_cli_read(struct dvmt_cli *o, int argc, char **argv) {
  struct dvm_error err = DVM_ERROR_INIT;
  o->config = (struct dvmt_config)DVMT_CONFIG_INIT;
  o->compare = (struct dvmt_compare_options){.relative = -1,
                                             .ulps = -1,
                                             .found = dvmt_report_found,
                                             .arg = &o->report,
                                             .config = &o->config,
                                             .ignore = &o->ignore,
                                             .renames = (const char *const(*)[2])o->renames,
                                             .renamed = o->renamed};
  if (dvmt_report_init(&o->report, &err))
    return dvmt_cli_usage(o, err.text, NULL);
  o->exitcode = 66;
  int rc = read_options(o, argc, argv);
  return rc ? rc : open_files(o);
}

void dvmt_cli_fini(struct dvmt_cli *o) {
  dvmt_config_fini(&o->config);
  dvmt_select_fini(&o->ignore);
  dvmt_report_fini(&o->report);
  for (size_t i = 0; i < o->compare.nrenames; i++)
    free((char *)o->renames[i][0]);
}
