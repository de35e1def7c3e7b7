/* Replicated arrays of which each iteration assigns elements of its own: all ranks have all of them afterwards. */
#include <stdio.h>
#include <stdlib.h>
#define N 23
#define M 14

struct entry {
  int key;
  char tag;
  double value;
};

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array distribute[block][block]
double b[N][M];
#pragma dvm array align([i] with a[2 * i + 1])
double c[N / 2];
double v[N], w[2][N], by_row[N];
char letters[N + 1];
struct entry entries[N];

static void through_pointers(double *p, double q[N], int (*rows)[3]) {
#pragma dvm parallel([i] on a[i]) consistent(p[i], q, rows[i][])
  for (int i = 0; i < N; i++) {
    a[i] += i;
    p[N - 1 - i] = i * i;
    if (i % 3)
      q[i] = -i;
    rows[i][i % 3] = i;
  }
}

static double sum_of(const double *p, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += p[i] * (i + 1);
  return s;
}

static void rows_and_columns(void) {
  double local[M];
  for (int j = 0; j < M; j++)
    local[j] = j;
#pragma dvm parallel([i][j] on b[i][j]) consistent(by_row[i], local[j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      b[i][j] = i * M + j;
      if (j == M / 2)
        by_row[i] = i + 0.25;
      if (i == 2)
        local[j] = local[j] + 100;
    }
#pragma dvm parallel([i] on b[i][]) consistent(by_row[i])
  for (int i = N - 1; i >= 0; i--)
    by_row[i] += i;
  printf("%g %g\n", sum_of(by_row, N), sum_of(local, M));
}

int main(void) {
  double total = 0;
#pragma dvm parallel([i] on a[i]) consistent(v[i], w[][i], letters[i], entries[i]) reduction(sum(total))
  for (int i = 0; i < N; i++) {
    a[i] = i;
    v[i] = 2 * i;
    w[0][i] = v[i] + 1;
    w[1][N - 1 - i] = -i;
    letters[i] = (char)('a' + i);
    entries[i].key = i;
    entries[i].value = i / 4.0;
    if (i % 2)
      entries[i].tag = 'x';
    total += a[i];
  }
  printf("%g %g %g %g %s\n", total, sum_of(v, N), sum_of(w[0], N), sum_of(w[1], N), letters);
  for (int i = 0; i < N; i += 5)
    printf("%d %d %g;", entries[i].key, entries[i].tag, entries[i].value);
  printf("\n");
  for (int step = 0; step < 3; step++) {
#pragma dvm parallel([i] on c[i]) consistent(v[2 * i])
    for (int i = 0; i < N / 2; i++) {
      c[i] = v[2 * i] + v[N - 1];
      v[2 * i] = c[i] + step;
    }
  }
  printf("%g\n", sum_of(v, N));
  double *p = malloc(N * sizeof(*p)), q[N];
  int(*rows)[3] = calloc(N, sizeof(*rows));
  for (int i = 0; i < N; i++)
    q[i] = 1;
  through_pointers(p, q, rows);
  printf("%g %g %d %d\n", sum_of(p, N), sum_of(q, N), rows[7][1], rows[22][1]);
  free(p);
  free(rows);
  rows_and_columns();
  return 0;
}
