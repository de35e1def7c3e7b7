/* Two threads that wait, and a counter that a watchpoint can see; "count" counts and ends. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile int gate = 1;
int counter;

static void *helper(void *arg) {
  while (gate)
    usleep(1000);
  return arg;
}

static void bump(int by) {
  counter += by;
}

int main(int argc, char **argv) {
  pthread_t t;
  pthread_create(&t, NULL, helper, NULL);
  for (int i = 0; i < 10; i++)
    bump(i);
  if (argc > 1 && !strcmp(argv[1], "count"))
    gate = 0;
  pthread_join(t, NULL);
  printf("counted to %d\n", counter);
  return 0;
}
