/* The inside of the DAP adapter: dap.c takes requests, dap_start.c begins a session, dap_run.c has threads and what sets them
 * running, dap_job.c jobs that are saved as a whole, dap_heard.c what others write, dap_look.c frames and expressions, dap_values.c what is in variables, dap_memory.c memory and machine code,
 * dap_program.c the program as a whole, dap_checkpoint.c checkpoints,  dap_break.c the breakpoints, dap_event.c what the client is told unasked, dap_facts.c checked programs, dap_custom.c what
 * the protocol does not know. */
#ifndef SDM_DAP_PRIVATE_H
#define SDM_DAP_PRIVATE_H
#include <stdio.h>

#include "sdm/dap/dap_io.h"
#include "sdm/console/select.h"
#include "sdm/session/session.h"

#define DAP_WORDS 64
#define DAP_TIMEOUT_MS 10000u
#define DAP_THREADS_A_RANK 1000

struct dap_ref { /* what a frame id or a variables reference stands for, until the programs run on */
  json_int_t rank, thread, frame;
  const char *scope; /* "locals", "args", "globals", "registers", "dvm", or NULL: it begins with 'expression' */
  char *expression; /* owned */
  json_t *path;     /* owned: numbers of the parts that lead to the value, each a part of the one before; NULL: none */
  json_t *facts;    /* owned: parts of what the run-time library knows (dap_facts.c); or NULL */
};

struct dap_break {
  json_int_t id;
  char *where; /* owned: the source's path, "" for functions, "=" for data, "*" for instructions, "!FILTER" for exceptions */
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
  struct sdm_dap_output {
    struct dvm_text text; /* lines that were not told yet */
    char *ranks;          /* who wrote them, owned; NULL: there are none */
    unsigned stream;
  } output;
  struct sdm_set *went; /* who was set going together last, owned; or NULL */
  bool launched_by; /* the programs were started by a launcher */
  struct sdm_set *followers; /* whom stopAll has stopped; owned, or NULL */
  json_int_t wanted; /* the rank whose thread was stepped or is to be stopped, and gets the editor's focus; -1: the first that stops */
  bool focused, alarmed; /* since something was set going, the editor was given the focus; .. at an exception */
  int64_t last_event;   /* us; since when nothing has happened */
  json_t *told_threads; /* their ids, owned; NULL: none yet */
  bool threads_changed;
  struct sdm_set *saved; /* .. of whom: they were saved; owned, or NULL */
  bool taken; /* from a front end that has died */
  bool passes_signals; /* those that end a program do not stop it */
  struct sdm_names names;
  char *focus;
  struct sdm_watch *watch;
  struct sdm_dap_heard { /* a pipe into which others write */
    int fd; /* our end; 0: none */
    const char *category; /* of the events with what comes */
    struct sdm_watch *watch;
    struct dap *d;
  } launcher,
      output_of_job; /* what launchers and servers write to standard error; what a job writes to standard output, which we have started */
  int job;        /* see sdm_job_start; -1: none */
  bool job_waits; /* its ranks stand before they begin */
  struct sdm_console *console; /* for typed commands; writes to 'repl' */
  json_t *queue;         /* of messages that have come, owned */
  json_int_t serving;    /* "seq" of the request at hand; 0: none */
  atomic_int abandon;    /* .. it was cancelled */
  FILE *repl;
  char *repl_text; /* of 'repl', owned */
  size_t repl_size;
  bool trusted;      /* the client may have programs run; else, if this is right: */
  const char *token; /* borrowed */
  char why[400];
};

struct dap *sdm_dap_new(int in, int out);
void sdm_dap_free(struct dap *d); /* ends its session; closes neither */
void sdm_dap_serve(struct dap *d, const json_t *message);
/* May this client have that request?  false: d->why says why not, and he is to go. */
bool sdm_dap_admit(struct dap *d, const char *request, const json_t *args);

