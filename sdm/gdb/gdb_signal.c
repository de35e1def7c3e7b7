/* Signals of the program: those that it handles itself do not end a run that nobody watches; and how to end a call of a
 * function, in which gdb reads no commands. */
#define _GNU_SOURCE /* sigabbrev_np */
#include <signal.h>
#include <stdio.h>

#include "sdm/gdb/gdb_private.h"

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

/* Does the kernel say in this set of the program that it has the signal? */
static bool in_mask(pid_t pid, const char *set, int signal) {
  char path[48], line[256];
  unsigned long long mask = 0;
  size_t n = strlen(set);
  snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
  FILE *f = fopen(path, "r");
  while (f && fgets(line, sizeof(line), f))
    if (!strncmp(line, set, n) && line[n] == ':')
      mask = strtoull(line + n + 1, NULL, 16);
  if (f)
    fclose(f);
  return signal > 0 && signal <= 64 && mask >> (signal - 1) & 1;
}

/* What 'word' is in "handle SIGUSR1 SIGUSR2 nostop": one of its words. */
static bool has_word(const char *text, const char *word) {
  size_t n = strlen(word);
  for (const char *at = text; (at = strstr(at, word)); at += n)
    if ((at == text || at[-1] == ' ') && (!at[n] || at[n] == ' '))
      return true;
  return false;
}

void sdm_gdb_signal_handle(struct sdm_backend *b, const char *what) {
  json_array_append_new(b->handled ? b->handled : (b->handled = json_array()), json_string(what));
}

/* The user wants to see it: the last word of his on it was "stop". */
static bool is_wanted(const struct sdm_backend *b, const char *signal) {
  const json_t *one;
  bool wanted = false;
  size_t i;
  json_array_foreach(b->handled, i, one) {
    const char *text = json_string_value(one);
    if (!has_word(text, signal) && !has_word(text, "all"))
      continue;
    wanted = has_word(text, "stop") ? true : has_word(text, "nostop") ? false : wanted;
  }
  return wanted;
}

bool sdm_gdb_signal_passed(struct sdm_backend *b, const json_t *stop) {
  const char *reason = sdm_gdb_field(stop, "reason"), *signal = sdm_gdb_field(stop, "signal-name");
  int number = signal ? number_of_signal(signal) : 0;
  bool fault = number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL; /* not to be ignored */
  if (!b->fatal_only || b->interrupting || !number || !reason || strcmp(reason, "signal-received") || is_wanted(b, signal) ||
      !(in_mask(b->program, "SigCgt", number) || (!fault && in_mask(b->program, "SigIgn", number))))
    return false;
  b->passing = true;
  sdm_gdb_send(b, NULL, NULL, "-interpreter-exec console \"signal %s\"", signal);
  return true;
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
