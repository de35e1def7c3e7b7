/* Declarations of one variable in one file say the same, in whatever words. */
#define N 8
#define ONE 1
#pragma dvm array distribute[block][block] shadow[1:1][1:1]
extern double a[N][N];
#pragma dvm array distribute[block][block], shadow[ONE][1]
double a[N][N];

#pragma dvm array align([i][j] with a[i][j])
extern double b[N][N];
#pragma dvm array align([k][l] with a[k][l])
double b[N][N];

#pragma dvm array align([i][j] with a[i][j])
extern double c[N][N];
#pragma dvm array align([i][j] with a[j][i])
//          ^ compile-error 'c' has been declared with a different '#pragma dvm array'
double c[N][N];

#pragma dvm array distribute[block]
double d[N];
void f(void) {
#pragma dvm array distribute[*]
  //        ^ compile-error 'd' has been declared with a different '#pragma dvm array'
  extern double d[N];
}
