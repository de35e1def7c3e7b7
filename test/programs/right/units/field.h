/* Directives in a header that several files include. */
#ifndef FIELD_H
#define FIELD_H
#define N 16
#pragma dvm array distribute[block][block] shadow[1:1][1:1]
extern double field[N][N];
#pragma dvm array align([i][j] with field[i][j])
extern double buffer[N][N];

#pragma dvm inherit(f)
void field_set(double f[N][N], double value);
double field_step(void);

#pragma dvm inherit(f)
static inline double field_norm(double f[N][N]) {
  double sum = 0;
#pragma dvm parallel([i][j] on f[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += f[i][j] * f[i][j];
  return sum;
}
#endif
