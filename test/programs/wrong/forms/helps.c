/* What the help lines propose can be written as it stands, and is right. */
// TWIN
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block][*] shadow[1:1][0:0]
double a[N][N];
#ifdef RIGHT
#pragma dvm array align([i][] with a[i][]) shadow[1:0][0:0]
#else
#pragma dvm array align([i][] with a[i][]) shadow[0:0][0:0]
#endif
double b[N][N];
#pragma dvm array align([i] with a[i][]) shadow[0:0]
double c[N];
int map[N];

int main(void)
{
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = b[i][j] = i + j;
#pragma dvm parallel([i] on c[i])
  for (int i = 0; i < N; i++)
    c[i] = i;
  for (int i = 0; i < N; i++)
    map[i] = i * 3 % N;
  double s = 0;
#ifdef RIGHT
#pragma dvm parallel([i] on c[i]) reduction(sum(s)) remote_access(c[], a[][1])
#else
#pragma dvm parallel([i] on c[i]) reduction(sum(s))
#endif
  for (int i = 0; i < N; i++)
    s += c[map[i]]
    //   ^ error dvm-nonlocal-access 'c[3]'
    // help add 'remote_access\(c\[\]\)' to
      + a[N - 1 - map[i]][1];
    //  ^ error dvm-nonlocal-access 'a[7][1]'
    // help add 'remote_access\(a\[\]\[1\]\)' to
    //  ^ error dvm-shadow-stale
#ifdef RIGHT
#pragma dvm parallel([i] on a[i][]) remote_access(c[])
#else
#pragma dvm parallel([i] on a[i][])
#endif
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = c[j];
  //            ^ error dvm-nonlocal-access 'c[1]'
#ifdef RIGHT
#pragma dvm parallel([i] on a[i][])
#else
#pragma dvm parallel([i])
#endif
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] += 1;
  //  ^ error dvm-nonlocal-access 'a[0][0]'
  // help write 'parallel\(\[i\] on a\[i\]\[\]\)' in the directive at
#ifdef RIGHT
#pragma dvm parallel([i] on b[i][]) across(b[1:0][0:0])
#else
#pragma dvm parallel([i] on b[i][])
#endif
  for (int i = 1; i < N; i++)
    for (int j = 0; j < N; j++)
      b[i][j] += b[i - 1][j];
  //             ^ error dvm-nonlocal-access 'b[0][0]'
  //             ^ error dvm-loop-dependence 'b[1][0]'
  // help add 'across\(b\[1:0\]\[0:0\]\)' to the directive at helps.c:\d+ and declare 'b' with 'shadow\[1:0\]\[0:0\]'
  printf("%g\n", s);
  return 0;
}
