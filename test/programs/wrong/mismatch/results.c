/* Arrays of results, members, complex sums, right and wrong; a partial value of an array that is used. */
#include <stdio.h>
#include <math.h>
#include <complex.h>
#define N 12
#pragma dvm array distribute[block]
double a[N];
double sums[5], gmax[3];
struct { double s; int n; } st;
int main(void){
  double loc[4]={0}; double complex z=0; double complex zz[2]={0,0}; float fs[2][2]={{0}}; int hist[8]={0};
  double *p=sums;
#pragma dvm parallel([i] on a[i])
  for(int i=0;i<N;i++) a[i]=sin(i)+1.5;
#pragma dvm parallel([i] on a[i]) reduction(sum(sums),sum(loc),sum(z),sum(fs),sum(hist))
  for(int i=0;i<N;i++){ sums[0]+=a[i]; sums[i%5]+=1; for(int k=0;k<4;k++) loc[k]+=k*a[i]; z+=a[i]*I; fs[i&1][0]+=1; hist[(int)(a[i]*2)&7]++; }
#pragma dvm parallel([i] on a[i]) reduction(sum(zz), product(st.s), sum(st.n))
  for(int i=0;i<N;i++){ zz[0]+=a[i]; st.s*=2; st.n+=i; }
#pragma dvm parallel([i] on a[i]) reduction(max(sums))
// expect -1:13 error dvm-reduction-mismatch 'sums[0]'
  for(int i=0;i<N;i++){ sums[0]+=a[i]; }
#pragma dvm parallel([i] on a[i]) reduction(max(loc))
// expect -1:13 error dvm-reduction-mismatch 'loc[2]'
  for(int i=0;i<N;i++){ loc[2]+=a[i]; }
#pragma dvm parallel([i] on a[i]) reduction(product(z))
// expect -1:13 error dvm-reduction-mismatch 'z'
  for(int i=0;i<N;i++){ z+=a[i]; }
#pragma dvm parallel([i] on a[i]) reduction(sum(st.s))
// expect -1:13 error dvm-reduction-mismatch 'st.s'
  for(int i=0;i<N;i++){ st.s=fmax(st.s,a[i]); }
#pragma dvm parallel([i] on a[i]) reduction(max(gmax)) 
  for(int i=0;i<N;i++){ for(int k=0;k<3;k++) gmax[k]=fmax(gmax[k],k*a[i]); }
#pragma dvm parallel([i] on a[i]) reduction(sum(gmax)) 
  for(int i=0;i<N;i++){ a[i]=gmax[1];
// expect -1:30 error dvm-reduction-escape 'gmax[1]'
  }
  printf("%d %g %g %g %d %g\n",(int)sums[0],creal(z),p[1],st.s,hist[1],fs[0][0]);
  return 0;
}
