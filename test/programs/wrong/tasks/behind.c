/* Replicated data that a task has written are read behind the region: other processors have older values. */
// TWIN
#include <stdio.h>
#define N 6
#pragma dvm task T[2]
void *T;
double left[N], right[N]; int cnt;
int main(void){
  int n = 0, m = 0, used = 0;
#pragma dvm task_region(T)
  {
#pragma dvm on(T[0])
    { n = n + 1; m = 5; used = 3; for (int i=0;i<N;i++) left[i] = used; cnt = 1; }
#pragma dvm on(T[1])
    { m = 6; for (int i=0;i<N;i++) right[i] = i; }
  }
#ifndef RIGHT
  printf("%d\n", n);
  //             ^ error dvm-task-dependence 'n'
  printf("%d\n", m);
  //             ^ error dvm-task-dependence 'm'
  printf("%g\n", left[2]);
  //             ^ error dvm-task-dependence 'left[2]'
  if (cnt)
  //  ^ error dvm-task-dependence 'cnt'
    printf("x\n");
#endif
  n = 2; m = 3; cnt = 0; left[2] = 1;
  printf("%d %d %d %g\n", n, m, cnt, left[2]);
  return 0;}
