/* Branches that decide the update of another operation; elements of two dimensions; division. */
// FLAGS
#include <stdio.h>
#include <math.h>
#define N 12
#pragma dvm array distribute[block]
double a[N];
int main(void){
  double s=0,m=0,p=0,grid[2][3]={{0}}; int k=0;
#pragma dvm parallel([i] on a[i])
  for(int i=0;i<N;i++) a[i]=1+i%5;
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
// expect -1:13 error dvm-reduction-mismatch 's'
  for(int i=0;i<N;i++) if(a[i]>s) s=a[i];
#pragma dvm parallel([i] on a[i]) reduction(sum(m))
// expect -1:13 error dvm-reduction-mismatch 'm'
  for(int i=0;i<N;i++) m=m>a[i]?m:a[i];
#pragma dvm parallel([i] on a[i]) reduction(product(p))
// expect -1:13 error dvm-reduction-mismatch 'p'
  for(int i=0;i<N;i++) { if(p<a[i]) { p=a[i]; } }
#pragma dvm parallel([i] on a[i]) reduction(sum(k))
  for(int i=0;i<N;i++) { k+=i; if(k>3) a[i]=0; }
// expect -1:35 error dvm-reduction-escape 'k'
#pragma dvm parallel([i] on a[i]) reduction(max(grid))
// expect -1:13 error dvm-reduction-mismatch 'grid[1][2]'
  for(int i=0;i<N;i++) { grid[1][2]+=i; }
#pragma dvm parallel([i] on a[i]) reduction(sum(grid[1][1]))
  for(int i=0;i<N;i++) { grid[1][1]+=i; }
#pragma dvm parallel([i] on a[i]) reduction(sum(grid[1][1]),sum(k)) 
  for(int i=0;i<N;i++) { grid[1][1]+=i; k = (k*2+2*i)/2; }
  printf("%g %d\n",s,k);
  return 0;
}
