/* The environment variable DVM_OPTIONS: key=value joined by ':', '\:' is a colon. */
#ifndef DVMRT_OPTIONS_H
#define DVMRT_OPTIONS_H
#include "runtime/data/ids.h"
#include "base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DVMRT_REPORTS_MAX = 8, DVMRT_PATH_MAX = 1024 };

struct dvmrt_options {
  bool help;
  int exitcode;          /* 0..255 */
  uint64_t stretches;    /* turns that are worth asking for; 0: none are */
  uint64_t max_errors;   /* distinct diagnostics; 0: no limit */
  bool max_errors_given; /* by the user: it ends the checks */
  bool halt_on_error, stats, history, summaries, repeats;
  enum { DVMRT_COLOR_AUTO, DVMRT_COLOR_ALWAYS, DVMRT_COLOR_NEVER } color;
  uint64_t checks;       /* bit per enum dvmrt_id, and DVMRT_CHECK_ANTI */
  bool emulate;          /* reduction=emulate */
  bool device;           /* device=emulate */
  int nreports;
  char report[DVMRT_REPORTS_MAX][DVMRT_PATH_MAX];
  char sources[DVMRT_PATH_MAX]; /* a folder with other texts of source files; empty: none */
  char sdm[DVMRT_PATH_MAX]; /* of the debug server inside; empty: none */
};

void dvmrt_options_default(struct dvmrt_options *o);
/* Reads 'text' on top of 'o'.  0, or -EINVAL with a text that names the key and the nearest known one. */
int dvmrt_options_parse(struct dvmrt_options *o, const char *text, struct dvm_error *err);
/* Line 'i' of the list of keys: "key=default  meaning"; NULL behind the last. */
const char *dvmrt_options_line(unsigned i, char *buf, size_t size);
#endif
