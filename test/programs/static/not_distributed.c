/* Arrays without a distribution where only a distributed one makes sense. */
// TWIN
#define N 8
#pragma dvm array distribute[block]
double a[N];
#ifdef RIGHT
#pragma dvm array align([i] with a[i])
#endif
double plain[N];

void sweep(void) {
  int i;
#pragma dvm parallel([i] on plain[i])
//                          ^ compile-error 'plain'
  for (i = 0; i < N; i++)
    plain[i] = 0;
#pragma dvm parallel([i] on a[i]) shadow_renew(plain)
//                                             ^ compile-error 'plain'
  for (i = 0; i < N; i++)
    a[i] = 0;
#pragma dvm parallel([i] on a[i]) across(plain[1:1])
//                                       ^ compile-error 'plain'
  for (i = 1; i < N - 1; i++)
    a[i] = 0;
#pragma dvm parallel([i] on a[i]) remote_access(plain[0])
//                                              ^ compile-error 'plain'
  for (i = 0; i < N; i++)
    a[i] = 0;
}
