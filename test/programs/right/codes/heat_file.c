/* Heat in one dimension; the field is saved to a file after each phase and read back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 64
#pragma dvm array distribute[block] shadow[1:1]
static double u[N];
#pragma dvm array align([i] with u[i])
static double v[N];
struct header {
  char magic[5];
  int n;
  double time;
};
static void save(FILE *f, double time) {
  struct header h;
  strcpy(h.magic, "heat");
  h.n = N;
  h.time = time;
  fwrite(&h, sizeof h, 1, f);
  fwrite(u, sizeof u[0], N, f);
}
int main(void) {
  FILE *f = tmpfile();
  double time = 0;
  if (!f)
    return 1;
#pragma dvm parallel([i] on u[i])
  for (int i = 0; i < N; i++)
    u[i] = i == N / 2 ? 100 : 0;
  for (int step = 0; step < 5; step++) {
#pragma dvm parallel([i] on v[i]) shadow_renew(u)
    for (int i = 1; i < N - 1; i++)
      v[i] = u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1]);
#pragma dvm parallel([i] on u[i])
    for (int i = 1; i < N - 1; i++)
      u[i] = v[i];
    time += 0.25;
    save(f, time);
  }
  rewind(f);
  struct header h;
  double sum = 0, *all = malloc(N * sizeof *all);
  while (fread(&h, sizeof h, 1, f) == 1) {
    if (fread(all, sizeof *all, (size_t)h.n, f) != (size_t)h.n)
      return 1;
    for (int i = 0; i < h.n; i++)
      sum += all[i] * i;
    printf("%s %.2f %.6f\n", h.magic, h.time, sum);
  }
  free(all);
  fclose(f);
  return 0;
}
