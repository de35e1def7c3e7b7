/* The index variable of a loop in a task has no value when the loop is over, as everywhere. */
// TWIN
// OUTPUT any
#include <stdio.h>
#define N 8
#pragma dvm task tasks[2]
void *tasks;
#pragma dvm array distribute[block]
double a[N];

int main(void) {
  int i;
#pragma dvm task_region(tasks)
  {
#pragma dvm on(tasks[0])
    {
#pragma dvm parallel([i] on a[i])
      for (i = 0; i < N; i++)
        a[i] = 1;
    }
  }
#ifdef RIGHT
  i = N;
#endif
  printf("%d\n", i);
  //             ^ error dvm-private-uninitialized 'i'
  return 0;
}
