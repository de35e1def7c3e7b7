/* Small arrays of a nest's body: filled by loops, element by element, by rows, in the loop that reads them; or but for some elements. */
#include <stdio.h>
#define N 40
#define M 5
#pragma dvm array distribute[block][*]
static double u[N][M];
#pragma dvm array align([i] with u[i][])
static double s[N];
static int few = M - 1;

int main(void) {
  double weight[M] = {1, 2, 3, 4, 5}, part[M];
  for (int m = 0; m < M; m++)
    part[m] = m;
#pragma dvm parallel([i] on u[i][])
  for (int i = 0; i < N; i++) {
    for (int m = 0; m < M; m++)
      u[i][m] = i + m;
    s[i] = 0;
  }
#pragma dvm parallel([i] on s[i]) /* right: by a loop */
  for (int i = 0; i < N; i++) {
    double t[M];
    for (int m = 0; m < M; m++)
      t[m] = u[i][m] * weight[m] + part[m];
    for (int m = M - 1; m >= 0; m--)
      s[i] += t[m];
  }
#pragma dvm parallel([i] on s[i]) /* right: each other element by another loop */
  for (int i = 0; i < N; i++) {
    double t[M + 1];
    for (int m = 0; m < M + 1; m += 2)
      t[m] = i;
    for (int m = 1; m < M + 1; m += 2)
      t[m] = t[m - 1];
    for (int m = 0; m < M; m++)
      s[i] += t[m] - t[m + 1];
  }
#pragma dvm parallel([i] on s[i]) /* right: what the turn before has left, and two dimensions */
  for (int i = 0; i < N; i++) {
    double t[M], k[2][M];
    t[0] = i;
    for (int m = 1; m < M; m++)
      t[m] = t[m - 1] + 1;
    for (int l = 0; l < 2; l++)
      for (int m = 0; m < M; m++)
        k[l][m] = t[m] * l;
    for (int l = 0; l < 2; l++) {
      double sum = 0;
      for (int m = 0; m < M; m++)
        sum += k[1 - l][M - 1 - m];
      s[i] += sum;
    }
  }
#pragma dvm parallel([i] on s[i]) /* the last element is missing */
  for (int i = 0; i < N; i++) {
    double t[M];
    for (int m = 0; m < M - 1; m++)
      t[m] = i;
    for (int m = 0; m < M; m++)
      s[i] += t[m];
    //        ^ error dvm-uninitialized 't[4]'
  }
#pragma dvm parallel([i] on s[i]) /* at the first turn, the element that the second gives a value */
  for (int i = 0; i < N; i++) {
    double t[M];
    t[0] = i;
    for (int m = 0; m < M - 1; m++) {
      s[i] += t[m + 1];
      //      ^ error dvm-uninitialized 't[1]'
      t[m + 1] = t[m];
    }
  }
#pragma dvm parallel([i] on s[i]) /* under a condition */
  for (int i = 0; i < N; i++) {
    double t[M];
    for (int m = 0; m < M; m++)
      if (u[i][m] != 17)
        t[m] = i;
    for (int m = 0; m < M; m++)
      s[i] += t[m];
    //        ^ error dvm-uninitialized 't[4]'
  }
#pragma dvm parallel([i] on s[i]) /* a loop that ends early */
  for (int i = 0; i < N; i++) {
    double t[M];
    for (int m = 0; m < M; m++) {
      t[m] = i;
      if (i + m == N + 1)
        break;
    }
    for (int m = 0; m < M; m++)
      s[i] += t[m];
    //        ^ error dvm-uninitialized 't[4]'
  }
#pragma dvm parallel([i] on s[i]) /* as many turns as a variable says */
  for (int i = 0; i < N; i++) {
    double t[M];
    for (int m = 0; m < few; m++)
      t[m] = i;
    for (int m = 0; m < M; m++)
      s[i] += t[m];
    //        ^ error dvm-uninitialized 't[4]'
  }
#pragma dvm parallel([i] on s[i]) /* the other row */
  for (int i = 0; i < N; i++) {
    double k[2][M];
    for (int m = 0; m < M; m++)
      k[1][m] = i;
    for (int l = 0; l < 2; l++)
      s[i] += k[l][0] + k[1][l];
    //        ^ error dvm-uninitialized 'k[0][0]'
  }
#pragma dvm parallel([i] on s[i]) /* an array that begins anew in each turn */
  for (int i = 0; i < N; i++)
    for (int k = 1; k < M; k++) {
      double t[M];
      t[0] = i;
      s[i] += t[k - 1];
      //      ^ error dvm-uninitialized 't[1]'
      t[k] = k;
    }
  double some[M];
  for (int m = 1; m < M; m++)
    some[m] = m;
#pragma dvm parallel([i] on s[i]) /* one of those from outside */
  for (int i = 0; i < N; i++)
    for (int m = 0; m < M; m++)
      s[i] += some[m];
  //          ^ error dvm-uninitialized 'some[0]'
  double private_one[M] = {1, 2, 3, 4, 5};
#pragma dvm parallel([i] on s[i]) private(private_one)
  for (int i = 0; i < N; i++) {
    for (int m = 1; m < M; m++)
      private_one[m] = m;
    for (int m = 0; m < M; m++)
      s[i] += private_one[m];
    //        ^ error dvm-private-uninitialized 'private_one[0]'
  }
  printf("done\n");
  return 0;
}
