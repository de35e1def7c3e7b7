/* Templates, alignment with a factor, loops mapped with one. */
#include <stdio.h>
#define N 8
#pragma dvm template[2*N+2] distribute[block]
void *T;
#pragma dvm array align([i] with T[2*i])
int a[N];
#pragma dvm array align([i] with T[i]) shadow[1:1]
int b[2*N];
int main(void){
#pragma dvm parallel([i] on b[i])
  for(int i=0;i<2*N;i++) b[i]=i;
#pragma dvm parallel([i] on a[i])
  for(int i=0;i<N;i++) a[i]=b[2*i];
#pragma dvm parallel([i] on a[i]) shadow_renew(b)
  for(int i=0;i<N;i++) a[i]+=b[2*i+1];
#pragma dvm parallel([i] on a[i])
  for(int i=1;i<N-1;i++) a[i]=b[2*i+2];
// expect -1:31 error dvm-nonlocal-access 'b[4]'
#pragma dvm parallel([i] on b[2*i])
  for(int i=0;i<N;i++) a[i]=b[2*i]+1;
#pragma dvm parallel([i] on b[i])
  for(int i=0;i<N;i++) a[i]=1;
// expect -1:24 error dvm-nonlocal-access 'a[1]'
// expect -2:24 error dvm-shadow-write 'a[2]'
  return 0;
}
