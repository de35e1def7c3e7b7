/* Templates with offsets and strides, constants in 'on', collapsed and replicated dimensions. */
#include <stdio.h>
#define N 8

#pragma dvm template[4 * N][N + 2] distribute[block][block]
void *t;
#pragma dvm array align([i][j] with t[2 * i + 1][j]) shadow[1:1][0:0]
int even[N][N];
#pragma dvm array align([i][j] with t[2 * i][j + 2]) shadow[0:0][1:1]
int odd[N][N];
#pragma dvm array align([i] with t[i][0])
int column[4 * N];
#pragma dvm array align([j] with t[][j])
int everywhere[N + 2];
#pragma dvm array align([i][j][k] with t[j][k])
int layers[3][N][N];

int main(void) {
  int sum = 0;
#pragma dvm parallel([i][j] on t[2 * i + 1][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      even[i][j] = i + 10 * j;
#pragma dvm parallel([i][j] on t[i][j])
  for (int i = 2 * N - 2; i >= 0; i -= 2)
    for (int j = 2; j < N + 2; j++)
      odd[i / 2][j - 2] = i * j;
#pragma dvm parallel([i] on t[i][0])
  for (int i = 0; i < 4 * N; i++)
    column[i] = i;
  for (int j = 0; j < N + 2; j++)
    everywhere[j] = j;
#pragma dvm parallel([j][k] on t[j][k])
  for (int j = 0; j < N; j++)
    for (int k = 0; k < N; k++)
      for (int l = 0; l < 3; l++)
        layers[l][j][k] = l * j + k;
#pragma dvm parallel([i][j] on even[i][j]) shadow_renew(even) reduction(sum(sum))
  for (int i = 1; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += even[i - 1][j] + everywhere[j];
#pragma dvm parallel([i][j] on odd[i][j]) shadow_renew(odd) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 1; j < N - 1; j++)
      sum += odd[i][j - 1] - odd[i][j + 1];
#pragma dvm parallel([j][k] on layers[][j][k]) reduction(sum(sum))
  for (int j = 0; j < N; j++)
    for (int k = 0; k < N; k++)
      sum += layers[0][j][k] + layers[2][j][k];
#pragma dvm parallel([i] on column[i]) reduction(sum(sum))
  for (int i = 0; i < 4 * N; i += 3)
    sum += column[i];
  printf("%d\n", sum);
  return 0;
}
