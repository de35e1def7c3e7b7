#define N 16
#pragma dvm array distribute[block] shadow[1:1]
static double C[N];
#pragma dvm array align([i] with C[i])
static double D[N];
void fill(int n);
double sum_of_c(int n), square(double x);

void fill(int n) {
#pragma dvm parallel([i] on C[i])
  for (int i = 0; i < n; i++)
    C[i] = i + 1;
#pragma dvm parallel([i] on D[i]) shadow_renew(C)
  for (int i = 1; i < n - 1; i++)
    D[i] = C[i - 1] + C[i + 1];
}

double sum_of_c(int n) {
  double s = 0;
#pragma dvm parallel([i] on D[i]) reduction(sum(s))
  for (int i = 1; i < n - 1; i++)
    s += D[i];
  return s;
}

double square(double x) { return x * x; }
