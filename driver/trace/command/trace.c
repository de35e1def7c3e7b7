/* dvm trace: shows what is in a trace. */
#define _GNU_SOURCE
#include "base/output.h"
#include "base/error.h"
#include "base/usage.h"
#include "driver/trace/command/files.h"
#include "driver/trace/command/config_make.h"
#include "driver/trace/command/export.h"
#include "driver/trace/command/show.h"
#include "driver/trace/command/verify.h"
#include "driver/trace/job/job.h"
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 2 };

static const char help[] = "usage: dvm trace info [--json] FILE\n"
                           "       dvm trace dump [--json] [--limit N] [SELECTION] FILE\n"
                           "       dvm trace stat [--json] [SELECTION] FILE\n"
                           "       dvm trace export --csv|--jsonl|--npz [-o OUTPUT] [SELECTION] FILE\n"
                           "       dvm trace verify FILE\n"
                           "       dvm trace config [-o FILE] -- PROGRAM [argument...]\n"
                           "\n"
                           "  info     header: what ran, size, whether the trace is complete, constructs and variables\n"
                           "  dump     records, one per line; at most N with --limit\n"
                           "  stat     executions, iterations, values of each construct and variable\n"
                           "  export   values for other programs: text, or columns of numpy (--npz; dvm_trace.py reads them)\n"
                           "  verify   reads the whole trace; the exit status is 1 if something is torn or damaged\n"
                           "  config   runs the program and writes a configuration of all its constructs, with their iterations and\n"
                           "           the size that each level would take; to be edited and given to 'dvm record --config' and\n"
                           "           'dvm compare --config'.  PROGRAM may be a launcher: 'dvm trace config -- mpirun -n 4 ./prog'\n"
                           "\n"
                           "SELECTION:\n"
                           "  --element 'A[3][4]'      the history of one element (of Fortran 'A(5,4)')\n"
                           "  --variable NAME, --file NAME, --function NAME  only these; each repeatable\n"
                           "  --construct FILE:LINE    what happens in this construct; with --execution N, in its N-th execution\n"
                           "  --from N, --to N         the records in between\n"
                           "\n"
                           "--json writes one JSON object; for dump, one per line.\n";

static int usage(const char *what, const char *word) {
  fprintf(stderr, "dvm: error: %s%s%s%s; 'dvm help trace' says more\n", what, word ? " '" : "", word ? word : "", word ? "'" : "");
  return EXIT_USAGE;
}

/* 0, or the exit status. */
static int read_number(const char *text, uint64_t *to) {
  char *end;
  *to = strtoull(text, &end, 10);
  return *text < '0' || *text > '9' || *end ? usage("expected a number, found", text) : 0;
}

static int select_one(struct dvmt_select *s, const char *kind, const char *name) {
  struct dvm_error err = DVM_ERROR_INIT;
  char text[600];
  snprintf(text, sizeof(text), "%s:%s", kind, name);
  return dvmt_select_add(s, text, &err) ? usage(err.text, NULL) : 0;
}

struct command {
  const char *action;
  struct dvmt_show show;
  enum dvmt_export how;
  const char *output;
  bool helped;
};

/* The action with its options read.  Exit status, or -E... */
static int act_on(struct command *t, const char *file, struct dvm_error *err) {
  if (!strcmp(t->action, "info"))
    return dvmt_show_info(file, &t->show, stdout, err);
  if (!strcmp(t->action, "verify"))
    return dvmt_verify(file, stdout, err);
  if (!strcmp(t->action, "export"))
    return dvmt_export(file, t->how, t->output, &t->show.wanted, err);
  return !strcmp(t->action, "dump") ? dvmt_show_dump(file, &t->show, stdout, err) : dvmt_show_stat(file, &t->show, stdout, err);
}

/* Of a job each rank's. */
static int act(struct command *t, const char *file, struct dvm_error *err) {
  struct dvmt_job job;
  int rc = dvmt_job_open(&job, file, err), worst = 0;
  if (rc < 0)
    return rc;
  if (rc && t->show.json && !strcmp(t->action, "dump")) {
    dvmt_job_close(&job);
    return dvm_error_set(err, -EINVAL, "'--json': '%s' is the trace of a job: name one of its ranks, as in '%s.0'", file, file);
  }
  bool array = rc && t->show.json;
  if (array)
    puts("[");
  if (!rc || !strcmp(t->action, "export"))
    worst = act_on(t, file, err);
  for (size_t i = 0; worst >= 0 && strcmp(t->action, "export") && i < job.nranks; i++) {
    char *name = NULL;
    if (asprintf(&name, "%s.%zu", file, i) < 0)
      return dvm_error_set(err, -ENOMEM, "out of memory");
    if (!t->show.json)
      printf("%srank %zu:\n", i ? "\n" : "", i);
    else if (i)
      puts(",");
    rc = act_on(t, name, err);
    worst = rc < 0 || rc > worst ? rc : worst;
    free(name);
  }
  if (array)
    puts("]");
  dvmt_job_close(&job);
  return worst;
}

