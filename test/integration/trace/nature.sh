# Clocks, process numbers, random numbers: recognised, ignored when asked, calibrated; never more than what was named.
. "$(dirname "$0")/lib.sh"
first() { head -n 1 err; }
cat >clock.c <<'C'
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static double A[10], started, elapsed;
static int pid;
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
double dvmh_wtime(void);
double dvmh_wtime(void) { return now(); }
int main(void) {
  pid = getpid();
  started = dvmh_wtime();
  for (int i = 0; i < 10; i++)
    A[i] = i + (WRONG && i == 4);
  elapsed = now() - started;
  return 0;
}
C
status 0 "$dvmcc" -fdvm=trace -w clock.c -o right -DWRONG=0
status 0 "$dvmcc" -fdvm=trace -w clock.c -o wrong -DWRONG=1
status 0 "$dvm" record -o ref.dvmt -- ./right
status 66 "$dvm" compare --report r.jsonl ref.dvmt -- ./right
has err "help: this value comes from 'getpid' and differs by nature: '--ignore variable:pid' leaves it out"
has err "help: this value comes from 'dvmh_wtime' and differs by nature: '--ignore variable:started' leaves it out"
has r.jsonl "leaves it out"
status 66 "$dvm" compare --ignore variable:pid --ignore variable:started ref.dvmt -- ./right # not what is computed from it
has err "'elapsed' is"
lacks err "'started' is"
status 0 "$dvm" compare --ignore variable:pid --ignore variable:started --ignore clock.c:19 --ignore function:now ref.dvmt -- ./right
has err " ignored"
status 66 "$dvm" compare --ignore variable:pid --ignore variable:started --ignore clock.c:19 --ignore function:now ref.dvmt -- ./wrong
first | grep -q "'A\[4\]' is 5" || wrong "a mask spreads: $(first)"
status 2 "$dvm" compare --ignore nonsense: ref.dvmt -- ./right
has err "expected variable:NAME"

status 0 "$dvm" record --calibrate -o ref.dvmt -- ./right
has err "'pid' at clock.c:15 differs from run to run: comparisons leave it out"
status 0 "$dvm" compare ref.dvmt -- ./right
has err " ignored"
status 0 "$dvm" trace verify ref.dvmt
status 66 "$dvm" compare ref.dvmt -- ./wrong
first | grep -q "'A\[4\]' is 5" || wrong "a calibrated mask hides: $(first)"
status 0 "$dvm" record -o run.dvmt -- ./right
status 0 "$dvm" diff ref.dvmt run.dvmt

# Digits in which two precisions agree.
cat >digits.c <<'C'
static R a[100], b[100];
int main(void) {
  for (int i = 0; i < 100; i++) {
    a[i] = i / (R)7;
    b[i] = i;
  }
  return 0;
}
C
status 0 "$dvmcc" -fdvm=trace -w digits.c -o double -DR=double
status 0 "$dvmcc" -fdvm=trace -w digits.c -o float -DR=float
status 0 "$dvm" record -o ref.dvmt -- ./double
status 0 "$dvm" compare --digits ref.dvmt -- ./float
grep -qE '^dvm: digits a +100 +15 +7\.[0-2] +7\.[0-2]$' err || wrong "digits of a: $(cat err)"
grep -qE '^dvm: digits b +100 +100 +7\.2 +7\.2$' err || wrong "digits of b: $(cat err)"

# Renamed files and variables; statements in another order.
cat >old.c <<'C'
static double u[10], w[10];
int main(void) {
  for (int i = 0; i < 10; i++) {
    u[i] = i * 0.5;
    w[i] = i * 0.25;
  }
  return 0;
}
C
sed 's/\bu\b/field/g' old.c | awk '/w\[i\] =/ { kept = $0; next } 1' | sed 's|^    field\[i\] = .*|    w[i] = i * 0.25;\n&|' >new.c
sed 's/\[i\] = i \* 0.5/[i] = i * 0.5 + (i == 6)/' new.c >worse.c
for f in old new worse; do status 0 "$dvmcc" -fdvm=trace -w $f.c -o $f; done
status 0 "$dvm" record -o ref.dvmt -- ./old
status 66 "$dvm" compare ref.dvmt -- ./new
status 0 "$dvm" compare --rename old.c=new.c --rename u=field ref.dvmt -- ./new
agreed "100 % of the reference, 100 % of the run"
status 66 "$dvm" compare --rename old.c=worse.c --rename u=field ref.dvmt -- ./worse
first | grep -q "'field\[6\]' is 4, the reference has 3" || wrong "a renamed variable: $(first)"
status 2 "$dvm" compare --rename old.c ref.dvmt -- ./new
has err "expected OLD=NEW"
finish
