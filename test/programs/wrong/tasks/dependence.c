/* Two tasks of a region: one writes the array that the other reads. */
// TWIN
#include <stdio.h>
#define N 6

#pragma dvm task T[2]
void *T;
#pragma dvm array distribute[block]
double left[N];
#pragma dvm array align([i] with left[i])
double right[N];

int main(void) {
#pragma dvm parallel([i] on left[i])
  for (int i = 0; i < N; i++)
    left[i] = right[i] = i;
#pragma dvm task_region(T)
  {
#pragma dvm on(T[0])
    {
#pragma dvm parallel([i] on left[i])
      for (int i = 0; i < N; i++)
        left[i] *= 2;
    }
#pragma dvm on(T[1])
    {
#pragma dvm parallel([i] on right[i])
      for (int i = 0; i < N; i++)
#ifdef RIGHT
        right[i] += 1;
#else
        right[i] += left[i];
        //          ^ error dvm-task-dependence 'left[0]'
#endif
    }
  }
  printf("%g %g\n", left[1], right[1]);
  return 0;
}
