/* The statement that needs a directive begins behind something else in its line. */
// TWIN
#include <stdio.h>
#define N 8
#define TEXT(x) #x
#ifdef RIGHT
#define REMOTE(x) _Pragma(TEXT(dvm remote_access(x)))
#else
#define REMOTE(x)
#endif

#pragma dvm array distribute[block]
static double c[N];

int main(void) {
  double most = 0, w = 0, v[2] = {1, 2};
  int k = 3;
  const char *text = "a;b{\"";
#pragma dvm parallel([i] on c[i])
  for (int i = 0; i < N; i++)
    c[i] = i;
  for (int i = 0; i < N; i++) REMOTE(c[i]) w += c[i];
  //                                            ^ error dvm-sequential-access 'c[0]'
  for (int i = 0; i < N; i++) { REMOTE(c[i]) if (c[i] > most) { most = c[i]; } } /* for ( */
  //                                             ^ error dvm-sequential-access 'c[0]'
  if (w < 0) w = 1; else REMOTE(c[3]) w += c[3];
  //                                       ^ error dvm-sequential-access 'c[3]'
  if (w < 0) { w = 1; } else if (k) { w++; REMOTE(c[4]) w += c[4]; }
  //                                                         ^ error dvm-sequential-access 'c[4]'
  switch (k) { case 3: REMOTE(c[5]) w += c[5]; break; default: w = 0; }
  //                                     ^ error dvm-sequential-access 'c[5]'
  for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) REMOTE(c[i + j]) v[i] += c[i
  //                                                                               ^ error dvm-sequential-access 'c[0]'
    + j];
again: REMOTE(c[6]) w += c[6];
  //                     ^ error dvm-sequential-access 'c[6]'
  if (w < 0)
    goto again;
  printf("%g %g %g %g %s\n", most, w, v[0], v[1], text);
  return 0;
}