const char *sdm_dap_text(const json_t *j, const char *key);
json_int_t sdm_dap_number(const json_t *j, const char *key, json_int_t otherwise);
json_t *sdm_dap_fail(struct dap *d, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* NULL */
void sdm_dap_event(struct dap *d, const char *name, json_t *body); /* 'body' is stolen */
void sdm_dap_text_event(struct dap *d, const char *category, const char *p, size_t len); /* "output", of bytes of any kind */
struct sdm_set *sdm_dap_one(json_int_t rank);
struct sdm_answer *sdm_dap_ask(struct dap *d, const struct sdm_set *to, json_t *command, uint8_t reducer);
json_t *sdm_dap_ask_one(struct dap *d, json_int_t rank, json_t *command);
sdm_id sdm_dap_lowest(const struct sdm_set *set);
bool sdm_dap_by_class(const struct dap *d); /* so many ranks that a thread of the client is a class of them */
struct sdm_set *sdm_dap_class_of(struct dap *d, sdm_id rank); /* the ranks that stand where 'rank' stands */
struct sdm_set *sdm_dap_focus_set(struct dap *d);
bool sdm_dap_all_good(struct dap *d, struct sdm_answer *a); /* all have said yes; frees 'a' */
void sdm_dap_hear(struct dap *d); /* the session's events come to the client */
void sdm_dap_on_event(void *arg, const struct sdm_set *ids, const json_t *event); /* as if the session had told it */
void sdm_dap_flush_output(struct dap *d); /* what is kept back goes out */
void sdm_dap_tell_news(struct dap *d);
/* dap_heard.c: a pipe whose other end is returned, for who writes: the caller's to close; 0: there is none. */
int sdm_dap_heard_open(struct dap *d, struct sdm_dap_heard *h, const char *category);
void sdm_dap_heard_watch(struct dap *d, struct sdm_dap_heard *h); /* from now on what comes is told at once */
void sdm_dap_heard_read(struct sdm_dap_heard *h); /* what is there */
void sdm_dap_heard_close(struct sdm_dap_heard *h);
/* dap_start.c: 'o->told' is made, and closed, if it is not there.  NULL: the reason is told. */
json_t *sdm_dap_open_session(struct dap *d, const json_t *args, struct sdm_session_options *o);
/* dap_job.c: the launch of a job that is saved as a whole, whose launcher's words are d->words. */
bool sdm_dap_job_is_one(const struct dap *d);
json_t *sdm_dap_job_launch(struct dap *d, const json_t *args, struct sdm_session_options *o, const char *program);
bool sdm_dap_job_begin(struct dap *d); /* its ranks are set going; false: the reason is told */
/* dap_rest.c */
void sdm_dap_went(struct dap *d, const struct sdm_set *who, bool alone); /* they go; alone: whatever the others do */
void sdm_dap_stop_rest(struct dap *d);
void sdm_dap_readable(void *arg, unsigned events);
json_int_t sdm_dap_new_ref(struct dap *d, struct dap_ref r); /* takes what it owns */
const struct dap_ref *sdm_dap_find_ref(struct dap *d, json_int_t id); /* NULL: the programs have run on since */
json_t *sdm_dap_command_at(const struct dap_ref *r, const char *name); /* a command for that frame */
bool sdm_dap_frame_or_any(struct dap *d, const json_t *args, struct dap_ref *at); /* of "frameId"; false: it is none any more */
/* The body that tells an expression's value; 'assign': the new value that it gets, or NULL. */
json_t *sdm_dap_value(struct dap *d, const struct dap_ref *at, const char *expression, const char *assign, const json_t *args);
const char *sdm_dap_command_in(const char *text); /* what is behind the sign for commands of the console; NULL: no sign */
bool sdm_dap_facts_known(struct dap *d, json_int_t rank); /* is the rank's program checked? */
json_t *sdm_dap_facts_variables(struct dap *d, const struct dap_ref *of);
bool sdm_dap_facts_elsewhere(struct dap *d, const struct dap_ref *at,
                             const char *expression); /* another rank has that element: d->why says so */
void sdm_dap_forget(struct dap *d); /* frames and variables */
void sdm_dap_note_threads(struct dap *d, const json_t *threads); /* that the client has been told of */
void sdm_dap_threads_changed(struct dap *d); /* .. and now is told what has become of them */
void sdm_dap_tell_saved(struct dap *d, const struct sdm_set *set, const json_t *event);
void sdm_dap_tell_standing(struct dap *d, const struct sdm_set *set);
void sdm_dap_drop_news(struct dap *d); /* what has come is not told */
void sdm_dap_break_known(void *arg, const struct sdm_set *ids, const json_t *command); /* of a session that was taken up */
json_t *sdm_dap_filters(void); /* for initialize */
const char *sdm_dap_filter_of(const struct dap *d, json_int_t bp); /* the filter of exceptions that set a breakpoint; NULL: none did */
void sdm_dap_breaks_free(struct dap *d);

/* Requests: the body of the response, or NULL with the reason in d->why. */
json_t *sdm_dap_do_initialize(struct dap *d, const json_t *args);
json_t *sdm_dap_do_launch(struct dap *d, const json_t *args);
json_t *sdm_dap_do_attach(struct dap *d, const json_t *args);
json_t *sdm_dap_do_configuration_done(struct dap *d, const json_t *args);
json_t *sdm_dap_do_threads(struct dap *d, const json_t *args);
json_t *sdm_dap_do_continue(struct dap *d, const json_t *args);
json_t *sdm_dap_do_next(struct dap *d, const json_t *args);
json_t *sdm_dap_do_step_in(struct dap *d, const json_t *args);
json_t *sdm_dap_do_step_out(struct dap *d, const json_t *args);
json_t *sdm_dap_do_pause(struct dap *d, const json_t *args);
json_t *sdm_dap_do_terminate(struct dap *d, const json_t *args);
json_t *sdm_dap_do_disconnect(struct dap *d, const json_t *args);
json_t *sdm_dap_do_focus(struct dap *d, const json_t *args);
json_t *sdm_dap_do_places(struct dap *d, const json_t *args);
json_t *sdm_dap_do_compare(struct dap *d, const json_t *args);
json_t *sdm_dap_do_merge(struct dap *d, const json_t *args);
json_t *sdm_dap_do_checkpoint(struct dap *d, const json_t *args); /* dap_checkpoint.c */
json_t *sdm_dap_do_checkpoints(struct dap *d, const json_t *args);
json_t *sdm_dap_do_restart_image(struct dap *d, const json_t *args);
json_t *sdm_dap_stack_trace(struct dap *d, const json_t *args);
json_t *sdm_dap_scopes(struct dap *d, const json_t *args);
json_t *sdm_dap_variables(struct dap *d, const json_t *args);
json_t *sdm_dap_set_variable(struct dap *d, const json_t *args);
json_t *sdm_dap_evaluate(struct dap *d, const json_t *args);
json_t *sdm_dap_set_expression(struct dap *d, const json_t *args);
json_t *sdm_dap_read_memory(struct dap *d, const json_t *args);
json_t *sdm_dap_write_memory(struct dap *d, const json_t *args);
json_t *sdm_dap_disassemble(struct dap *d, const json_t *args);
json_t *sdm_dap_modules(struct dap *d, const json_t *args);
json_t *sdm_dap_loaded_sources(struct dap *d, const json_t *args);
json_t *sdm_dap_completions(struct dap *d, const json_t *args);
json_t *sdm_dap_exception_info(struct dap *d, const json_t *args);
json_t *sdm_dap_breakpoint_locations(struct dap *d, const json_t *args);
json_t *sdm_dap_set_instruction_breakpoints(struct dap *d, const json_t *args);
json_t *sdm_dap_do_restart(struct dap *d, const json_t *args);
json_t *sdm_dap_do_cancel(struct dap *d, const json_t *args);
json_t *sdm_dap_set_breakpoints(struct dap *d, const json_t *args);
json_t *sdm_dap_set_function_breakpoints(struct dap *d, const json_t *args);
json_t *sdm_dap_set_exception_breakpoints(struct dap *d, const json_t *args);
json_t *sdm_dap_data_breakpoint_info(struct dap *d, const json_t *args);
json_t *sdm_dap_set_data_breakpoints(struct dap *d, const json_t *args);
#endif
