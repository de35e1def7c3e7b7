/* Results that the tasks of a region add to: on the region, on a loop of tasks, with groups. */
// TWIN
#include <stdio.h>
#ifdef RIGHT
#define OPG sum
#define OPQ sum
#else
#define OPG max
#define OPQ max
#endif
#define N 6
#pragma dvm task T[3]
void *T;
double g = 2;
int main(void){
  int s=0, m=0; double x[N]; double p = 1;
  for(int i=0;i<N;i++) x[i]=i+1;
#pragma dvm task_region(T) reduction(sum(s), max(m), OPG(g)), reduction(product(p))
// expect -1:13 error dvm-reduction-mismatch 'g'
  {
#pragma dvm on(T[0])
    { s += 3; if (5 > m) m = 5; g += x[1]; p *= 2; }
#pragma dvm on(T[1])
    { for(int i=0;i<N;i++) s += x[i]; m = m > 4 ? m : 4; g = g + x[2]; p = p*3; }
#pragma dvm on(T[2])
    { s += 1; if (x[5] > m) m = x[5]; for(int i=0;i<3;i++) g += 1; }
  }
  printf("%d %d %g %g\n", s, m, g, p);
  double q = 0;
#pragma dvm task_region(T)
  {
#pragma dvm parallel([k] on T[k]) reduction(OPQ(q))
// expect -1:13 error dvm-reduction-mismatch 'q'
  for (int k=0;k<3;k++) q += k;
  }
  printf("%g\n", q);
  double z = 0;
#pragma dvm task_region(T) reduction(grp: sum(z))
  {
#pragma dvm on(T[0])
    { z += 3; }
#pragma dvm on(T[1])
    { z += 4; }
  }
#pragma dvm reduction_start(grp)
#pragma dvm reduction_wait(grp)
  printf("%g\n", z);
  double y = 0;
#pragma dvm task_region(T)
  {
#pragma dvm parallel([k] on T[k]) reduction(h: sum(y))
  for (int k=0;k<3;k++) y += k;
  }
#pragma dvm reduction_start(h)
#pragma dvm reduction_wait(h)
  printf("%g\n", y);
  return 0;}
