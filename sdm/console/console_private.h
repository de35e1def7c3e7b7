/* The inside of the console: console.c has lines, sets and the table of commands; console_run.c, console_break.c and
 * console_look.c and console_dvm.c the commands; console_edit.c where lines come from, console_complete.c what they may become. */
#ifndef SDM_CONSOLE_PRIVATE_H
#define SDM_CONSOLE_PRIVATE_H
#include "sdm/console/console.h"
#include "sdm/console/select.h"

struct breakpoint {
  long long id;
  char *what;
  struct sdm_set *set;
  bool enabled;
  char *commands; /* lines for those who stop there, owned; or NULL */
  char *place;          /* "file.c:8", of the first ranks that have it; owned, or NULL */
  uint64_t hits;        /* stops there, of all ranks */
  json_t *command; /* that has set it, as it is by now; owned, or NULL: it came with an image */
};

struct display {
  long long id;
  char *text; /* "[/FORMAT ]EXPRESSION", owned */
};

struct sdm_console {
  struct sdm_session *s;
  struct sdm_show show;
  struct sdm_names names;
  char *focus; /* an expression, so that it may be live */
  struct sdm_set *to;    /* ranks of the command at hand */
  long long frame, thread;
  long long outwards; /* with CONSOLE_USER_FRAME: frames from there, outwards */
  char function[256]; /* with CONSOLE_USER_FRAME: whose frame it is to be; empty: any */
  struct breakpoint *breaks;
  size_t nbreaks;
  long long next_break;
  uint32_t timeout_ms;
  unsigned depth;
  struct sdm_place *news; /* events that were not shown yet, merged */
  size_t nnews;
  uint64_t nevents; /* that have come */
  char *listed; /* at what place of whom the last 'list' was, owned; NULL: none yet */
  struct display *displays;
  size_t ndisplays;
  long long last_display, collecting; /* the breakpoint whose commands are being typed; 0: none */
  struct sdm_set *owed; /* have come to a breakpoint whose commands were not run yet; owned */
  int (*again)(void *arg); /* see sdm_console_start_again; or NULL */
  void *again_arg;
  int is_mpi;        /* the program: 1 or 0; -1: not known yet */
  int stop_all;      /* 1: when one has stopped the others are stopped too; 0: not; -1: as the programs are, MPI or not */
  bool quit, failed, stops_at_end, starting;
  FILE *terminal;             /* where 'show' writes while a person types commands; else NULL */
  bool prompting, overwritten; /* the prompt stands there; was taken away for what has happened meanwhile */
  bool told_typing;           /* what becomes of lines that are typed while programs run */
  json_t *program; /* the command that started the programs */
};

#define CONSOLE_USER_FRAME (-2) /* of each rank the innermost with source */
#define CONSOLE_DIAGNOSTIC "the next diagnostic" /* what such a breakpoint is called */

#define CONSOLE_WORD_BREAKS " \t\n([,!&^|=+*/<>" /* before a word that can be completed */

extern volatile atomic_int sdm_console_interrupted; /* set by ^C */

/* console.c */
void sdm_console_fail(struct sdm_console *c, const char *text); /* shows it; the line has failed */
void sdm_console_show_news(struct sdm_console *c);
void sdm_console_note_nobody(struct sdm_console *c); /* says so if no rank is in the set: without it, no answer comes */
json_t *sdm_console_request(struct sdm_console *c, const char *name); /* with the thread and frame at hand */
json_t *sdm_console_with_text(struct sdm_console *c, const char *name, const char *key, const char *text);
bool sdm_console_had_errors(const struct sdm_answer *a);
struct sdm_answer *sdm_console_ask(struct sdm_console *c, json_t *j, uint8_t reducer);
void sdm_console_ask_and_show(struct sdm_console *c, json_t *j);
const char *sdm_console_command_name(size_t at); /* NULL past the last */
const char *sdm_console_full_name(const char *word, size_t n); /* of the command that the word's first 'n' characters call; NULL: none */

/* console_words.c */
json_t *sdm_console_evaluation(struct sdm_console *c, char *arg); /* "[/FORMAT] EXPRESSION" */
void sdm_console_show_displays(struct sdm_console *c, const struct sdm_set *set);
void sdm_console_list_displays(struct sdm_console *c);
bool sdm_console_collect(struct sdm_console *c, const char *line); /* a line of the commands of a breakpoint: true if it was one */
void sdm_console_run_commands(struct sdm_console *c, const struct sdm_set *set, struct sdm_set *on);
bool sdm_console_pass_on(struct sdm_console *c, const char *line); /* to gdb; false: it does not know it either */
/* Whether the commands of the breakpoint at which the event stopped begin with 'silent': then the stop is not told. */
bool sdm_console_is_silent(const struct sdm_console *c, const json_t *event);
void sdm_console_run_owed(struct sdm_console *c); /* of those who stopped while nobody waited for them; called at the prompt */
void sdm_console_words_free(struct sdm_console *c);
/* console_merge.c */
void sdm_console_show_variables(struct sdm_console *c, const char *kind); /* each with all its values */
void sdm_console_show_stack(struct sdm_console *c, json_t *command); /* with arguments */

