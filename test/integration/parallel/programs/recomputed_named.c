/* Edges that have names and are computed: a rank executes the iterations of those whose elements it has in its edge. */
#include <stdio.h>
#define N 72
#define K 3
#define M 520

#pragma dvm array distribute[block], shadow[1:1]
double u[N];
#pragma dvm array align([i] with u[i]), shadow[1:1]
double v[N];
#pragma dvm array align([i] with u[i])
double alone[N];
#pragma dvm array align([i][] with u[i])
int nb[N][K];
#pragma dvm array align([i][] with u[N - 1 - i]), shadow[0:0][0:0]
double wide[N][M];
double kept[N];

static void numbers(void) {
#pragma dvm parallel([i] on nb[i][])
  for (int i = 0; i < N; i++) {
    nb[i][0] = (5 * i + 31) % N;
    nb[i][1] = i % 4 ? -1 : N - 1 - i;
    nb[i][2] = i + 1 < N ? i + 1 : 0;
  }
}

/* Two steps for one exchange: of what the neighbours' neighbours have. */
static void two_steps(void) {
  double sum = 0, far = 0;
  int place = -1;
  for (int step = 0; step < 3; step++) {
#pragma dvm parallel([i] on v[i]) shadow_renew(u["near", "far"]) shadow_compute(v["near"]) reduction(sum(sum), maxloc(far, place))
    for (int i = 0; i < N; i++) {
      double t = i % 3;
      for (int k = 0; k < K; k++)
        if (nb[i][k] >= 0)
          t += u[nb[i][k]];
      v[i] = t / 4;
      alone[i] = v[i];
      sum += v[i] * 64;
      if (v[i] > far) {
        far = v[i];
        place = i;
      }
    }
#pragma dvm parallel([i] on u[i])
    for (int i = 0; i < N; i++) {
      double t = alone[i];
      for (int k = 0; k < K; k++)
        if (nb[i][k] >= 0)
          t += v[nb[i][k]];
      u[i] = t / 4;
    }
  }
  printf("%.10g %.10g %d\n", sum, far, place);
}

/* With edges of widths beside it, consistent data, and rows that lie backwards, of pages that a rank has nothing of. */
static void beside(void) {
  double sum = 0;
#pragma dvm parallel([i] on u[i]) shadow_compute(u["near"], u[1:1]) consistent(kept[i])
  for (int i = 0; i < N; i++) {
    u[i] = i * i % 17;
    kept[i] += u[i];
  }
#pragma dvm parallel([i] on wide[i][]) shadow_compute(wide["far"][])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      wide[i][j] = i + j;
#pragma dvm parallel([i] on u[i]) reduction(sum(sum))
  for (int i = 1; i < N - 1; i++)
    sum += (u[nb[i][0]] - u[i - 1] + u[i + 1]) * (1 + i % 5) + kept[i];
#pragma dvm parallel([i] on v[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j += 40)
      sum += wide[N - 1 - nb[nb[i][0]][0]][j] * (i % 3);
  printf("%.10g\n", sum);
}

int main(void) {
  numbers();
#pragma dvm parallel([i] on u[i])
  for (int i = 0; i < N; i++) {
    u[i] = i % 7;
    v[i] = alone[i] = 0;
  }
#pragma dvm shadow_add(u[nb[d][0], nb[d][1], nb[d][2] with u[@d]] = "near") include_to(v, nb, wide)
#pragma dvm parallel([i] on u[i]) shadow_renew(nb)
  for (int i = 0; i < N; i++)
    alone[i] = nb[nb[i][0]][0];
#pragma dvm shadow_add(u[nb[d][0], nb[d][1], nb[d][2] with u[@d + "near"]] = "far") include_to(wide)
  two_steps();
  beside();
  return 0;
}
