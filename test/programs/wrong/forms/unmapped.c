/* Loops that are not mapped: ordinary arrays of every kind, across, indirect subscripts. */
#include <stdio.h>
#include <stdlib.h>
#define N 9
static void sweep(int n,double (*u)[n]){
#pragma dvm parallel([i][j]) across(u[1:0][0:0])
  for(int i=1;i<n;i++) for(int j=0;j<n;j++) u[i][j]+=u[i-1][j];
}
static void ssweep(double u[N][N]){
#pragma dvm parallel([i][j]) across(u[1:0][0:0])
  for(int i=1;i<N;i++) for(int j=0;j<N;j++) u[i][j]+=u[i-1][j];
}
int main(void){
  double (*h)[N]=malloc(sizeof(double[N][N])); static double st[N][N]; int x[N]; double tmp; int idx[N];
  for(int i=0;i<N;i++) for(int j=0;j<N;j++) h[i][j]=st[i][j]=i;
  sweep(N,h); ssweep(st);
#pragma dvm parallel([i][j]) private(tmp)
  for(int i=0;i<N;i++) for(int j=0;j<N;j++) { tmp=h[i][j]; h[i][j]=tmp+st[j][i]; }
#pragma dvm parallel([i][j])
  for(int i=0;i<N;i++) for(int j=0;j<N;j++) { tmp=h[i][j]; h[i][j]=tmp; }
// expect -1:47 error dvm-loop-dependence 'tmp'
#pragma dvm parallel(1)
  for(int i=1;i<N;i++) st[i][0]=st[i-1][1];
#pragma dvm parallel(1)
  for(int i=1;i<N;i++) st[i][0]=st[i-1][0];
// expect -1:33 error dvm-loop-dependence 'st[1][0]'
#pragma dvm parallel([i][j]) across(st[0:0][1:1])
  for(int i=1;i<N;i++) for(int j=1;j<N-1;j++) st[i][j]=st[i][j-1]+st[i][j+1]+st[i-1][j-1];
#pragma dvm parallel([i][j]) across(st[1:0][0:0])
  for(int i=1;i<N;i++) for(int j=1;j<N-1;j++) st[i][j]=st[i][j-1]+st[i-1][j];
// expect -1:56 error dvm-across-distance 'st[1][1]'
  for(int i=0;i<N;i++) idx[i]=N-1-i;
#pragma dvm parallel([i])
  for(int i=0;i<N;i++) x[idx[i]]=i;
  idx[3]=idx[4];
#pragma dvm parallel([i])
  for(int i=0;i<N;i++) x[idx[i]]=i;
// expect -1:24 error dvm-loop-dependence 'x[4]'
  printf("%g %d\n",st[2][2],x[1]); free(h);
  return 0;
}
