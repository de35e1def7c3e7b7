/* Sections of remote_access in loops, and the sequential part. */
#include <stdio.h>
#define N 8
#pragma dvm array distribute[block][block] shadow[1:1][1:1]
double a[N][N];
#pragma dvm array align([i][j] with a[i][j])
double b[N][N];
#pragma dvm array distribute[block]
double v[N];
double big;
int main(void){
  double s=0; int k=3; double buf[N];
#pragma dvm parallel([i][j] on a[i][j])
  for(int i=0;i<N;i++) for(int j=0;j<N;j++) a[i][j]=b[i][j]=i*j+1;
#pragma dvm parallel([i] on v[i])
  for(int i=0;i<N;i++) v[i]=i;
#pragma dvm parallel([i][j] on a[i][j]) remote_access(b[k][j], v[], b[i][0])
  for(int i=0;i<N;i++) for(int j=0;j<N;j++) a[i][j]=b[k][j]+v[j]+v[(i+3)%N]+b[i][0];
#pragma dvm parallel([i][j] on a[i][j]) remote_access(b[k][j])
  for(int i=0;i<N;i++) for(int j=0;j<N;j++) a[i][j]=b[k][j]+b[k+1][j];
// expect -1:61 error dvm-remote-uncovered 'b[4][0]'
// expect -2:61 error dvm-shadow-stale 'b[4][0]'
#pragma dvm parallel([i][j] on a[i][j]) remote_access(b[i][])
  for(int i=0;i<N;i++) for(int j=0;j<N;j++) { a[i][j]=b[i][N-1-j]; b[i][j]=a[i][j]; }
// expect -1:55 error dvm-loop-dependence 'b[0][3]'
#pragma dvm parallel([i][j] on a[i][j]) remote_access(b[i][])
  for(int i=0;i<N;i++) for(int j=0;j<N-1;j++) { b[i][j+1]=a[i][j]; }
// expect -1:49 error dvm-remote-write 'b[0][1]'
#pragma dvm remote_access(a[2][3])
  s=a[2][3]+1;
#pragma dvm remote_access(a[k][])
  { for(int j=0;j<N;j++) buf[j]=a[k][j]; }
  s+=buf[2];
  s+=a[1][1];
// expect -1:6 error dvm-sequential-access 'a[1][1]'
  a[2][2]=b[2][2]+a[2][2]*3;
  a[2][2]+=b[2][3];
// expect -1:12 error dvm-sequential-access 'b[2][3]'
  for(int j=0;j<N;j++) a[j][j]=0;
  if(a[0][0]>0) s=1;
// expect -1:6 error dvm-sequential-access 'a[0][0]'
  printf("%g\n",a[3][3]);
  scanf("%lf",&a[1][2]);
  v[3]=v[4];
// expect -1:8 error dvm-sequential-access 'v[4]'
#pragma dvm remote_access(v[4])
  v[3]=v[4];
  v[a[0][0]>1?1:0]=2;
// expect -1:5 error dvm-sequential-access 'a[0][0]'
  (void)s;
  return 0;
}
