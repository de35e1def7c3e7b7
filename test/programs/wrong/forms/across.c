/* across in mapped loops: both sides, steps, strides, two dimensions, templates, edges written. */
#include <stdio.h>
#define N 10
#pragma dvm array distribute[block][block] shadow[3:3][3:3]
int a[N][N];
#pragma dvm array align([i][j] with a[i][j]) shadow[2:2][2:2]
int b[N][N];
#pragma dvm template[2*N][2*N] distribute[block][block]
void *T;
#pragma dvm array align([i][j] with T[2*i+1][j]) shadow[1:1][1:1]
int c[N][N];
int main(void){
#pragma dvm parallel([i][j] on a[i][j])
  for(int i=0;i<N;i++) for(int j=0;j<N;j++) a[i][j]=b[i][j]=i*j+1;
#pragma dvm parallel([i][j] on c[i][j])
  for(int i=0;i<N;i++) for(int j=0;j<N;j++) c[i][j]=1;
#pragma dvm parallel([i][j] on a[i][j]) across(a[1:0][0:0],b[0:0][0:1])
  for(int i=1;i<N;i++) for(int j=0;j<N-1;j++) { a[i][j]=a[i-1][j]; b[i][j]=b[i][j+1]; }
#pragma dvm parallel([i][j] on a[i][j]) across(a[2:0][0:0])
  for(int i=2;i<N;i+=2) for(int j=0;j<N;j++) { a[i][j]=a[i-2][j]; }
#pragma dvm parallel([i][j] on a[i][j]) across(a[1:0][0:0])
  for(int i=3;i<N;i++) for(int j=0;j<N;j++) { a[i][j]=a[i-3][j]; }
// expect -1:55 error dvm-across-distance 'a[3][0]'
#pragma dvm parallel([i][j] on a[i][j]) across(a[1:0][1:0])
  for(int i=1;i<N;i++) for(int j=1;j<N;j++) { a[i][j]=a[i-1][j-1]; }
#pragma dvm parallel([i][j] on a[i][j]) across(a[1:0][0:0])
  for(int i=1;i<N;i++) for(int j=1;j<N;j++) { a[i][j]=a[i-1][j-1]; }
// expect -1:55 error dvm-across-distance 'a[1][1]'
#pragma dvm parallel([j][i] on a[i][j]) across(a[1:1][0:0])
  for(int j=0;j<N;j++) for(int i=N-2;i>0;i--) { a[i][j]=a[i-1][j]+a[i+1][j]; }
#pragma dvm parallel([i][j] on c[i][j]) across(c[1:0][0:0])
  for(int i=1;i<N;i++) for(int j=0;j<N;j++) { c[i][j]=c[i-1][j]; }
#pragma dvm parallel([i][j] on T[2*i+1][j]) across(c[0:1][0:0])
  for(int i=1;i<N;i++) for(int j=0;j<N;j++) { c[i][j]=c[i-1][j]; }
// expect -1:55 error dvm-across-distance 'c[1][0]'
#pragma dvm parallel([i][j] on a[i][j]) across(a[1:0][0:0])
  for(int i=1;i<N;i++) for(int j=0;j<N;j++) { a[i][j]=a[i-1][j]; a[i-1][j]=0; }
// expect -1:66 error dvm-shadow-write 'a[0][0]'
#pragma dvm parallel([i] on a[i][]) across(a[1:0][0:0])
  for(int i=1;i<N;i++) { ; }
#pragma dvm parallel([i][j] on a[i][j]) 
  for(int i=1;i<N;i++) for(int j=0;j<N;j++) { a[i][j]=a[i-1][j]; }
// expect -1:55 error dvm-loop-dependence 'a[1][0]'

  printf("%d\n",a[3][3]);
  return 0;
}
