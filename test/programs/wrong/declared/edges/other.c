#define N 12
#ifdef RIGHT
#pragma dvm array distribute[block], shadow[1:2]
#else
#pragma dvm array distribute[block], shadow[1:1]
#endif
extern double a[N];

double total(void) {
  double sum = 0;
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += a[i];
  return sum;
}
