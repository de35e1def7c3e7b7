/* dvm trace: shows what is in a trace. */
#include "base/output.h"
#include "base/error.h"
#include "base/usage.h"
#include "driver/trace/command/files.h"
#include "driver/trace/command/config_make.h"
#include "driver/trace/command/show.h"
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 2 };

static const char help[] =
  "usage: dvm trace info [--json] FILE\n"
  "       dvm trace dump [--json] [--element ELEMENT] [--construct FILE:LINE] [--limit N] FILE\n"
  "       dvm trace stat [--json] FILE\n"
  "       dvm trace config [-o FILE] -- PROGRAM [argument...]\n"
  "\n"
  "  info     header: what ran, size, whether the trace is complete, constructs and variables\n"
  "  dump     records, one in a line; --element 'A[3][4]' the history of one element, --construct those of\n"
  "           one construct, --limit at most N records\n"
  "  stat     executions, iterations, values of each construct and variable\n"
  "  config   runs the program and writes a configuration of all its constructs, with their iterations and\n"
  "           the size that each level would take; to be edited and given to 'dvm record --config'\n"
  "\n"
  "--json writes one JSON object, for dump one in a line.\n";

static int usage(const char *what, const char *word) {
  fprintf(stderr, "dvm: error: %s%s%s%s; 'dvm help trace' says more\n", what, word ? " '" : "", word ? word : "", word ? "'" : "");
  return EXIT_USAGE;
}

static int run(int argc, char **argv) {
  static const struct option names[] = {{"json", 0, NULL, 'j'}, {"element", 1, NULL, 'e'}, {"construct", 1, NULL, 'c'},
                                        {"limit", 1, NULL, 'n'}, {"help", 0, NULL, 'h'}, {NULL, 0, NULL, 0}};
  struct dvmt_show show = {.limit = UINT64_MAX};
  struct dvm_error err = DVM_ERROR_INIT;
  const char *action = argc > 1 ? argv[1] : "";
  const char *output = NULL;
  char *end;
  int c, rc;
  if (!strcmp(action, "--help") || !strcmp(action, "-h")) {
    fputs(help, stdout);
    return 0;
  }
  bool config = !strcmp(action, "config");
  if (!config && strcmp(action, "info") && strcmp(action, "dump") && strcmp(action, "stat"))
    return usage(*action ? "unknown action" : "'dvm trace' wants info, dump, stat or config", *action ? action : NULL);
  opterr = 0;
  optind = 2;
  while ((c = getopt_long(argc, argv, "+:o:h", names, NULL)) >= 0)
    switch (c) {
    case 'j': show.json = true; break;
    case 'e': show.element = optarg; break;
    case 'c': show.construct = optarg; break;
    case 'o': output = optarg; break;
    case 'n':
      show.limit = strtoull(optarg, &end, 10);
      if (*optarg < '0' || *optarg > '9' || *end)
        return usage("expected a number of records, found", optarg);
      break;
    case 'h': fputs(help, stdout); return 0;
    default: return dvm_usage_refused("trace", c, argv, names);
    }
  if (config && !argv[optind])
    return usage("'dvm trace config' wants a program to run", NULL);
  if (!config && (optind + 1 != argc || output))
    return usage("'dvm trace' wants one file", NULL);
  if (config && !output)
    output = "trace.conf";
  if (config)
    rc = dvmt_file_writable(output, &err) ? err.code : dvmt_config_make(argv + optind, output, &err);
  else if (!strcmp(action, "info"))
    rc = dvmt_show_info(argv[optind], &show, stdout, &err);
  else if (!strcmp(action, "dump"))
    rc = dvmt_show_dump(argv[optind], &show, stdout, &err);
  else
    rc = dvmt_show_stat(argv[optind], &show, stdout, &err);
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
