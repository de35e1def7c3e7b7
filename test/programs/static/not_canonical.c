/* Loops whose number of iterations is not known at their start. */
// TWIN
#define N 8
#pragma dvm array distribute[block]
double a[N];

int more(int);

void sweep(void) {
  int i;
#ifndef RIGHT
#pragma dvm parallel([i] on a[i])
  for (i = 0; more(i); i++)
//            ^ compile-error .
    a[i] = 0;
#pragma dvm parallel([i] on a[i])
  for (i = 1; i < N; i *= 2)
//                   ^~~~~ compile-error .
    a[i] = 0;
#pragma dvm parallel([i] on a[i])
  for (i = 0; i < N;)
//^~~~~~~~~~~~~~~~~~~ compile-error .
    a[i++] = 0;
#endif
}
