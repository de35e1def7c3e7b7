#define N 40
#pragma dvm array distribute[block]
double a[N];

void fill(void);
void fill(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
}
