#!/bin/bash
# Parallel programs with sanitizers: silent unless they are wrong themselves; what MPI keeps is no leak of theirs, what they lose is.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks() { local n=$1; shift; echo mpirun --oversubscribe -n "$n" "$@"; }
cat >lose.c <<'E2'
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 6000
#pragma dvm array distribute[block] shadow[1 : 1]
double a[N];
static __attribute__((noinline)) char lose(int k) {
  char *p = malloc(77);
  memset(p, k, 77);
  return p[k];
}
int main(int argc, char **argv) {
  int s = 0, shift = argc > 1 ? atoi(argv[1]) : 0;
#pragma dvm array align([i] with a[i])
  double *b = malloc(N * sizeof(*b));
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i % 3;
#pragma dvm parallel([i] on b[i]) shadow_renew(a) reduction(sum(s))
  for (int i = 1; i < N - 1; i++) {
    b[i] = a[i - 1] + a[i + 1];
    s += b[i] > 2;
  }
  for (int i = 0; shift == 1 && i < 3; i++)
    s += lose(i);
  if (shift == 2)
    s += INT_MAX;
  printf("%d\n", s);
  free(b);
  return shift == 3 ? (int)b[1] : 0;
}
E2
for flags in address leak undefined address,undefined; do
  status 0 "$dvmcc" -fdvm=parallel -fsanitize=$flags -fno-sanitize-recover=undefined -g -O1 lose.c -o lose-$flags
  for n in 1 3; do
    status 0 $(ranks $n ./lose-$flags)
    has out 1999
    empty err
  done
done
for flags in address:1 leak:23; do # each rank loses it, and says where
  status ${flags#*:} $(ranks 2 ./lose-${flags%:*} 1)
  has err "231 byte(s) in 3 object(s)"
  has err "lose.c:9:"
  lacks err libmpi
done
status 1 $(ranks 2 ./lose-undefined 2)
has err "lose.c:28:7: runtime error: signed integer overflow"
status 1 $(ranks 2 ./lose-address 3)
has err "AddressSanitizer: heap-use-after-free"
has err "lose.c:31"
finish
