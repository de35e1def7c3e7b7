/* Gap: "Reduction as array target not supported". */
#include <stdio.h>
#define N 20

#pragma dvm array distribute[block]
int data[N];

int main(void) {
  int histogram[5] = {0}, i;
  double extremes[2][2] = {{1e9, 1e9}, {1e9, 1e9}};
#pragma dvm parallel([i] on data[i])
  for (i = 0; i < N; i++)
    data[i] = i * i % 5;
#pragma dvm parallel([i] on data[i]) reduction(sum(histogram), min(extremes))
  for (i = 0; i < N; i++) {
    histogram[data[i]]++;
    if (data[i] - i < extremes[i & 1][0])
      extremes[i & 1][0] = data[i] - i;
    if (i - data[i] < extremes[i & 1][1])
      extremes[i & 1][1] = i - data[i];
  }
  for (i = 0; i < 5; i++)
    printf("%d ", histogram[i]);
  printf("%g %g %g\n", extremes[0][0], extremes[1][0], extremes[1][1]);
  return 0;
}
