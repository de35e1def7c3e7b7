/* array_copy; named edges. */
#include <stdio.h>
#define N 10
#pragma dvm array distribute[block]
int a[N];
#pragma dvm array distribute[block]
int b[N];
#pragma dvm array distribute[derived(own[k] with a[@d])]
int c[N];
int own[N], nb[N];
int main(void){
  int s=0;
#pragma dvm parallel([i] on a[i])
  for(int i=0;i<N;i++) a[i]=i;
#pragma dvm array_copy(b[1:8] = a[0:7])
#ifndef _DVMH
  for(int i=0;i<8;i++) b[i+1]=a[i];
#endif
#pragma dvm parallel([i] on b[i]) reduction(sum(s))
  for(int i=1;i<9;i++) s+=b[i];
#pragma dvm parallel([i] on b[i]) reduction(sum(s))
  for(int i=0;i<9;i++) s+=b[i];
// expect -1:27 error dvm-uninitialized 'b[0]'
#pragma dvm array_copy(a = b)
// expect -1:13 error dvm-uninitialized 'b[0]'
#ifndef _DVMH
  for(int i=0;i<N;i++) a[i]=b[i];
#endif
#pragma dvm array_copy(a[0:3] = b[1:8])
// expect -1:13 error dvm-usage
#pragma dvm array_copy(a[0:N] = b[0:N])
// expect -1:13 error dvm-usage
#pragma dvm shadow_add(a[nb[d] with a[@d]]="near") include_to(b)
// expect -1:13 error dvm-usage
#pragma dvm localize(nb => a[:])
#pragma dvm parallel([i] on a[i]) shadow_renew(a["near"]) reduction(sum(s))
  for(int i=0;i<N;i++) s+=a[nb[i]];
#pragma dvm unlocalize(nb)
  printf("%d\n",s>0);
  return 0;
}
