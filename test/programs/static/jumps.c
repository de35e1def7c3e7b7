/* Jumps out of a parallel loop. */
// TWIN
#define N 8
#pragma dvm array distribute[block]
double a[N];

int leave(int k) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = 0;
#ifndef RIGHT
    if (i == k)
      break;
//    ^ compile-error .
#endif
  }
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = 0;
#ifndef RIGHT
    if (i == k)
      return 1;
//    ^ compile-error .
    if (i == k + 1)
      goto out;
//    ^ compile-error .
#else
    if (i == k)
      continue;
    for (int j = 0; j < 3; j++)
      if (j == 1)
        break;
#endif
  }
out:
  return 0;
}
