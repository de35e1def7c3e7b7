/* Signals of the program: those that it handles itself do not end a run that nobody watches; and how to end a call of a
 * function, in which gdb reads no commands. */
#define _GNU_SOURCE /* sigabbrev_np */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "sdm/gdb/gdb_private.h"
#include "base/process.h"

static int number_of_signal(const char *name) {
  char known[24];
  for (int i = 1; i < NSIG; i++) {
    const char *abbreviation = sigabbrev_np(i);
    if (abbreviation)
      snprintf(known, sizeof(known), "SIG%s", abbreviation);
    else
      snprintf(known, sizeof(known), "SIG%d", i); /* as gdb calls real-time signals */
    if (!strcmp(known, name))
      return i;
  }
  return 0;
}

/* Does the kernel say in this line on the program that it has the signal? */
static bool in_mask(pid_t pid, const char *set, int signal) {
  char text[32];
  return signal > 0 && signal <= 64 && dvm_process_status(pid, set, text, sizeof(text)) && strtoull(text, NULL, 16) >> (signal - 1) & 1;
}

/* A signal in a line of "handle": its name, or as gdb numbers the first fifteen. */
static int number_of_word(const char *word, size_t n) {
  char copy[24];
  int number = n && n <= 2 && strspn(word, "0123456789") >= n ? atoi(word) : 0;
  if (number)
    return number <= 15 ? number : 0;
  snprintf(copy, sizeof(copy), "%.*s", (int)n, word);
  return number_of_signal(copy);
}

/* Is the word of n bytes this signal: by itself, by a range "SIGHUP-SIGQUIT", or by "all", which leaves out those that gdb uses? */
static bool word_names(const char *word, size_t n, int signal) {
  const char *dash = memchr(word, '-', n);
  if (n == 3 && !strncmp(word, "all", n))
    return signal != SIGTRAP && signal != SIGINT;
  if (!dash)
    return number_of_word(word, n) == signal;
  int low = number_of_word(word, (size_t)(dash - word)), high = number_of_word(dash + 1, n - (size_t)(dash + 1 - word));
  return low && high && signal >= (low < high ? low : high) && signal <= (low < high ? high : low);
}

/* What the user said of a signal: 1 yes, 0 no, -1 nothing. */
struct handling {
  int stop, print, pass;
};

static void take_action(struct handling *h, const char *word, size_t n) {
  static const struct {
    const char *word;
    struct handling is; /* as gdb: who stops prints, who does not print does not stop */
  } actions[] = {{"stop", {1, 1, -1}},  {"nostop", {0, -1, -1}}, {"print", {-1, 1, -1}},  {"noprint", {0, 0, -1}},
                 {"pass", {-1, -1, 1}}, {"nopass", {-1, -1, 0}}, {"ignore", {-1, -1, 0}}, {"noignore", {-1, -1, 1}}};
  for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++)
    if (strlen(actions[i].word) == n && !strncmp(actions[i].word, word, n)) {
      h->stop = actions[i].is.stop >= 0 ? actions[i].is.stop : h->stop;
      h->print = actions[i].is.print >= 0 ? actions[i].is.print : h->print;
      h->pass = actions[i].is.pass >= 0 ? actions[i].is.pass : h->pass;
    }
}

static void take_line(struct handling *h, const char *line, int signal) {
  struct handling here = *h;
  bool named = false;
  for (size_t n; line += strspn(line, " \t"), (n = strcspn(line, " \t")); line += n) {
    named |= word_names(line, n, signal);
    take_action(&here, line, n);
  }
  if (named)
    *h = here;
}

static struct handling handling_of(const struct sdm_backend *b, int signal) {
  struct handling h = {-1, -1, -1};
  const json_t *one;
  size_t i;
  json_array_foreach(b->handled, i, one) take_line(&h, json_string_value(one), signal);
  return h;
}

void sdm_gdb_signal_handle(struct sdm_backend *b, const char *what) {
  json_array_append_new(b->handled ? b->handled : (b->handled = json_array()), json_string(what));
  b->stale = false; /* his words on SIGINT are the last ones */
}

static void tell_signal(struct sdm_backend *b, const char *signal) {
  if (b->term)
    sdm_term_drain(b->term); /* what was written before comes before */
  b->host.event(b->host.arg, json_pack("{s:s, s:s}", "event", "signal", "signal", signal));
}

/* "Thread 1 "a" received signal SIGUSR1, User defined signal 1.", of one that the program does not stop for. */
void sdm_gdb_signal_printed(struct sdm_backend *b, const char *text) {
  static const char received[] = " received signal ";
  char name[24];
  const char *at = strstr(text, received);
  size_t n = at ? strcspn(at += sizeof(received) - 1, ",. \n") : 0;
  snprintf(name, sizeof(name), "%.*s", (int)n, at ? at : "");
  struct handling h = handling_of(b, number_of_signal(name));
  if (n && h.stop == 0 && h.print != 0)
    tell_signal(b, name);
}

bool sdm_gdb_signal_passed(struct sdm_backend *b, const json_t *stop) {
  const char *reason = sdm_gdb_field(stop, "reason"), *signal = sdm_gdb_field(stop, "signal-name");
  int number = signal ? number_of_signal(signal) : 0;
  bool fault = number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL; /* not to be ignored */
  struct handling h = handling_of(b, number);
  if (!b->fatal_only || b->interrupting || !number || !reason || strcmp(reason, "signal-received") || h.stop == 1 ||
      !(in_mask(b->program, "SigCgt:", number) || (!fault && in_mask(b->program, "SigIgn:", number))))
    return false;
  if (h.print == 1)
    tell_signal(b, signal);
  b->passing = true;
  sdm_gdb_send(b, NULL, NULL, "-interpreter-exec console \"signal %s\"", h.pass == 0 ? "0" : signal);
  return true;
}

/* The program came to another stop before the interruption that we asked gdb for: the signal of that is still on its way, and would
 * stop the program again as soon as it runs.  It does not count, up to the next stop or interruption. */
void sdm_gdb_signal_stale(struct sdm_backend *b, bool stale) {
  if (stale == b->stale || handling_of(b, SIGINT).stop >= 0 || handling_of(b, SIGINT).pass >= 0)
    return;
  b->stale = stale;
  sdm_gdb_send(b, NULL, NULL, "-interpreter-exec console \"handle SIGINT %s\"", stale ? "nostop noprint nopass" : "stop print nopass");
}

bool sdm_gdb_signal_of_call(const struct sdm_backend *b, const json_t *stop) {
  const char *reason = sdm_gdb_field(stop, "reason");
  return !b->running && b->first && reason && !strcmp(reason, "signal-received");
}

bool sdm_gdb_signal_end_call(struct sdm_backend *b, int signal) {
  bool calls = false;
  for (const struct gdb_pending *p = b->first; p; p = p->next)
    calls |= p->calls;
  if (!calls || b->running || b->program <= 0)
    return false;
  kill(b->program, signal);
  return true;
}
