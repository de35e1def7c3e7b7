# DVM_OPTIONS: what ends the program early, what is shown, and how wrong options are refused before main.
. "$(dirname "$0")/lib.sh"

program wrong <<'X'
#include "mistake.h"
int main(void) { puts("runs"); mistake(5); mistake(5); puts("ends"); return 0; }
X
status 66 ./wrong
count 5 err "error: 'field["
has err "dvm: 5 errors (10 occurrences) in "
DVM_OPTIONS=max_errors=2 status 66 ./wrong
count 2 err "error: 'field["
count 1 err "dvm: 2 diagnostics have been shown (max_errors); the rest of the run is not checked"
has err "dvm: 2 errors (at least 2 occurrences) in "
has out ends
DVM_OPTIONS=max_errors=2:reduction=emulate status 66 ./wrong
count 1 err "dvm: 2 diagnostics have been shown (max_errors); the others are only counted"
has err "dvm: 5 errors (10 occurrences) in "
DVM_OPTIONS=max_errors=0 status 66 ./wrong
count 5 err "error: 'field["
DVM_OPTIONS=max_errors=1:report=r.jsonl status 66 ./wrong
count 1 r.jsonl '"id":'
count 1 r.jsonl '"count":1,"exact":false'
DVM_OPTIONS=max_errors=0:report=r.jsonl status 66 ./wrong
count 5 r.jsonl '"id":'
count 0 r.jsonl '"exact"'
DVM_OPTIONS=max_errors=1:report=r.sarif status 66 ./wrong
has r.sarif '"exact":false'
DVM_OPTIONS=halt_on_error=1 status 66 ./wrong
count 1 err "error: 'field["
has err "dvm: 1 error (1 occurrence) in "
has out runs
lacks out ends

# Millions of occurrences, of which nobody wants more than the first: what follows is not looked at.
program many <<'X'
#include <stdio.h>
#define N 2000
#pragma dvm array distribute[block] shadow[1:1]
static int a[N];
#pragma dvm array align([i] with a[i])
static int b[N], other[N];
static int pick(int i) { return a[i * 7 % N]; }
int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
  long sum = 0;
  for (int step = 0; step < 1000; step++) {
#pragma dvm parallel([i] on a[i])
    for (int i = 1; i < N - 1; i++)
      b[i] = a[i + 1] + pick(i);
  }
#pragma dvm parallel([i] on b[i]) reduction(sum(sum))
  for (int i = 1; i < N - 1; i++)
    sum += b[i] + other[i];
  printf("ends %ld\n", sum);
  return 0;
}
X
DVM_OPTIONS=exitcode=0 status 0 ./many
whole=$(cat out)
has err "1998000 times"
DVM_OPTIONS=max_errors=1:stats=1 status 66 ./many
has out "$whole"
count 1 err "error: "
has err "dvm: 1 error (at least 1 occurrence) in "
DVM_OPTIONS=halt_on_error=1:report=r.jsonl status 66 ./many
empty out
count 1 err "error: "
count 1 r.jsonl '"count":1,'
DVM_OPTIONS=exitcode=7 status 7 ./wrong
DVM_OPTIONS=exitcode=0 status 0 ./wrong
DVM_OPTIONS=halt_on_error=1:exitcode=9 status 9 ./wrong
DVM_OPTIONS=checks=-uninitialized status 0 ./wrong
empty err
DVM_OPTIONS=stats=1:checks=-all status 0 ./wrong
has err "dvm: 0 errors in "
DVM_OPTIONS= status 66 ./wrong

refused() { # options text
  DVM_OPTIONS=$1 status 2 ./wrong
  has err "dvm: error: DVM_OPTIONS: $2"
  empty out
}
refused max_error=3 "unknown key 'max_error'; did you mean 'max_errors'?"
refused nonsense=1 "unknown key 'nonsense'"
refused exitcode=256 "'exitcode=256': expected a number from 0 to 255"
refused exitcode=-1 "'exitcode=-1': expected"
refused halt_on_error=yes "'halt_on_error=yes': expected 0 or 1"
refused checks=-staleness "'checks': unknown check 'staleness'"
refused halt_on_error "'halt_on_error': expected key=value"
refused =1 "unknown key ''"
refused "report=$(printf 'x%.0s' {1..6000})" "a value is longer than"
DVM_OPTIONS=help=1 status 0 ./wrong
has out "max_errors=1000"
lacks out runs
empty err

# Without a standard error the first file that the program opens is not taken for standard error.
program closed <<'X'
#include "mistake.h"
#include <fcntl.h>
int main(void) { int fd = open("victim", O_CREAT | O_WRONLY | O_TRUNC, 0600); mistake(1); return fd != 2; }
X
status 66 bash -c 'exec 2>&-; ./closed'
[ -f victim ] || wrong "no victim"
empty victim
finish
