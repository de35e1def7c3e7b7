/* The inside of the DAP adapter: dap.c starts and runs, dap_look.c looks, dap_break.c has the breakpoints. */
#ifndef SDM_DAP_PRIVATE_H
#define SDM_DAP_PRIVATE_H
#include <stdio.h>

#include "sdm/dap_io.h"
#include "sdm/select.h"
#include "sdm/session.h"

#define DAP_WORDS 64

struct dap_ref { /* what a frame id or a variables reference stands for, until the programs run on */
  json_int_t rank, thread, frame;
  const char *kind; /* "locals", "args", or NULL: the parts of 'expression' */
  char *expression; /* owned */
};

struct dap_break {
  json_int_t id;
  char *where; /* owned: the source's path, "" for functions, "=" for data */
};

struct sdm_console;

struct dap {
  struct sdm_dap_io io;
  struct sdm_session s;
  bool open, attached, started, initialized, over, entry, quit;
  uint32_t class_limit;
  json_t *start; /* what configurationDone sends */
  json_int_t exit_code;
  char *words[DAP_WORDS + 1]; /* of the launcher, owned */
  struct sdm_place *news;
  size_t nnews;
  int64_t news_since; /* us; the first of them */
  struct dap_ref *refs; /* [nrefs]; ids are index + 1 */
  size_t nrefs;
  struct dap_break *breaks;
  size_t nbreaks;
  json_int_t next_break;
  struct sdm_names names;
  char *focus;
  struct sdm_watch *watch;
  struct sdm_console *console; /* for typed commands; writes to 'repl' */
  FILE *repl;
  char **repl_text;
  size_t *repl_size;
  char why[400];
};

const char *dap_text(const json_t *j, const char *key);
json_int_t dap_number(const json_t *j, const char *key, json_int_t otherwise);
json_t *dap_fail(struct dap *d, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* NULL */
void dap_event(struct dap *d, const char *name, json_t *body); /* 'body' is stolen */
struct sdm_set *dap_one(json_int_t rank);
struct sdm_answer *dap_ask(struct dap *d, const struct sdm_set *to, json_t *command, uint8_t reducer);
json_t *dap_ask_one(struct dap *d, json_int_t rank, json_t *command);
void dap_readable(void *arg, unsigned events);
void dap_forget(struct dap *d); /* frames and variables */
void dap_breaks_free(struct dap *d);

json_t *dap_stack_trace(struct dap *d, const json_t *args);
json_t *dap_scopes(struct dap *d, const json_t *args);
json_t *dap_variables(struct dap *d, const json_t *args);
json_t *dap_set_variable(struct dap *d, const json_t *args);
json_t *dap_evaluate(struct dap *d, const json_t *args);
json_t *dap_read_memory(struct dap *d, const json_t *args);
json_t *dap_set_breakpoints(struct dap *d, const json_t *args);
json_t *dap_set_function_breakpoints(struct dap *d, const json_t *args);
json_t *dap_data_breakpoint_info(struct dap *d, const json_t *args);
json_t *dap_set_data_breakpoints(struct dap *d, const json_t *args);
#endif
