/* Reversed, transposed, strided, offset and constant alignments; few elements for many ranks; edges wider than a part. */
#include <stdio.h>
#define N 7
#pragma dvm array distribute[block][block] shadow[3:3][3:3]
int a[N][N];
#pragma dvm array align([i][j] with a[j][i]) shadow[2:2][1:1]
int t[N][N];
#pragma dvm array align([i][j] with a[N - 1 - i][j]) shadow[1:1][0:0]
int r[N][N];
#pragma dvm array align([i] with a[2][i])
int row[N];
#pragma dvm array align([i] with a[2 * i][0]) shadow[1:1]
int even[(N + 1) / 2];
#pragma dvm array distribute[block] shadow[4:4]
int small[3];
#pragma dvm template[3 * N] distribute[block]
void *T;
#pragma dvm array align([i] with T[2 * i + 3])
int odd[N];
int main(void) {
  int sum = 0, n = 0;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = 10 * i + j;
      t[j][i] = a[i][j] + 1;
      r[N - 1 - i][j] = a[i][j] - 1;
    }
#pragma dvm parallel([i][j] on t[i][j]) shadow_renew(t, a (corner)) reduction(sum(sum))
  for (int i = 2; i < N - 2; i++)
    for (int j = 1; j < N - 1; j++)
      sum += t[i - 2][j] * 3 + t[i + 2][j] - t[i][j - 1] + a[j + 1][i] + a[j - 1][i + 1];
  printf("%d\n", sum);
#pragma dvm parallel([i][j] on r[i][j]) shadow_renew(r) reduction(sum(sum))
  for (int i = N - 2; i > 0; i -= 2)
    for (int j = i % 2; j < N; j += 3)
      sum += r[i - 1][j] * 2 + r[i + 1][j];
  printf("%d\n", sum);
#pragma dvm parallel([j] on a[2][j])
  for (int j = 0; j < N; j++)
    row[j] = a[2][j] * j;
#pragma dvm parallel([i] on a[2 * i][0])
  for (int i = 0; i < (N + 1) / 2; i++)
    even[i] = a[2 * i][0];
#pragma dvm parallel([i] on even[i]) shadow_renew(even) reduction(sum(n))
  for (int i = 1; i < (N + 1) / 2 - 1; i++)
    n += even[i - 1] * even[i + 1];
#pragma dvm parallel([j] on row[j]) reduction(sum(n)) remote_access(row[N - 1 - j], even[])
  for (int j = 0; j < N; j++)
    n += row[j] * row[N - 1 - j] + even[j / 2];
  printf("%d\n", n);
#pragma dvm parallel([i] on small[i])
  for (int i = 0; i < 3; i++)
    small[i] = i + 1;
#pragma dvm parallel([i] on small[i]) shadow_renew(small) reduction(product(sum))
  for (int i = 0; i < 3; i++)
    sum *= small[0] + small[2];
#pragma dvm parallel([i] on T[2 * i + 3])
  for (int i = 0; i < N; i++)
    odd[i] = i;
#pragma dvm parallel([k] on T[k]) reduction(sum(sum))
  for (int k = 3; k < 3 + 2 * N; k += 2)
    sum += odd[(k - 3) / 2] * k;
#pragma dvm parallel([i][j] on a[i][]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < 4; j++)
      sum += j;
  printf("%d\n", sum);
  return 0;
}
