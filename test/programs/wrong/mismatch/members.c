/* Members of a struct and elements behind pointers. */
#include <stdio.h>
#include <math.h>
#define N 12
#pragma dvm array distribute[block]
double a[N];
struct acc { double sum; double mx; };
static void work(struct acc *p, double out[2], double (*m)[2]){
#pragma dvm parallel([i] on a[i]) reduction(sum(p->sum), max(p->mx), sum(out[1]))
  for(int i=0;i<N;i++){ p->sum+=a[i]; if(a[i]>p->mx) p->mx=a[i]; out[1]+=1; }
#pragma dvm parallel([i] on a[i]) reduction(max(p->sum))
// expect -1:13 error dvm-reduction-mismatch 'p->sum'
  for(int i=0;i<N;i++){ p->sum+=a[i]; }
#pragma dvm parallel([i] on a[i]) reduction(sum(out[0]))
// expect -1:13 error dvm-reduction-mismatch 'out[0]'
  for(int i=0;i<N;i++){ if(out[0]<a[i]) out[0]=a[i]; }
  (void)m;
}
int main(void){
  struct acc x={0,0}; double o[2]={0,0};
#pragma dvm parallel([i] on a[i])
  for(int i=0;i<N;i++) a[i]=1+i;
  work(&x,o,0);
  printf("%g\n",x.sum+o[1]);
  return 0;
}
