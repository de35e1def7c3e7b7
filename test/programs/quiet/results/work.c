#define KEPT __attribute__((noinline))
double width(double x);
double middle(int n);

struct range {
  double low, high;
};

static KEPT void bounds(double x, double *low, double *high) {
  *low = x / 2;
  *high = x + 1;
}
static KEPT double length(const struct range *r) { return r->high - r->low; }
static KEPT void widen(struct range *r) { r->high += 1; }

double width(double x) {
  double low, high;
  bounds(x, &low, &high);
  struct range r = {low, high};
  widen(&r);
  return length(&r);
}

double middle(int n) {
  double sum = 0;
  for (int i = 0; i < n % 3; i++) {
    double low, high;
    bounds(i, &low, &high);
    sum += (low + high) / 2;
  }
  return sum;
}
