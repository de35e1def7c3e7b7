/* One task takes over what another has written: told of once, whatever the size of the datum. */
#include <stdio.h>

#pragma dvm task T[2]
void *T;
static short s;
static double d;

int main(void) {
  double x = 0;
#pragma dvm task_region(T)
  {
#pragma dvm on(T[0])
    {
      s = 1;
      d = 1;
    }
#pragma dvm on(T[1])
    {
      s += 1;
    //^ error dvm-task-dependence 's'
      d += 1;
    //^ error dvm-task-dependence 'd'
      x = s + d;
    }
  }
  printf("%d\n", x > 0);
  //             ^ error dvm-task-dependence 'x'
  return 0;
}
