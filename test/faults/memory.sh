# Little memory: the program computes what it always does or ends with a message; it is never killed by what the checker needs.
. "$(dirname "$0")/lib.sh"

program large <<'X'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 1000
#pragma dvm array distribute[block][block] shadow[1:1][1:1]
static double A[N][N];
#pragma dvm array align([i][j] with A[i][j])
static double B[N][N];
int main(void) {
  double sum = 0, *heap = malloc(2000000 * sizeof *heap), stack[10000], *p = stack;
  if (!heap) { puts("no memory"); return 5; }
  for (int i = 0; i < 2000000; i++) heap[i] = 1;
  for (int i = 0; i < 10000; i++) p[i] = heap[i];
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) { A[i][j] = i + j; B[i][j] = 0; }
#pragma dvm parallel([i][j] on B[i][j]) shadow_renew(A)
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++) B[i][j] = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4;
#pragma dvm parallel([i][j] on B[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) sum += B[i][j];
  for (int i = 0; i < 2000000; i++) sum += heap[i];
  printf("%.1f\n", sum + p[9999]);
  free(heap);
  return 3;
}
X
status 3 ./large
empty err
answer=$(cat out)
status 0 "$clang" -g -O1 -Wno-unknown-pragmas large.c -o plain
warned=0 ended=0 whole=0
# From less than the program itself needs to more than all words take.
for mb in 16 24 32 36 40 44 48 52 56 60 64 72 80 96 112 128 160 200 400; do
  (ulimit -v $((mb * 1024)) && exec ./large) >out 2>err
  got=$?
  (ulimit -v $((mb * 1024)) && exec ./plain) >/dev/null 2>&1
  [ $? -le 5 ] || continue # too little for the program alone
  case $got in
  3) has out "$answer"
     lacks err error
     if [ -s err ]; then
       warned=$((warned + 1))
       count 1 err "dvm: warning: no memory left for checking: some data count as assigned from here on"
     else
       whole=$((whole + 1))
     fi ;;
  2) ended=$((ended + 1))
     has err "dvm: error: no memory left for the checker's own tables" ;;
  5) has out "no memory" ;;
  127) ;; # the loader found no memory: nothing of ours has run
  *) wrong "status $got under ulimit -v $((mb * 1024))"; sed 's/^/  | /' err ;;
  esac
done
[ $((warned + ended)) -gt 0 ] || wrong "no limit was tight: the test tests nothing"
[ "$whole" -gt 0 ] || wrong "the highest limit was too tight"

# With a mistake: a limit may hide it, but never turns it into another.
program mistaken <<'X'
#include "mistake.h"
int main(void) { mistake(2); return 3; }
X
for mb in 16 24 32 40 64 128; do
  (ulimit -v $((mb * 1024)) && exec ./mistaken) >out 2>err
  got=$?
  case $got in
  66) has err "$first'field[0]'" ;;
  2) has err "dvm: error: no memory left for the checker's own tables" ;;
  3) has err "dvm: warning: no memory left for checking" ;;
  127) ;;
  *) wrong "status $got under ulimit -v $((mb * 1024))"; sed 's/^/  | /' err ;;
  esac
done
[ "$got" = 66 ] || wrong "128 MB are too little for a small program"

# A small stack, and a deep one.
program deep <<'X'
#include <stdio.h>
static long down(int n) { long here[16], *p = here; for (int i = 0; i < 16; i++) p[i] = n; return n ? down(n - 1) + p[n % 16] : p[0]; }
int main(void) { printf("%ld\n", down(20000)); return 0; }
X
status 0 ./deep
has out 200010000
empty err
status 66 bash -c 'ulimit -s 256; exec ./mistaken'
has err "$first'field[0]'"
finish
