/* Misspelt directives and clauses. */
// TWIN
#define N 8
#ifdef RIGHT
#pragma dvm array distribute[block]
#else
#pragma dvm array distribute[blok]
//                           ^ compile-error 'blok'.*'block'
#endif
double a[N];

void sweep(void) {
  double s = 0;
#ifndef RIGHT
#pragma dvm paralel([i] on a[i])
//          ^ compile-error 'paralel'.*'parallel'
  for (int i = 0; i < N; i++)
    a[i] = 0;
#pragma dvm parallel([i] on a[i]) privat(s)
//                                ^ compile-error 'privat'.*'private'
  for (int i = 0; i < N; i++)
    a[i] = 0;
#pragma dvm parallel([i] on a[i]) reduction(summ(s))
//                                          ^ compile-error 'summ'.*'sum'
  for (int i = 0; i < N; i++)
    a[i] = 0;
#pragma dvm parallel([i] on a[i]) schedule(static)
//                                ^ compile-error 'schedule'
  for (int i = 0; i < N; i++)
    a[i] = 0;
#endif
  (void)s;
}
