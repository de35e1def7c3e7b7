/* Where the constructs of a reference stand in the program that is about to run: its source may have been changed since. */
#ifndef DVMT_PLACES_H
#define DVMT_PLACES_H
#include "driver/trace/job/object_file.h"
#include "driver/trace/compare/name.h"
#include <stdbool.h>
#include <stddef.h>

/* What of a command is compiled with '-fdvm=parallel': its path, or NULL. */
const char *dvmt_job_program(char *const *command, char *buf, size_t size);

struct dvmt_job_places;
/* The 'parallel' constructs in that program, its shared libraries, and those that it may load: that the words of the command or texts in
 * the program name.  They are found by their texts; NULL: there are none, or memory is exhausted. */
struct dvmt_job_places *dvmt_job_places_read(const char *program, char *const *command);
/* Those of one file. */
struct dvmt_job_places *dvmt_job_places_read_file(const char *path);
void dvmt_job_places_destroy(struct dvmt_job_places *p);
/* A construct of the reference, by the text of its site ('file': as the run names its file); all of them first. */
bool dvmt_job_places_add(struct dvmt_job_places *p, const char *text, struct dvmt_span file);
/* Whether the program or its libraries hold constructs of that file. */
bool dvmt_job_places_know(const struct dvmt_job_places *p, struct dvmt_span file);
/* Then: where the run has the n-th that was added.  'line' 0: nowhere. */
struct dvmt_where dvmt_job_places_of(struct dvmt_job_places *p, size_t n);
#endif
