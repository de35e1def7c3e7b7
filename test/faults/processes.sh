# More than one process or thread: each reports what it found itself, once.
. "$(dirname "$0")/lib.sh"

program forks -pthread <<'X'
#include <pthread.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "mistake.h"
extern char **environ;
static int wait_for(pid_t pid) { int s; waitpid(pid, &s, 0); return WIFEXITED(s) ? WEXITSTATUS(s) : 128 + WTERMSIG(s); }
static void *busy(void *stop) {
  double buffer[64], *p = buffer;
  while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED))
    for (int i = 0; i < 64; i++) p[i] = i;
  return NULL;
}
int main(int argc, char **argv) {
  const char *how = argv[1];
  pid_t pid;
  int child = 0, stop = 0;
  pthread_t t;
  if (argc > 2) { mistake(1); return 0; } /* the new program of exec and spawn */
  if (!strcmp(how, "parent")) { mistake(1); if (!(pid = fork())) return 4; child = wait_for(pid); }
  if (!strcmp(how, "child")) { if (!(pid = fork())) { mistake(2); return 4; } child = wait_for(pid); }
  if (!strcmp(how, "both")) { mistake(1); if (!(pid = fork())) { mistake(3); _exit(4); } child = wait_for(pid); }
  if (!strcmp(how, "grandchild")) { if (!(pid = fork())) { if (!(pid = fork())) { mistake(1); exit(4); } exit(wait_for(pid)); } child = wait_for(pid); }
  if (!strcmp(how, "in-loop")) {
#pragma dvm parallel([i] on field[i])
    for (int i = 0; i < 100; i++) {
      field[i] = i;
      if (i == 10 && !fork()) exit(4);
    }
    child = wait_for(-1);
  }
  if (!strcmp(how, "vfork")) { mistake(1); if (!(pid = vfork())) _exit(4); child = wait_for(pid); }
  if (!strcmp(how, "vfork-exec")) { mistake(1); if (!(pid = vfork())) { execl(argv[0], argv[0], "x", "y", (char *)0); _exit(9); } child = wait_for(pid); }
  if (!strcmp(how, "spawn")) { char *args[] = {argv[0], (char *)"x", (char *)"y", NULL}; posix_spawn(&pid, argv[0], NULL, NULL, args, environ); child = wait_for(pid); }
  if (!strcmp(how, "system")) { mistake(1); child = WEXITSTATUS(system("exit 4")); }
  if (!strcmp(how, "killed-child")) { if (!(pid = fork())) { mistake(1); abort(); } child = wait_for(pid); }
  if (!strcmp(how, "threads")) {
    pthread_create(&t, NULL, busy, &stop);
    for (int k = 0; k < 20; k++) {
      if (!(pid = fork())) { double *p = malloc(80); p[0] = k; int bad = p[0] != k; free(p); _exit(bad); }
      child += wait_for(pid);
    }
    stop = 1;
    pthread_join(t, NULL);
  }
  printf("child %d\n", child);
  return 3;
}
X
# case, status, what the child ended with, diagnostics on the screen, summaries
while read -r how status child shown sums; do
  status "$status" ./forks "$how"
  has out "child $child"
  count "$shown" err "$diagnosis"
  count "$sums" err "dvm: "
done <<'X'
parent 66 4 1 1
child 3 66 2 1
both 66 66 4 2
grandchild 3 66 1 1
in-loop 3 4 0 0
vfork 66 4 1 1
vfork-exec 66 66 2 2
spawn 3 66 1 1
system 66 4 1 1
killed-child 3 134 1 0
threads 3 0 0 0
X
# A child writes a report of its own, and only if it has something to say.
DVM_OPTIONS=report=r.jsonl:report=r.sarif status 66 ./forks both
count 1 r.jsonl '"id":"dvm-uninitialized"'
json r.sarif
set -- r.jsonl.[0-9]*
[ $# = 1 ] && [ -f "$1" ] || wrong "no report of the child, or several: $*"
count 3 "$1" '"id":"dvm-uninitialized"'
set -- r.sarif.[0-9]*
json "$1"
rm -f r.*
DVM_OPTIONS=report=r.jsonl status 66 ./forks parent
set -- r.jsonl.[0-9]*
[ ! -e "$1" ] || wrong "a report of a child that found nothing: $*"

# Threads that assign while the main one is in a construct, and constructs in a thread that is not the main one.
program threads -pthread <<'X'
#include <pthread.h>
#include "mistake.h"
static void *in_thread(void *n) { mistake(*(int *)n); return NULL; }
int main(void) {
  pthread_t t;
  int n = 2;
  pthread_create(&t, NULL, in_thread, &n);
  pthread_join(t, NULL);
  return 0;
}
X
status 66 ./threads
count 2 err "$diagnosis"
finish
