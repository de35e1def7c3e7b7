# Every way out of a program: what was found is on the screen and in the report file, the status is the contract's.
. "$(dirname "$0")/lib.sh"

program ends <<'X'
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "mistake.h"
static void *in_thread(void *unused) { exit(3); return unused; }
static void handler(int n) { _exit(n); }
static void in_loop(void (*end)(int)) {
#pragma dvm parallel([i] on field[i])
  for (int i = 0; i < 100; i++) {
    field[i] = i;
    if (i == 50) end(3);
  }
}
static void crash(int n) { *(volatile int *)(long)n = 1; }
static void raise_term(int n) { (void)n; raise(SIGTERM); }
static void at_exit(void) { mistake(1); }
int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  pthread_t t;
  if (!strcmp(how, "atexit")) { atexit(at_exit); return 3; }
  mistake(2);
  if (!strcmp(how, "exit")) exit(3);
  if (!strcmp(how, "_exit")) _exit(3);
  if (!strcmp(how, "_Exit")) _Exit(3);
  if (!strcmp(how, "quick_exit")) quick_exit(3);
  if (!strcmp(how, "loop-exit")) in_loop(exit);
  if (!strcmp(how, "loop-_exit")) in_loop(_exit);
  if (!strcmp(how, "loop-crash")) in_loop(crash);
  if (!strcmp(how, "loop-term")) in_loop(raise_term);
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "segv")) crash(8);
  if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
  if (!strcmp(how, "fpe")) raise(SIGFPE);
  if (!strcmp(how, "trap")) __builtin_trap();
  if (!strcmp(how, "handler")) { signal(SIGUSR1, handler); raise(SIGUSR1); }
  if (!strcmp(how, "thread")) { pthread_create(&t, 0, in_thread, 0); pthread_join(t, 0); }
  if (!strcmp(how, "pthread_exit")) pthread_exit(0);
  if (!strcmp(how, "exec")) { fflush(0); execl("/bin/sh", "sh", "-c", "echo new program; exit 4", (char *)0); }
  if (!strcmp(how, "std")) { fclose(stdout); close(1); }
  if (!strcmp(how, "noerr")) { fclose(stderr); close(2); }
  return 3;
}
X
found() {
  has err "$first'field[0]' is read before any value was assigned to it $diagnosis"
  count 2 err "$diagnosis"
  json_lines r.jsonl
  json r.sarif
  count 2 r.jsonl '"id":"dvm-uninitialized"'
  count 2 r.sarif '"ruleId":"dvm-uninitialized"'
}
export DVM_OPTIONS=report=r.jsonl:report=r.sarif
for how in return exit _exit _Exit quick_exit loop-exit loop-_exit handler thread std; do
  status 66 ./ends $how
  sed '/^dvm: /d' err >err2 && mv err err.whole && mv err2 err
  found
  has err.whole "dvm: 2 errors (2 occurrences) in "
done
status 66 ./ends pthread_exit # its own status would be 0
status 66 ./ends noerr
lacks err "dvm: 2 errors"
json_lines r.jsonl
status 66 ./ends atexit
count 1 err "$diagnosis"
# Signals stay signals: 128 + number, as the shell says it.
while read -r how signal; do
  status $((128 + signal)) ./ends $how
  found
done <<'X'
loop-crash 11
loop-term 15
abort 6
segv 11
kill 9
fpe 8
trap 4
X
# The new program has its own status; what was found before is not lost.
status 4 ./ends exec
found
has out "new program"

# A right program ends as it does without the checker.
program right <<'X'
#include "mistake.h"
int main(int argc, char **argv) { mistake(0); if (argc > 1) abort(); return argv[0] ? 5 : 0; }
X
unset DVM_OPTIONS
status 5 ./right
empty err
status 134 ./right x
lacks err dvm
finish
