/* Transposed, replicated, fixed and reversed alignments, loops replicated over a dimension. */
#include <stdio.h>
#define N 6
#pragma dvm array distribute[block][block]
int A[N][N];
#pragma dvm array align([i][j] with A[j][i])
int B[N][N];
#pragma dvm array align([i] with A[i][])
int R[N];
#pragma dvm array align([i] with A[i][3])
int C[N];
#pragma dvm array align([i] with A[N-1-i][])
int Q[N];
int main(void){
#pragma dvm parallel([i][j] on A[i][j])
  for(int i=0;i<N;i++) for(int j=0;j<N;j++) { A[i][j]=i+j; B[j][i]=i; }
#pragma dvm parallel([i] on R[i])
  for(int i=0;i<N;i++) { R[i]=i; Q[N-1-i]=i; }
#pragma dvm parallel([i] on C[i])
  for(int i=0;i<N;i++) C[i]=A[i][3];
#pragma dvm parallel([i][j] on A[i][j])
  for(int i=0;i<N;i++) for(int j=0;j<N;j++) A[i][j]=R[i]+Q[N-1-i];
#pragma dvm parallel([i][j] on A[i][j])
  for(int i=0;i<N;i++) for(int j=0;j<N;j++) A[i][j]=Q[i];
// expect -1:53 error dvm-nonlocal-access 'Q[0]'
// expect -2:53 error dvm-shadow-stale 'Q[2]'
#pragma dvm parallel([i][j] on A[i][j])
  for(int i=0;i<N;i++) for(int j=0;j<N;j++) A[i][j]=C[i];
// expect -1:53 error dvm-nonlocal-access 'C[0]'
#pragma dvm parallel([i][j] on A[i][j]) remote_access(C[i])
  for(int i=0;i<N;i++) for(int j=0;j<N;j++) A[i][j]=C[i];
#pragma dvm parallel([i][j] on A[i][j])
  for(int i=0;i<N;i++) for(int j=0;j<N;j++) B[i][j]=A[i][j];
// expect -1:45 error dvm-shadow-write 'B[0][1]'
// expect -2:45 error dvm-nonlocal-access 'B[0][2]'
#pragma dvm parallel([i] on A[i][])
  for(int i=0;i<N;i++) R[i]=Q[N-1-i]+i;
#pragma dvm parallel([i] on A[i][])
  for(int i=0;i<N;i++) A[i][2]=R[i];
// expect -1:24 error dvm-nonlocal-access 'A[0][2]'
  return 0;
}
