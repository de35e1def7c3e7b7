/* DVM_OPTIONS of a parallel program. */
#ifndef DVMP_OPTIONS_H
#define DVMP_OPTIONS_H
#include "base/error.h"
#include <stdbool.h>

/* Reads 'text' into dvmp_job.  0, or -EINVAL with a text that names the key and the nearest known one. */
int dvmp_options_parse(const char *text, struct dvm_error *err);
/* Line 'i' of the list of keys, NULL behind the last. */
const char *dvmp_options_line(unsigned i);
extern int dvmp_options_help;
extern const char *dvmp_options_profile; /* folder, or NULL */

/* What the commands ask of a program that they record (runtime/trace/launcher.h). */
struct dvmp_recording {
  const char *job, *file, *results; /* NULL: not given */
  const char *live;                   /* socket of a comparison that runs beside, or NULL */
  bool step;                          /* construct by construct with it */
  const char *level, *config;         /* of the program; path of a configuration by construct (levels.h) */
  bool bounds;                        /* between which values the index variables of each construct lie */
  bool substitute;
  bool whole;                         /* arrays are summed up when a construct has ended, not row by row while it is executed */
  bool small;                         /* row by row also where they are small */
  const char *elements_file;          /* of the construct that is told by elements, NULL: of none; its line and execution */
  unsigned elements_line;
  unsigned long elements_execution;
};
extern struct dvmp_recording dvmp_options_recording;
#endif
