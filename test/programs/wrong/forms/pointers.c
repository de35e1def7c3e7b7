/* Distributed pointers, parameters, realloc, memset. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 10
#pragma dvm array
double *p;
#pragma dvm array distribute[block] dynamic
double *q;
#pragma dvm inherit(x,y)
static void axpy(int n,double *x,double *y,double a){
#pragma dvm parallel([i] on y[i])
  for(int i=0;i<n;i++) y[i]+=a*x[i];
}
#pragma dvm inherit(m)
static double mid(double (*m)[N],int k){
  double s=0;
#pragma dvm parallel([i][j] on m[i][j]) reduction(sum(s)) shadow_renew(m)
  for(int i=1;i<N-1;i++) for(int j=1;j<N-1;j++) s+=m[i-1][j]+m[i][j+1]+k;
  return s;
}
int main(void){
  p=malloc(N*sizeof*p); q=malloc(2*N*sizeof*q);
#pragma dvm array distribute[block][block]
  double (*m)[N]=malloc(sizeof(double[N][N]));
#pragma dvm array align([i] with m[i][])
  double row[N];
#pragma dvm realign(p[i] with q[2*i])
#pragma dvm parallel([i] on q[i])
  for(int i=0;i<2*N;i++) q[i]=i;
#pragma dvm parallel([i] on p[i])
  for(int i=0;i<N;i++) p[i]=q[2*i];
  axpy(N,p,p,2);
  axpy(N,q,q,2);
#pragma dvm parallel([i][j] on m[i][j])
  for(int i=0;i<N;i++) for(int j=0;j<N;j++) m[i][j]=1;
  double s=mid(m,3);
#pragma dvm parallel([i] on m[i][])
  for(int i=0;i<N;i++) row[i]=i;
#pragma dvm parallel([i] on m[i][0])
  for(int i=0;i<N;i++) m[i][0]=row[i];
  q=realloc(q,3*N*sizeof*q);
#pragma dvm parallel([i] on q[i]) reduction(sum(s))
  for(int i=0;i<2*N;i++) s+=q[i];
#pragma dvm parallel([i] on q[i]) reduction(sum(s))
  for(int i=0;i<2*N+1;i++) s+=q[i];
// expect -1:31 error dvm-uninitialized 'q[20]'
  memset(q,0,3*N*sizeof*q);
#pragma dvm parallel([i] on q[i]) reduction(sum(s))
  for(int i=0;i<3*N;i++) s+=q[i];
  printf("%g\n",s);
  free(p);free(q);free(m);
  return 0;
}
