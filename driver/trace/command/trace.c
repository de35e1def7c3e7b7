/* dvm trace: shows what is in a trace. */
#include "base/output.h"
#include "base/error.h"
#include "base/usage.h"
#include "driver/trace/command/files.h"
#include "driver/trace/command/config_make.h"
#include "driver/trace/command/export.h"
#include "driver/trace/command/show.h"
#include "driver/trace/command/verify.h"
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 2 };

static const char help[] =
    "usage: dvm trace info [--json] FILE\n"
    "       dvm trace dump [--json] [--limit N] [SELECTION] FILE\n"
    "       dvm trace stat [--json] [SELECTION] FILE\n"
    "       dvm trace export --csv|--jsonl|--npz [-o OUTPUT] [SELECTION] FILE\n"
    "       dvm trace verify FILE\n"
    "       dvm trace config [-o FILE] -- PROGRAM [argument...]\n"
    "\n"
    "  info     header: what ran, size, whether the trace is complete, constructs and variables\n"
    "  dump     records, one in a line, --limit at most N\n"
    "  stat     executions, iterations, values of each construct and variable\n"
    "  export   values for other programs: text, or columns of numpy (--npz; dvm_trace.py reads them)\n"
    "  verify   reads all of it; the exit status is 1 if something is torn or damaged\n"
    "  config   runs the program and writes a configuration of all its constructs, with their iterations and\n"
    "           the size that each level would take; to be edited and given to 'dvm record --config'\n"
    "\n"
    "SELECTION: --element 'A[3][4]' the history of one element, --variable NAME, --file NAME, --function NAME (each\n"
    "repeatable), --construct FILE:LINE what happens in it, with --execution N in its N-th execution, --from N and --to N\n"
    "the records between.\n"
    "--json writes one JSON object, for dump one in a line.\n";

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

/* The action with its options read.  Exit status, or -E... */
static int act(const char *action, const char *file, struct dvmt_show *show, enum dvmt_export how, const char *output,
               struct dvm_error *err) {
  if (!strcmp(action, "info"))
    return dvmt_show_info(file, show, stdout, err);
  if (!strcmp(action, "verify"))
    return dvmt_verify(file, stdout, err);
  if (!strcmp(action, "export"))
    return dvmt_export(file, how, output, &show->wanted, err);
  return !strcmp(action, "dump") ? dvmt_show_dump(file, show, stdout, err) : dvmt_show_stat(file, show, stdout, err);
}

static int run(int argc, char **argv) {
  static const struct option names[] = {
      {"json", 0, NULL, 'j'}, {"element", 1, NULL, 'e'},  {"construct", 1, NULL, 'c'}, {"limit", 1, NULL, 'n'}, {"variable", 1, NULL, 'v'},
      {"file", 1, NULL, 'f'}, {"function", 1, NULL, 'F'}, {"execution", 1, NULL, 'x'}, {"from", 1, NULL, 'a'},  {"to", 1, NULL, 'z'},
      {"csv", 0, NULL, 'C'},  {"jsonl", 0, NULL, 'J'},    {"npz", 0, NULL, 'N'},       {"help", 0, NULL, 'h'},  {NULL, 0, NULL, 0}};
  struct dvmt_show show = {.limit = UINT64_MAX};
  struct dvm_error err = DVM_ERROR_INIT;
  const char *action = argc > 1 ? argv[1] : "";
  const char *output = NULL;
  enum dvmt_export how = DVMT_EXPORT_NONE;
  int c, rc = 0;
  if (!strcmp(action, "--help") || !strcmp(action, "-h")) {
    fputs(help, stdout);
    return 0;
  }
  bool config = !strcmp(action, "config");
  bool export = !strcmp(action, "export");
  if (!config && !export && strcmp(action, "info") && strcmp(action, "dump") && strcmp(action, "stat") && strcmp(action, "verify"))
    return usage(*action ? "unknown action" : "'dvm trace' wants info, dump, stat, export, verify or config", *action ? action : NULL);
  opterr = 0;
  optind = 2;
  while (!rc && (c = getopt_long(argc, argv, "+:o:h", names, NULL)) >= 0)
    switch (c) {
    case 'j': show.json = true; break;
    case 'e': show.wanted.element = optarg; break;
    case 'c': show.wanted.construct = optarg; break;
    case 'v': rc = select_one(&show.wanted.variables, "variable", optarg); break;
    case 'f': rc = select_one(&show.wanted.files, "file", optarg); break;
    case 'F': rc = select_one(&show.wanted.functions, "function", optarg); break;
    case 'x': rc = read_number(optarg, &show.wanted.execution); break;
    case 'a': rc = read_number(optarg, &show.wanted.from); break;
    case 'z': rc = read_number(optarg, &show.wanted.to); break;
    case 'C': how = DVMT_EXPORT_CSV; break;
    case 'J': how = DVMT_EXPORT_JSONL; break;
    case 'N': how = DVMT_EXPORT_NPZ; break;
    case 'o': output = optarg; break;
    case 'n': rc = read_number(optarg, &show.limit); break;
    case 'h': fputs(help, stdout); return 0;
    default: return dvm_usage_refused("trace", c, argv, names);
    }
  if (rc)
    return rc;
  if (show.wanted.execution && !show.wanted.construct)
    return usage("'--execution' needs '--construct FILE:LINE'", NULL);
  if (export && !how)
    return usage("'dvm trace export' wants --csv, --jsonl or --npz", NULL);
  if (how == DVMT_EXPORT_NPZ && !output)
    return usage("'dvm trace export --npz' wants '-o FILE'", NULL);
  if (config && !argv[optind])
    return usage("'dvm trace config' wants a program to run", NULL);
  if (!config && (optind + 1 != argc || (output && !export)))
    return usage("'dvm trace' wants one file", NULL);
  if (config && !output)
    output = "trace.conf";
  if (config)
    rc = dvmt_file_writable(output, &err) ? err.code : dvmt_config_make(argv + optind, output, &err);
  else
    rc = act(action, argv[optind], &show, how, output, &err);
  dvmt_wanted_fini(&show.wanted);
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
