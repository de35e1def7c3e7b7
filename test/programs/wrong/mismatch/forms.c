/* Locations, callees, bits and conditions, right and wrong. */
#include <stdio.h>
#include <math.h>
#define N 12
#pragma dvm array distribute[block]
double a[N];
typedef struct {double v; int i,j;} best_t;
static void upd(double *m,double x){ if(x>*m)*m=x; }
static double mx(double a,double b){return a>b?a:b;}
double g;
static void bump(double x){ g+=x; }
int main(void){
  double m=-1e9,n=1e9,s=0; int l=-1,ll[2]={-1,-1}; double mm=-5; unsigned char flag=1; long cnt=0; int b=1,c=0;
#pragma dvm parallel([i] on a[i])
  for(int i=0;i<N;i++) a[i]=cos(i*3);
#pragma dvm parallel([i] on a[i]) reduction(maxloc(m,l),minloc(n,ll,2))
  for(int i=0;i<N;i++){ if(a[i]>m){m=a[i];l=i;} if(a[i]<n){n=a[i];ll[0]=i;ll[1]=-i;} }
#pragma dvm parallel([i] on a[i]) reduction(max(mm),sum(g),and(flag),sum(cnt),or(c))
  for(int i=0;i<N;i++){ upd(&mm,a[i]); bump(a[i]); flag&=a[i]<5; cnt+=a[i]>0; if(a[i]>0.9) c=1; }
#pragma dvm parallel([i] on a[i]) reduction(min(mm))
// expect -1:13 error dvm-reduction-mismatch 'mm'
  for(int i=0;i<N;i++){ mm=mx(mm,a[i]+3); }
#pragma dvm parallel([i] on a[i]) reduction(minloc(m,l))
// expect -1:13 error dvm-reduction-mismatch 'm'
  for(int i=0;i<N;i++){ if(a[i]+3>m){m=a[i]+3;l=i;} }
#pragma dvm parallel([i] on a[i]) reduction(sum(b))
// expect -1:13 error dvm-reduction-mismatch 'b'
  for(int i=0;i<N;i++){ b&=a[i]>-0.5; }
#pragma dvm parallel([i] on a[i]) reduction(xor(c))
  for(int i=0;i<N;i++){ c^=i; }
#pragma dvm parallel([i] on a[i]) reduction(or(c))
// expect -1:13 error dvm-reduction-mismatch 'c'
  for(int i=0;i<N;i++){ c+=i+1; }
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
  for(int i=0;i<N;i++){ s+=a[i]; a[i]=a[i]+s;
// expect -1:44 error dvm-reduction-escape 's'
  }
  printf("%d %d\n",l>=0,(int)(cnt+b+c));
  return 0;
}
