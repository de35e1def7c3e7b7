/* A program whose main thread ends while others go on.  It saves itself and is killed; restarted it has a main thread that can be joined, its
 * threads and a signal that was pending, and ends with its last thread.  ended IMAGE FOLDER */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "test/integration/mpir/self.h"

static pthread_t main_thread;
static const char *image;
static volatile unsigned long turns;
static volatile int restored;

static char main_state(void) {
  char path[64], text[512] = "", *at;
  FILE *f;

  snprintf(path, sizeof(path), "/proc/self/task/%d/stat", getpid());
  f = fopen(path, "r");
  CHECK(f && fgets(text, sizeof(text), f));
  fclose(f);
  at = strrchr(text, ')');
  return at ? at[2] : '?';
}

static void *turn(void *unused) {
  while (!restored)
    turns++;
  return unused;
}

static void *save(void *unused) {
  const struct timespec now = {0, 0};
  unsigned long before;
  siginfo_t info;
  sigset_t set;

  while (main_state() != 'Z')
    usleep(1000);
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 3);
  CHECK(!sigqueue(getpid(), SIGRTMIN + 3, (union sigval){.sival_int = 4711}));
  before = turns;
  self_save((void *)(uintptr_t)image);
  CHECK(main_state() == 'Z');
  CHECK(sigtimedwait(&set, &info, &now) == SIGRTMIN + 3 && info.si_value.sival_int == 4711);
  while (turns == before)
    sched_yield();
  CHECK(!pthread_join(main_thread, NULL));
  restored = 1;
  puts("as before");
  fflush(stdout);
  return unused;
}

int main(int argc, char **argv) {
  sigset_t set;
  pthread_t id;

  CHECK(argc == 3);
  image = argv[1];
  main_thread = pthread_self();
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 3);
  sigprocmask(SIG_BLOCK, &set, NULL);
  CHECK(!pthread_create(&id, NULL, turn, NULL) && !pthread_create(&id, NULL, save, NULL));
  pthread_exit(NULL);
}