/* What stands behind the action.  0, or the status to end with. */
static int read_options(struct command *t, int argc, char **argv) {
  static const struct option names[] = {
      {"json", 0, NULL, 'j'}, {"element", 1, NULL, 'e'},  {"construct", 1, NULL, 'c'}, {"limit", 1, NULL, 'n'}, {"variable", 1, NULL, 'v'},
      {"file", 1, NULL, 'f'}, {"function", 1, NULL, 'F'}, {"execution", 1, NULL, 'x'}, {"from", 1, NULL, 'a'},  {"to", 1, NULL, 'z'},
      {"csv", 0, NULL, 'C'},  {"jsonl", 0, NULL, 'J'},    {"npz", 0, NULL, 'N'},       {"help", 0, NULL, 'h'},  {NULL, 0, NULL, 0}};
  int c, rc = 0;
  opterr = 0;
  optind = 2;
  while (!rc && (c = getopt_long(argc, argv, "+:o:h", names, NULL)) >= 0)
    switch (c) {
    case 'j': t->show.json = true; break;
    case 'e': t->show.wanted.element = optarg; break;
    case 'c': t->show.wanted.construct = optarg; break;
    case 'v': rc = select_one(&t->show.wanted.variables, "variable", optarg); break;
    case 'f': rc = select_one(&t->show.wanted.files, "file", optarg); break;
    case 'F': rc = select_one(&t->show.wanted.functions, "function", optarg); break;
    case 'x': rc = read_number(optarg, &t->show.wanted.execution); break;
    case 'a': rc = read_number(optarg, &t->show.wanted.from); break;
    case 'z': rc = read_number(optarg, &t->show.wanted.to); break;
    case 'C': t->how = DVMT_EXPORT_CSV; break;
    case 'J': t->how = DVMT_EXPORT_JSONL; break;
    case 'N': t->how = DVMT_EXPORT_NPZ; break;
    case 'o': t->output = optarg; break;
    case 'n': rc = read_number(optarg, &t->show.limit); break;
    case 'h': t->helped = true; return 0;
    default: return dvm_usage_refused("trace", c, argv, names);
    }
  return rc;
}

/* Whether the words go together. */
static int check(const struct command *t, bool config, int argc, char **argv) {
  if (t->show.wanted.execution && !t->show.wanted.construct)
    return usage("'--execution' needs '--construct FILE:LINE'", NULL);
  if (t->show.wanted.to && t->show.wanted.to < t->show.wanted.from)
    return usage("'--to' is before '--from'", NULL);
  if (!strcmp(t->action, "export") && !t->how)
    return usage("'dvm trace export' needs --csv, --jsonl or --npz", NULL);
  if (t->how == DVMT_EXPORT_NPZ && !t->output)
    return usage("'dvm trace export --npz' needs '-o FILE'", NULL);
  if (config && !argv[optind])
    return usage("'dvm trace config' needs a program to run", NULL);
  if (!config && (optind + 1 != argc || (t->output && strcmp(t->action, "export") != 0)))
    return usage("'dvm trace' needs exactly one file", NULL);
  return 0;
}

static int run(int argc, char **argv) {
  struct command t = {.action = argc > 1 ? argv[1] : "", .show.limit = UINT64_MAX, .how = DVMT_EXPORT_NONE};
  struct dvm_error err = DVM_ERROR_INIT;
  const char *action = t.action;
  if (!strcmp(action, "--help") || !strcmp(action, "-h")) {
    fputs(help, stdout);
    return 0;
  }
  bool config = !strcmp(action, "config");
  if (!config && strcmp(action, "export") && strcmp(action, "info") && strcmp(action, "dump") && strcmp(action, "stat") &&
      strcmp(action, "verify"))
    return usage(*action ? "unknown action" : "'dvm trace' needs info, dump, stat, export, verify or config", *action ? action : NULL);
  int rc = read_options(&t, argc, argv);
  if (t.helped)
    fputs(help, stdout);
  if (rc || t.helped || (rc = check(&t, config, argc, argv)))
    return rc;
  if (config && !t.output)
    t.output = "trace.conf";
  if (config)
    rc = dvmt_file_writable(t.output, &err) ? err.code : dvmt_config_make(argv + optind, t.output, &err);
  else
    rc = act(&t, argv[optind], &err);
  dvmt_wanted_fini(&t.show.wanted);
  if (rc >= 0)
    return rc;
  if (rc == -EIO && ferror(stdout)) /* will be told */
    return 1;
  fprintf(stderr, "dvm: error: %s\n", err.text);
  return rc == -EINVAL ? EXIT_USAGE : 1;
}

int main(int argc, char **argv) {
  dvm_output_begin();
  return dvm_output_end(run(argc, argv));
}
