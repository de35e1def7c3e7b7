/* Replicated data: private, read only, undeclared; recursion. */
#include <stdio.h>
#define N 10
#pragma dvm array distribute[block]
int a[N];
int g, h, w[N], z;
static int f(int d){
  int s=0;
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
// expect -1:13 error dvm-usage
  for(int i=0;i<N;i++){ s+=a[i]; if(i==3&&d) f(d-1); }
  return s;
}
int main(void){
  int t,i,priv[4];
#pragma dvm parallel([i] on a[i])
  for(i=0;i<N;i++) a[i]=i;
  printf("%d\n",i);
// expect -1:17 error dvm-private-uninitialized 'i'
#pragma dvm parallel([i] on a[i]) private(t)
  for(i=0;i<N;i++) { if(i>0) a[i]=t; t=i; }
// expect -1:35 error dvm-private-uninitialized 't'
#pragma dvm parallel([i] on a[i]) private(t)
  for(i=0;i<N;i++) { t=i; a[i]=t; }
  printf("%d\n",t);
// expect -1:17 error dvm-private-uninitialized 't'
#pragma dvm parallel([i] on a[i])
  for(i=0;i<N;i++) { h=i; a[i]=h; }
// expect -1:22 warning dvm-undeclared-private 'h'
#pragma dvm parallel([i] on a[i])
  for(i=0;i<N;i++) { a[i]=w[2]; if(i==4) w[2]=3; }
// expect -1:42 error dvm-readonly-write 'w[2]'
#pragma dvm parallel([i] on a[i])
  for(i=0;i<N;i++) { g=g+a[i]; }
// expect -1:22 error dvm-readonly-write 'g'
#pragma dvm parallel([i] on a[i]) private(priv)
  for(i=0;i<N;i++) { for(int k=0;k<3;k++) priv[k]=k; a[i]=priv[0]+priv[2]; }
#pragma dvm parallel([i] on a[i]) private(priv)
  for(i=0;i<N;i++) { for(int k=0;k<3;k++) priv[k]=k; a[i]=priv[3]; }
// expect -1:59 error dvm-private-uninitialized 'priv[3]'
#pragma dvm parallel([i] on a[i]) private(z)
  for(i=0;i<N;i++) { if(i%2) z=1; if(i==1) a[i]=z; }
#pragma dvm parallel([i] on a[i])
  for(i=0;i<N;i++) { int q; if(i>4) q=1; if (i>5) a[i]=q; a[i]=w[i]; }
#pragma dvm parallel([i] on a[i])
  for(i=0;i<N;i++) { w[i]=a[i]; }
// expect -1:22 warning dvm-undeclared-private 'w[0]'
  printf("%d\n",w[3]);
// expect -1:17 error dvm-private-uninitialized 'w[3]'
  f(1);
  return 0;
}
