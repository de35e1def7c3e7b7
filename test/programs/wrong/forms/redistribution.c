/* redistribute and realign, with and without new_value. */
#define N 8
#pragma dvm array distribute[block] dynamic
int A[N];
#pragma dvm array align([i] with A[i]) dynamic
int B[N];
#pragma dvm array distribute[block][block] dynamic
int C[N][N];
#pragma dvm array align([i] with A[i]) dynamic
int E[N];
int main(void){
  int s=0;
#pragma dvm parallel([i] on A[i])
  for(int i=0;i<N;i++) A[i]=B[i]=E[i]=i;
#pragma dvm redistribute(A[*])
#pragma dvm parallel([i] on B[i]) reduction(sum(s))
  for(int i=0;i<N;i++) s+=A[i]+B[i]+B[(i+3)%N];
#pragma dvm redistribute(A[block]) new_value
#pragma dvm parallel([i] on A[i]) reduction(sum(s))
  for(int i=0;i<N;i++) s+=A[i];
// expect -1:27 error dvm-uninitialized 'A[0]'
#pragma dvm parallel([i] on A[i]) reduction(sum(s))
  for(int i=0;i<N;i++) s+=B[i];
#pragma dvm parallel([i][j] on C[i][j])
  for(int i=0;i<N;i++) for(int j=0;j<N;j++) C[i][j]=i;
#pragma dvm realign(B[i] with C[2][i])
#pragma dvm parallel([i] on C[2][i])
  for(int i=0;i<N;i++) B[i]=C[2][i];
#pragma dvm parallel([i] on A[i])
  for(int i=0;i<N;i++) B[i]=0;
// expect -1:24 error dvm-nonlocal-access 'B[0]'
#pragma dvm realign(E[i] with C[i][]) new_value
#pragma dvm parallel([i][j] on C[i][j])
  for(int i=0;i<N;i++) for(int j=0;j<N;j++) C[i][j]=E[i];
// expect -1:53 error dvm-uninitialized 'E[0]'
  return s<0;
}
