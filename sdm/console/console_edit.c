/* Where lines come from: a terminal with history and completion, or a pipe. */
#define _GNU_SOURCE /* fopencookie */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdm/console/console_private.h"
#ifdef SDM_HAVE_LIBEDIT
#include <editline/readline.h>
#define HISTORY_LINES 1000
#endif

static void prompt_text(struct sdm_console *c, char *out, size_t size) {
  bool plain = isdigit((unsigned char)c->focus[0]);
  if (c->collecting)
    snprintf(out, size, ">");
  else
    snprintf(out, size, plain ? "p%s> " : "[%s]> ", c->focus);
}

#ifdef SDM_HAVE_LIBEDIT
/* What happens while the prompt stands is written in its place, and the prompt with what was typed comes again behind it. */
static ssize_t write_terminal(void *arg, const char *p, size_t n) {
  struct sdm_console *c = arg;
  size_t at = 0;
  if (c->prompting && !c->overwritten) {
    c->overwritten = true;
    write_terminal(arg, "\r\033[K", 4);
  }
  while (at < n) {
    ssize_t done = write(STDOUT_FILENO, p + at, n - at);
    if (done < 0 && errno != EINTR)
      return 0;
    at += done > 0 ? (size_t)done : 0;
  }
  return (ssize_t)n;
}

static void prompt_again(struct sdm_console *c) {
  fflush(c->show.out);
  if (c->overwritten)
    rl_forced_update_display();
  c->overwritten = false;
}
#else
static void prompt_again(struct sdm_console *c) { (void)c; }
#endif

static void on_input(void *arg, unsigned events) { (void)arg, (void)events; } /* it is enough that the wait is over */

/* Waits for input, or ^C, and lets events and output through meanwhile. */
static void idle(struct sdm_console *c, int fd) {
  struct pollfd p = {.fd = fd, .events = POLLIN};
  struct sdm_watch *watch = sdm_loop_watch(sdm_ctx_loop(c->s->ctx), fd, SDM_READ, on_input, c); /* none for a file, which is always ready */
  c->prompting = c->terminal != NULL;
  sdm_console_run_owed(c);
  sdm_console_show_news(c);
  prompt_again(c);
  while (poll(&p, 1, 0) == 0 && !sdm_console_interrupted) {
    sdm_session_step(c->s, 100);
    sdm_console_run_owed(c);
    sdm_console_show_news(c);
    prompt_again(c);
  }
  c->prompting = false;
  sdm_watch_free(watch);
}

#ifdef SDM_HAVE_LIBEDIT
static struct sdm_console *editing;
static bool line_done;

static json_t *found_words;

static char *next_word(const char *text, int state) {
  static size_t at;
  (void)text;
  at = state ? at + 1 : 0;
  const char *word = json_string_value(json_array_get(found_words, at));
  return word ? strdup(word) : NULL;
}

static char **complete(const char *text, int start, int end) {
  char *line = sdm_strdup(rl_line_buffer ? rl_line_buffer : "");
  (void)start;
  if ((size_t)end < strlen(line))
    line[end] = 0;
  json_decref(found_words);
  found_words = sdm_console_completions(editing, line);
  free(line);
  rl_attempted_completion_over = 1; /* else files, wherever one is */
  char **matches = json_array_size(found_words) ? rl_completion_matches(text, next_word) : NULL;
  return matches;
}

static void on_line(char *line) {
  line_done = true;
  if (!line) {
    editing->quit = true;
    return;
  }
  if (*line)
    add_history(line);
  rl_callback_handler_remove();
  sdm_console_line(editing, line);
  free(line);
}

/* Lines of earlier sessions: what XDG_STATE_HOME says, else below the home folder.  False: nowhere. */
static bool history_path(char *path, size_t size) {
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  bool given = state && *state == '/';
  if (!given && (!home || *home != '/'))
    return false;
  int n = snprintf(path, size, given ? "%s" : "%s/.local/state", given ? state : home);
  if (n < 0 || (size_t)n + 24 > size)
    return false;
  for (char *slash = path + 1; *slash; slash++) /* make the folders, private as the state they are for */
    if (*slash == '/') {
      *slash = 0;
      mkdir(path, 0700);
      *slash = '/';
    }
  mkdir(path, 0700);
  strcat(path, "/dvm");
  mkdir(path, 0700);
  strcat(path, "/debug-history");
  return true;
}

static void keep_history(const char *path) {
  mode_t old = umask(0077); /* commands may hold data of the program */
  stifle_history(HISTORY_LINES);
  int rc = write_history(path);
  umask(old);
  if (rc)
    fprintf(stderr, "dvm debug: warning: the history cannot be kept in '%s': %s\n", path, strerror(errno));
}

/* ^C: what was typed is given up, as in a shell. */
static void drop_line(struct sdm_console *c) {
  sdm_console_interrupted = 0;
  rl_line_buffer[0] = 0;
  rl_point = rl_end = 0;
  rl_callback_handler_remove(); /* the terminal is as it was */
  fprintf(c->show.out, "^C\n");
  fflush(c->show.out);
  line_done = true;
}

static void interact_terminal(struct sdm_console *c) {
  char prompt[128], path[PATH_MAX];
  bool keeps = history_path(path, sizeof(path));
  editing = c;
  sdm_console_interrupted = 0;
  rl_catch_signals = 0; /* they are ours: see drop_line */
  rl_attempted_completion_function = complete;
  rl_completer_word_break_characters = (char *)CONSOLE_WORD_BREAKS;
  using_history();
  if (keeps)
    read_history(path); /* the first time there is none */
  FILE *before = c->show.out;
  fflush(before);
  c->terminal = fopencookie(c, "w", (cookie_io_functions_t){.write = write_terminal});
  c->show.out = c->terminal ? c->terminal : before;
  while (!c->quit) {
    prompt_text(c, prompt, sizeof(prompt));
    line_done = false;
    rl_callback_handler_install(prompt, on_line);
    while (!line_done) {
      idle(c, 0);
      if (sdm_console_interrupted)
        drop_line(c);
      else
        rl_callback_read_char();
    }
  }
  rl_callback_handler_remove();
  if (c->terminal)
    fclose(c->terminal);
  c->terminal = NULL;
  c->show.out = before;
  json_decref(found_words);
  found_words = NULL;
  if (keeps)
    keep_history(path);
}
#endif

void sdm_console_interact(struct sdm_console *c, FILE *in) {
  char *line = NULL, prompt[128];
  size_t size = 0;
  bool terminal = isatty(fileno(in)) && !c->show.json;
#ifdef SDM_HAVE_LIBEDIT
  if (terminal && in == stdin && isatty(1)) {
    interact_terminal(c);
    return;
  }
#endif
  setvbuf(in, NULL, _IONBF, 0); /* what is buffered, poll does not see */
  while (!c->quit) {
    if (terminal) {
      prompt_text(c, prompt, sizeof(prompt));
      fprintf(c->show.out, "%s", prompt);
      fflush(c->show.out);
    }
    idle(c, fileno(in));
    if (getline(&line, &size, in) <= 0)
      break;
    sdm_console_line(c, line);
  }
  free(line);
}
