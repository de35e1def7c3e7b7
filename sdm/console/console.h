/* The console of `dvm debug`: one command a line, for the focus or for the set named before it. */
#ifndef SDM_CONSOLE_H
#define SDM_CONSOLE_H
#include "sdm/console/select.h"
#include "sdm/session/session.h"
#include "sdm/console/show.h"

struct sdm_console;

struct sdm_console *sdm_console_new(struct sdm_session *s, const struct sdm_show *show);
/* What `run` starts again; copied. */
/* A breakpoint that the servers have already; sdm_session_recall's. */
void sdm_console_known(void *console, const struct sdm_set *ids, const json_t *command);
/* The result of a restart: breakpoints that have come with the image. */
void sdm_console_restored(struct sdm_console *c, const struct sdm_set *ids, const json_t *result);
void sdm_console_forget_news(struct sdm_console *c); /* stops that were not shown yet, and need not be */
/* While debuggers start a terminal shows how many have come to main. */
void sdm_console_starting(struct sdm_console *c, bool on);
/* The programs are to stop before they end with an error: at MPI_Abort, and at 'exit' with a status that is not 0. */
void sdm_console_stop_at_end(struct sdm_console *c, bool on);
/* 'again' ends the session and opens it anew, with the programs in main; 0, or not, after which there is none.  For jobs that only their launcher starts. */
void sdm_console_start_again(struct sdm_console *c, int (*again)(void *arg), void *arg);
void sdm_console_program(struct sdm_console *c, const json_t *command);
void sdm_console_free(struct sdm_console *c);
/* One line; errors are shown.  Returns 0, or -1 if it failed.  'quit' ends sdm_console_interact. */
int sdm_console_line(struct sdm_console *c, const char *line);
/* Reads commands from 'in' until it ends or until quit; with a terminal, with prompt, history and completion. */
void sdm_console_interact(struct sdm_console *c, FILE *in);
int sdm_console_script(struct sdm_console *c, const char *path); /* stops at the first command that fails */
bool sdm_console_knows(const char *word); /* it is a command, an alias, or the beginning of just one */
/* What the last word of a line may become: an array of texts, a new reference. */
json_t *sdm_console_completions(struct sdm_console *c, const char *line);
const char *sdm_console_last_word(const char *line);
/* When one of a set has stopped, are the others to be stopped?  Asks a program that stands whether it is one of MPI, if nobody
 * has said it. */
bool sdm_console_stops_all(struct sdm_console *c);
void sdm_console_stop_all(struct sdm_console *c, bool on);
bool sdm_console_quit(const struct sdm_console *c);
/* Waits until the programs that were started have stopped in main, at most a minute; ^C stops them where they are. */
void sdm_console_await_main(struct sdm_console *c);
void sdm_console_interrupt(void); /* async-signal-safe: what ^C does */
const volatile atomic_int *sdm_console_interrupts(void); /* becomes true by it */
#endif