/* console_break.c */
long long sdm_console_break_number(const struct sdm_console *c, char **arg); /* "3", or "$bpnum": the last; 'arg' is left behind it */
struct breakpoint *sdm_console_find_break(struct sdm_console *c, long long id); /* or NULL */
json_t *sdm_console_break_words(char *arg); /* "WHERE [if CONDITION]", cut in 'arg' */
void sdm_console_add_break(struct sdm_console *c, json_t *j, const char *what);
void sdm_console_note_hit(struct sdm_console *c, const struct sdm_set *ids, const json_t *event); /* they have stopped */
void sdm_console_set_breaks_again(struct sdm_console *c); /* in programs that do not have them */
void sdm_console_show_breaks(struct sdm_console *c);
/* console_run.c */
void sdm_console_interrupt_all(struct sdm_console *c, const struct sdm_set *set);
void sdm_console_wait_for(struct sdm_console *c, const struct sdm_set *set); /* until they stand; ^C stops them */
void sdm_console_run_until_any(struct sdm_console *c); /* sets the set running; when one has stopped, all are stopped */

/* Commands: 'arg' is the rest of the line, and may be changed. */
void sdm_console_do_continue(struct sdm_console *c, char *arg);
void sdm_console_do_step(struct sdm_console *c, char *arg);
void sdm_console_do_next(struct sdm_console *c, char *arg);
void sdm_console_do_stepi(struct sdm_console *c, char *arg);
void sdm_console_do_nexti(struct sdm_console *c, char *arg);
void sdm_console_do_advance(struct sdm_console *c, char *arg);
void sdm_console_do_call(struct sdm_console *c, char *arg);
void sdm_console_do_catch(struct sdm_console *c, char *arg);
void sdm_console_do_tcatch(struct sdm_console *c, char *arg);
void sdm_console_do_display(struct sdm_console *c, char *arg);
void sdm_console_do_undisplay(struct sdm_console *c, char *arg);
void sdm_console_do_commands(struct sdm_console *c, char *arg);
void sdm_console_do_finish(struct sdm_console *c, char *arg);
void sdm_console_do_run(struct sdm_console *c, char *arg);
void sdm_console_do_until(struct sdm_console *c, char *arg);
void sdm_console_do_wait(struct sdm_console *c, char *arg);
void sdm_console_do_interrupt(struct sdm_console *c, char *arg);
void sdm_console_do_kill(struct sdm_console *c, char *arg);
void sdm_console_do_checkpoint(struct sdm_console *c, char *arg); /* console_checkpoint.c */
void sdm_console_do_restart(struct sdm_console *c, char *arg);
void sdm_console_do_detach(struct sdm_console *c, char *arg);
void sdm_console_do_barrier(struct sdm_console *c, char *arg);
void sdm_console_do_sample(struct sdm_console *c, char *arg);
void sdm_console_do_break(struct sdm_console *c, char *arg);
void sdm_console_do_tbreak(struct sdm_console *c, char *arg);
void sdm_console_do_watch(struct sdm_console *c, char *arg);
void sdm_console_do_rwatch(struct sdm_console *c, char *arg);
void sdm_console_do_awatch(struct sdm_console *c, char *arg);
void sdm_console_do_clear(struct sdm_console *c, char *arg);
void sdm_console_do_start(struct sdm_console *c, char *arg);
void sdm_console_do_delete(struct sdm_console *c, char *arg);
void sdm_console_do_enable(struct sdm_console *c, char *arg);
void sdm_console_do_disable(struct sdm_console *c, char *arg);
void sdm_console_do_condition(struct sdm_console *c, char *arg);
void sdm_console_do_ignore(struct sdm_console *c, char *arg);
void sdm_console_do_bt(struct sdm_console *c, char *arg);
void sdm_console_do_frame(struct sdm_console *c, char *arg);
void sdm_console_do_up(struct sdm_console *c, char *arg);
void sdm_console_do_down(struct sdm_console *c, char *arg);
void sdm_console_do_list(struct sdm_console *c, char *arg);
void sdm_console_do_locals(struct sdm_console *c, char *arg);
void sdm_console_do_args(struct sdm_console *c, char *arg);
void sdm_console_do_print(struct sdm_console *c, char *arg);
void sdm_console_do_diff(struct sdm_console *c, char *arg);
void sdm_console_do_ptype(struct sdm_console *c, char *arg);
void sdm_console_do_raw(struct sdm_console *c, char *arg);
void sdm_console_do_handle(struct sdm_console *c, char *arg);
void sdm_console_do_x(struct sdm_console *c, char *arg);
void sdm_console_do_set(struct sdm_console *c, char *arg);
void sdm_console_do_info(struct sdm_console *c, char *arg);
void sdm_console_do_dvm(struct sdm_console *c, char *arg);
void sdm_console_do_queues(struct sdm_console *c, char *arg);
void sdm_console_do_waits(struct sdm_console *c, char *arg);
void sdm_console_do_status(struct sdm_console *c, char *arg);
void sdm_console_do_thread(struct sdm_console *c, char *arg);
/* console_here.c */
void sdm_console_do_shell(struct sdm_console *c, char *arg);
void sdm_console_do_save(struct sdm_console *c, char *arg);
void sdm_console_keep_commands(struct sdm_console *c, const struct breakpoint *b); /* for a front end that takes the session up */
void sdm_console_keep_names(struct sdm_console *c);
#endif
