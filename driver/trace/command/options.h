/* Options that 'dvm compare' and 'dvm diff' share. */
#ifndef DVM_TRACE_OPTIONS_H
#define DVM_TRACE_OPTIONS_H
#include "driver/trace/command/report.h"
#include <getopt.h>

struct dvmt_cli {
  const char *name;                 /* of the command */
  const char *help;
  struct dvmt_compare_options compare;
  struct dvmt_report report;
  struct dvmt_config config;
  const char *config_path;
  struct dvmt_select ignore;
  const char *renames[32][2];       /* owned, in one piece each */
  bool renamed[32];                 /* of each whether it fitted anything */
  bool bisect, stop;
  const char *live;                 /* command line of the reference, or NULL */
  const char *html;                 /* path of a page, or NULL */
  int exitcode;
  int reference_status;             /* with which the reference's program ended; -1: not known */
};
/* Reads them; 'optind' is then at the first argument.  0; -1: help was shown; else the exit status. */
int dvmt_cli_read(struct dvmt_cli *o, int argc, char **argv);
/* After a comparison: warns of options that fitted nothing. */
void dvmt_cli_note_unused(const struct dvmt_cli *o);
void dvmt_cli_fini(struct dvmt_cli *o);
int dvmt_cli_usage(const struct dvmt_cli *o, const char *what, const char *word);
extern const char dvmt_cli_help[];
#endif
