/* What is written to a file, compared or sent needs a value; what is copied only carries it. */
// TWIN
// OUTPUT any
#include <stdio.h>
#include <string.h>
#define N 8
#ifdef RIGHT
#define SKIP 0
#else
#define SKIP 1
#endif

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];

struct mixed {
  char tag;
  double value;
};

int main(void) {
  double out[4], copy[4];
  struct mixed m = {.tag = 1}, n;
  char text[16];
  FILE *f = tmpfile();
#pragma dvm parallel([i] on a[i])
  for (int i = SKIP; i < N; i++)
    a[i] = i;
  fwrite(a, sizeof *a, N, f);
  //     ^ error dvm-uninitialized 'a[0]'
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    memcpy(&b[i], &a[i], sizeof *a);
  fwrite(b, sizeof *b, N, f);
  //     ^ error dvm-uninitialized 'b[0]'
  for (int i = SKIP; i < 4; i++)
    out[i] = i;
  memcpy(copy, out, sizeof out);
  fwrite(copy, sizeof *copy, 4, f);
  //     ^ error dvm-uninitialized 'copy'
  m.value = 2;
  memcpy(&n, &m, sizeof m);
  fwrite(&n, sizeof n, 1, f);
  strcpy(text, "abc");
  fwrite(text, 1, sizeof text, f);
  rewind(f);
  double in[4];
  size_t got = fread(in, sizeof *in, 4 - SKIP, f);
  printf("%d\n", (int)got + (in[3] > 0));
  //                         ^ error dvm-uninitialized 'in[3]'
  return 0;
}
