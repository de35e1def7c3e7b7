/* Edges, corners and across in four dimensions. */
#define N 5
#pragma dvm array distribute[block][block][block][block] shadow[1:1][1:1][1:1][1:1]
int A[N][N][N][N];
#pragma dvm array align([i][j][k][l] with A[i][j][k][l])
int B[N][N][N][N];
int main(void){
#pragma dvm parallel([i][j][k][l] on A[i][j][k][l])
  for(int i=0;i<N;i++) for(int j=0;j<N;j++) for(int k=0;k<N;k++) for(int l=0;l<N;l++) A[i][j][k][l]=B[i][j][k][l]=i+j+k+l;
#pragma dvm parallel([i][j][k][l] on B[i][j][k][l]) shadow_renew(A)
  for(int i=1;i<N-1;i++) for(int j=1;j<N-1;j++) for(int k=1;k<N-1;k++) for(int l=1;l<N-1;l++)
   B[i][j][k][l]=A[i-1][j][k][l]+A[i][j+1][k][l]+A[i][j][k-1][l]+A[i][j][k][l+1];
#pragma dvm parallel([i][j][k][l] on B[i][j][k][l]) shadow_renew(A)
  for(int i=1;i<N-1;i++) for(int j=1;j<N-1;j++) for(int k=1;k<N-1;k++) for(int l=1;l<N-1;l++)
   B[i][j][k][l]=A[i-1][j][k][l]+A[i][j+1][k-1][l];
// expect -1:34 error dvm-shadow-stale 'A[1][2][0][1]'
#pragma dvm parallel([i][j][k][l] on B[i][j][k][l]) shadow_renew(A(corner))
  for(int i=1;i<N-1;i++) for(int j=1;j<N-1;j++) for(int k=1;k<N-1;k++) for(int l=1;l<N-1;l++)
   B[i][j][k][l]=A[i-1][j][k][l]+A[i][j+1][k-1][l]+A[i-1][j-1][k-1][l-1];
#pragma dvm parallel([i][j][k][l] on A[i][j][k][l]) across(A[1:0][0:1][0:0][1:1])
  for(int i=N-2;i>=1;i--) for(int j=1;j<N-1;j++) for(int k=1;k<N-1;k++) for(int l=N-2;l>=1;l--)
   A[i][j][k][l]=A[i-1][j][k][l]+A[i][j+1][k][l]+A[i][j][k][l-1]+A[i][j][k][l+1];
#pragma dvm parallel([i][j][k][l] on A[i][j][k][l]) across(A[1:0][0:1][0:0][1:1])
  for(int i=1;i<N-1;i++) for(int j=1;j<N-1;j++) for(int k=1;k<N-1;k++) for(int l=N-2;l>=1;l--)
   A[i][j][k][l]=A[i-1][j][k][l]+A[i][j+1][k][l]+A[i][j][k+1][l];
// expect -1:4 error dvm-across-distance 'A[1][1][2][3]'
  return 0;
}
