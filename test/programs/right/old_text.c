/* The macro form of C-DVM, as programs of 1999 write it, mixed with a pragma; any compiler reads it. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#define DVM(dvmdir)
#define DO(v,l,h,s) for (v = l; v <= h; v += s)
#define FOR(v,n) for (v = 0; v < n; v++)
#define Max(a,b) ((a)>(b)?(a):(b))
#define MAX(a,b) ((a)>(b)?(a):(b))
#define L 16
DVM(DISTRIBUTE [BLOCK][BLOCK]) float A[L][L];
DVM(ALIGN [i][j] WITH A[i][j]; SHADOW [1:1][1:1]) float B[L][L];
DVM(DISTRIBUTE [BLOCK]; TEMPLATE [L + 1]) void *T;
DVM(ALIGN [i] WITH T[i+1]) double X[L];
DVM(SHADOW_GROUP) void *sg;
DVM(REDUCTION_GROUP) void *rg;
DVM(PROCESSORS) void *P[2][2];
double sweep(DVM(* DISTRIBUTE [BLOCK]) double *v, int n);
double sweep(DVM(* DISTRIBUTE [BLOCK]) double *v, int n)
{
  int i; double s = 0;
  DVM(PARALLEL [i] ON v[i]; REDUCTION SUM(s))
  FOR(i, n)
    s += v[i];
  return s;
}
int main(void)
{
  int i, j, it; float eps;
  double s;
  DVM(PARALLEL [i][j] ON A[i][j])
  DO(i, 0, L-1, 1)
  DO(j, 0, L-1, 1)
  { A[i][j] = 0; B[i][j] = i==0||j==0||i==L-1||j==L-1 ? 0 : 1+i+j; }
  DVM(CREATE_SHADOW_GROUP sg: A[1:1][1:1] CORNER);
  DO(it, 1, 4, 1) {
    eps = 0;
    DVM(PARALLEL [i][j] ON A[i][j]; REDUCTION MAX(eps))
    DO(i, 1, L-2, 1)
    DO(j, 1, L-2, 1)
    { float e = fabs(B[i][j] - A[i][j]); eps = MAX(e, eps); A[i][j] = B[i][j]; }
    DVM(SHADOW_START sg);
    DVM(SHADOW_WAIT sg);
    DVM(PARALLEL [i][j] ON B[i][j]; SHADOW_RENEW A[1:1][1:1] CORNER)
    DO(i, 1, L-2, 1)
    DO(j, 1, L-2, 1)
      B[i][j] = (A[i-1][j]+A[i+1][j]+A[i][j-1]+A[i][j+1])/4;
    printf("%d %g\n", it, eps);
  }
  DVM(PARALLEL [i] ON X[i]) FOR(i, L) X[i] = i;
  s = 0;
  DVM(PARALLEL [i] ON X[i]; REDUCTION rg : SUM(s) ) DO(i, 0, L-1, 1) s += X[i];
  DVM(REDUCTION_START rg);
  DVM(REDUCTION_WAIT rg);
  printf("%g %g\n", s, sweep(X, L));
  DVM(REMOTE_ACCESS X[3]) s = X[3];
  DVM(BARRIER);
  DVM(INTERVAL 1) { s = 2; }
  DVM(DEBUG 1 -d0) { s = 3; }
#pragma dvm parallel([i] on X[i])
  FOR(i, L)
    X[i] = 1;
  printf("%g\n", s);
  return 0;
}
