/* Arguments of genblock, wgtblock, multblock and indirect. */
#include <stdlib.h>
#include <stdio.h>
#define N 10
int main(int argc,char**argv){
  int n=N+argc-1;
  int sz[3]={3,3,4}; double w[4]={1,2,0.5,1}; int map[N];
  for(int i=0;i<N;i++) map[i]=i%3;
#pragma dvm array distribute[genblock(sz)]
  int a[N];
#pragma dvm array distribute[wgtblock(w,4)]
  int b[N];
#pragma dvm array distribute[multblock(5)]
  int c[N];
#pragma dvm array distribute[indirect(map)]
  int d[N];
#pragma dvm array distribute[multblock(3)]
// expect -1:13 error dvm-usage
  int c2[N];
#pragma dvm array distribute[wgtblock(w,n-5)]
// expect -1:13 error dvm-usage
  int b2[N];
  map[4]=-1;
#pragma dvm array distribute[indirect(map)]
// expect -1:13 error dvm-usage
  int d2[N];
  int *hs=malloc(2*sizeof(int)); hs[0]=5; hs[1]=6;
#pragma dvm array distribute[genblock(hs)]
// expect -1:13 error dvm-usage
  int a2[N];
#pragma dvm parallel([i] on a[i])
  for(int i=0;i<N;i++) a[i]=i;
#pragma dvm parallel([i] on b[i])
  for(int i=0;i<N;i++) b[i]=i;
#pragma dvm parallel([i] on c[i])
  for(int i=0;i<N;i++) c[i]=i;
#pragma dvm parallel([i] on d[i])
  for(int i=0;i<N;i++) d[i]=i;
  printf("%d %d %d %d\n",a[1],b[1],c[1],d[1]);
  free(hs);
  (void)a2;(void)b2;(void)c2;(void)d2;
  return 0;
}
