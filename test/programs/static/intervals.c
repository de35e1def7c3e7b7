/* Intervals that are not closed, or not opened. */
// TWIN
#define N 8
#pragma dvm array distribute[block]
double a[N];

void open(void) {
#ifndef RIGHT
#pragma dvm interval 1
//          ^ compile-error .
#endif
  a[0] = 0;
}

void closed(void) {
  a[0] = 0;
#ifndef RIGHT
#pragma dvm endinterval
//          ^ compile-error .
#else
#pragma dvm interval 2
  a[1] = 0;
#pragma dvm interval
  a[2] = 0;
#pragma dvm endinterval
#pragma dvm endinterval
#endif
}
