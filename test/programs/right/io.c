/* Input and output of elements, rows and whole arrays; values that the library assigns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 6

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array distribute[block][]
int m[N][N];

int main(void) {
  double sum = 0;
  FILE *f = tmpfile();
  if (!f)
    return 1;
  for (int i = 0; i < N; i++)
    fprintf(f, "%d.5 ", i);
  rewind(f);
  for (int i = 0; i < N; i++)
    if (fscanf(f, "%lf", &a[i]) != 1)
      return 1;
  rewind(f);
#pragma dvm parallel([i][j] on m[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      m[i][j] = i * j;
  fwrite(m, sizeof(int), N * N, f);
#pragma dvm parallel([i][j] on m[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      m[i][j] = 0;
  rewind(f);
  if (fread(m, sizeof(int), N * N, f) != N * N)
    return 1;
  fclose(f);
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += a[i];
  for (int i = 0; i < N; i++)
    printf("%g %d\n", a[i], m[i][N - 1]);
  printf("%g %.1f\n", sum, (float)a[2]);
  return 0;
}
