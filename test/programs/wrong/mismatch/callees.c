/* A callee that computes the new value is followed; one that updates a global, or a pointer, is not. */
#include <stdio.h>
#include <math.h>
#define N 12
#pragma dvm array distribute[block]
double a[N];
double g;
static void bump(double x){ g*=x; }
static double worst(double w,double x){ return w<x?x:w; }
int main(void){
  double s=1,mx=0; double *q=&mx;
#pragma dvm parallel([i] on a[i])
  for(int i=0;i<N;i++) a[i]=1+i;
  g=1;
#pragma dvm parallel([i] on a[i]) reduction(sum(g))
  for(int i=0;i<N;i++) bump(a[i]);
#pragma dvm parallel([i] on a[i]) reduction(sum(mx))
  for(int i=0;i<N;i++) *q=worst(*q,a[i]);
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
// expect -1:13 error dvm-reduction-mismatch 's'
  for(int i=0;i<N;i++) s=worst(s,a[i]);
  printf("%g\n",s);
  return 0;
}
