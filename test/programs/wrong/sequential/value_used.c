/* The value of an assignment is used: what it depends on everybody needs. */
// TWIN
#include <stdio.h>
#define N 100

struct cell {
  double x, y;
};
#pragma dvm array distribute[block]
static double a[N];
#pragma dvm array align([i] with a[i])
static double b[N];
#pragma dvm array align([i] with a[i])
static struct cell s[N];

int main(void) {
  double w = 0, c[N] = {0};
  int k = 1;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = b[i] = i;
    s[i].x = s[i].y = i;
  }
#ifdef RIGHT
#pragma dvm remote_access(a[60])
  w = a[60];
  a[60]++;
  c[3] = w;
#pragma dvm remote_access(b[60])
  w = a[60] = b[60];
#pragma dvm remote_access(a[61])
  w = a[61];
  a[61] *= 2;
  if (w > 3)
    k = 2;
#pragma dvm remote_access(s[60])
  w = s[60].x;
  s[60].x--;
#pragma dvm remote_access(b[60])
  a[60] = w = b[60];
#pragma dvm remote_access(b[70])
  a[10] = a[70] = b[70];
  a[70] = b[70] = a[70] + 1;
  for (int i = 0; i < 3; i++)
    a[i] = b[i] = a[i] + 1;
#else
  a[10] = a[70] = b[70];
  //              ^ error dvm-sequential-access 'b[70]'
  // help put the statement under '#pragma dvm remote_access\(b\[70\]\)'
  a[70] = b[70] = a[70] + 1;
  for (int i = 0; i < 3; i++)
    a[i] = b[i + 1] = a[i] + 1;
    //                ^ error dvm-sequential-access 'a[0]'
  a[60] = w = b[60];
  //          ^ error dvm-sequential-access 'b[60]'
  c[3] = a[60]++;
  //     ^ error dvm-sequential-access 'a[60]'
  // help no directive alone repairs it: assign the value to a variable under '#pragma dvm remote_access\(a\[60\]\)', and the element in
  w = a[60] = b[60];
  //          ^ error dvm-sequential-access 'b[60]'
  // help put the statement under '#pragma dvm remote_access\(b\[60\]\)'
  if ((a[61] *= 2) > 6)
  //   ^ error dvm-sequential-access 'a[61]'
    k = 2;
  w = s[60].x--;
  //  ^ error dvm-sequential-access 's[60].x'
#endif
  /* Nobody uses it, or it depends on nothing that only some have. */
  w += a[60] = 7;
  a[3] = a[60] = w;
  (void)a[60]++;
  a[60]++, b[60]++;
  for (int i = 0; i < 3; a[60] += 1, i++)
    k = (a[61]++, i);
  k ? a[60]++ : a[61]++;
  k && (a[60] = 5);
  w += ({ b[60]++; 5; });
  printf("%g %d %g\n", w, k, c[3]);
  return 0;
}
