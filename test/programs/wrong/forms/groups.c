/* Asynchronous exchanges and reductions, in every wrong order. */
#include <stdio.h>
#define N 8
#pragma dvm array distribute[block] shadow[2:2]
int a[N];
#pragma dvm array align([i] with a[i])
int b[N];
int main(void){
  int s=0,m=0;
#pragma dvm parallel([i] on a[i])
  for(int i=0;i<N;i++) a[i]=b[i]=i;
#pragma dvm shadow_group(g: a[1:1], b)
#pragma dvm shadow_start(g)
#pragma dvm parallel([i] on a[i]) shadow_wait(g)
  for(int i=1;i<N-1;i++) b[i]=a[i-1]+a[i+1];
#pragma dvm parallel([i] on a[i]) shadow_start(g)
  for(int i=0;i<N;i++) a[i]=b[i];
#pragma dvm shadow_wait(g)
#pragma dvm parallel([i] on a[i])
  for(int i=2;i<N-1;i++) b[i]=a[i-1]+a[i-2];
// expect -1:38 error dvm-shadow-stale 'a[0]'
#pragma dvm shadow_start(nog)
// expect -1:13 error dvm-usage
#pragma dvm shadow_start(g)
#pragma dvm shadow_start(g)
// expect -1:13 error dvm-usage
  a[3]=1;
// expect -1:3 error dvm-exchange-write 'a[3]'
#pragma dvm parallel([i] on a[i])
  for(int i=2;i<N-1;i++) b[i]=a[i];
// expect -1:26 error dvm-exchange-write 'b[2]'
#pragma dvm shadow_wait(g)
#pragma dvm shadow_wait(g)
// expect -1:13 error dvm-usage
#pragma dvm parallel([i] on a[i]) reduction(r: sum(s), max(m))
  for(int i=0;i<N;i++) { s+=a[i]; m=m<a[i]?a[i]:m; }
#pragma dvm parallel([i] on a[i])
  for(int i=0;i<N;i++) a[i]=i*2;
#pragma dvm reduction_start(r)
  if(s>3) puts("x");
// expect -1:6 error dvm-reduction-pending 's'
#pragma dvm reduction_wait(r)
  printf("%d %d\n",s,m);
#pragma dvm reduction_wait(r)
// expect -1:13 error dvm-reduction-protocol 'r'
#pragma dvm reduction_start(r)
// expect -1:13 error dvm-reduction-protocol 'r'
#pragma dvm parallel([i] on a[i]) reduction(r: sum(s))
// expect -1:13 error dvm-reduction-protocol 'r'
  for(int i=0;i<N;i++) { s+=a[i]; }
  return 0;
}
