/* Dimensions that are not divided, edges of unequal widths, loops downwards and with steps. */
#define N 6
#pragma dvm array distribute[block]
double A[N];
#pragma dvm array align([i][] with A[i]) shadow[1:1][0:0]
double B[N][N];
#pragma dvm array distribute[*][block] shadow[0:0][2:1]
double C[N][2*N];
int main(void){
  double s=0; int j;
#pragma dvm parallel([i] on A[i]) private(j)
  for(int i=0;i<N;i++) { A[i]=i; for(j=0;j<N;j++) B[i][j]=j; }
#pragma dvm parallel([i] on A[i]) private(j), shadow_renew(B)
  for(int i=1;i<N-1;i++) for(j=0;j<N;j++) A[i]+=B[i-1][N-1-j]+B[i+1][j];
#pragma dvm parallel([i][j] on C[i][j])
  for(int i=0;i<N;i++) for(int j=2*N-1;j>=0;j--) C[i][j]=j;
#pragma dvm parallel([i][j] on C[i][j]) shadow_renew(C[0:0][2:0]) reduction(sum(s))
  for(int i=1;i<N;i++) for(int j=2;j<2*N;j+=3) s+=C[N-i][j]+C[i-1][j-2];
#pragma dvm parallel([i][j] on C[i][j]) reduction(sum(s))
  for(int i=1;i<N;i++) for(int j=2;j<2*N-1;j+=3) s+=C[i][j+1];
// expect -1:53 error dvm-shadow-stale 'C[1][3]'
  return s<0;
}
