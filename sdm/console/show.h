/* Answers, events and output for people (grouped by ranks) or, one JSON object per line, for programs. */
#ifndef SDM_SHOW_H
#define SDM_SHOW_H
#include <stdio.h>

#include "sdm/gdb/backend.h" /* SDM_END_BREAK */
#include "sdm/session/session.h"

struct sdm_show {
  FILE *out;
  bool json;
};

/* One line "{0-3,7} 5  text"; 'total' ranks were asked: all of them are not named again. */
void sdm_show_answer(const struct sdm_show *w, const char *command, const struct sdm_answer *a);
enum sdm_tree_form { SDM_TREE_TEXT, SDM_TREE_FOLDED, SDM_TREE_DOT, SDM_TREE_SAMPLES };
/* Reducer SDM_REDUCE_TREE.  In a tree of 'samples' (else 1) ids are rank * samples + number of the sample. */
void sdm_show_tree(const struct sdm_show *w, const struct sdm_answer *a, enum sdm_tree_form form, uint32_t samples);
void sdm_show_stats(const struct sdm_show *w, const char *what, const struct sdm_answer *a);
/* Reducers SDM_REDUCE_HISTOGRAM and SDM_REDUCE_TOP. */
void sdm_show_histogram(const struct sdm_show *w, const char *what, const struct sdm_answer *a);
void sdm_show_top(const struct sdm_show *w, const char *what, const struct sdm_answer *a);
void sdm_show_event(const struct sdm_show *w, const struct sdm_set *ids, const json_t *event);
/* The line of source where it stands, as in gdb; nothing in JSON, or without the source. */
void sdm_show_line(const struct sdm_show *w, const json_t *event);
void sdm_show_output(const struct sdm_show *w, const struct sdm_set *ids, unsigned stream, const void *p, size_t len);
void sdm_show_running(const struct sdm_show *w, const struct sdm_set *ids); /* while one waits for them; not in JSON */
void sdm_show_late_main(const struct sdm_show *w, const struct sdm_set *ids); /* started, and not stopped in main; the same */
void sdm_show_back(const struct sdm_show *w, const struct sdm_set *ids);
void sdm_show_lost(const struct sdm_show *w, const struct sdm_set *ids, const char *why);
/* The result of the command 'dvm', behind the ranks.  False: it is none. */
void sdm_show_facts_array(FILE *out, const json_t *a); /* one line of "dvm arrays" */
bool sdm_show_facts(FILE *out, const json_t *result);
/* The same of message queues (waits.c). */
bool sdm_show_queues(FILE *out, const json_t *result);
void sdm_show_error(const struct sdm_show *w, const char *text);
void sdm_show_status(const struct sdm_show *w, const struct sdm_session *s);
#endif
