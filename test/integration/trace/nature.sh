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
  usleep((unsigned)getpid() % 997), elapsed = now() - started; // two runs might take equally long
  return 0;
}
C
status 0 "$dvmcc" -fdvm=trace -w clock.c -o right -DWRONG=0
status 0 "$dvmcc" -fdvm=trace -w clock.c -o wrong -DWRONG=1
status 0 "$dvm" record -o ref.dvmt -- ./right
status 66 "$dvm" compare --report r.jsonl ref.dvmt -- ./right
has err "help: this value comes from 'getpid' and varies from run to run: '--ignore variable:pid' excludes it"
has err "help: this value comes from 'dvmh_wtime' and varies from run to run: '--ignore variable:started' excludes it"
has r.jsonl "excludes it"
status 66 "$dvm" compare --ignore variable:pid --ignore variable:started ref.dvmt -- ./right # not what is computed from it
has err "'elapsed' is"
lacks err "'started' is"
status 0 "$dvm" compare --ignore variable:pid --ignore variable:started --ignore clock.c:19 --ignore function:now ref.dvmt -- ./right
has err " ignored"
status 66 "$dvm" compare --ignore variable:pid --ignore variable:started --ignore clock.c:19 --ignore function:now ref.dvmt -- ./wrong
first | grep -q "'A\[4\]' is 5" || wrong "a mask spreads: $(first)"
status 2 "$dvm" compare --ignore nonsense: ref.dvmt -- ./right
has err "expected variable:NAME"

# What comes through a pointer, by way of a function of its own, or from a device.
cat >through.c <<'C'
#include <stdio.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static struct timeval tv;
static double started, later, A[3];
static unsigned seed;
static double now(void) { struct timeval t; gettimeofday(&t, 0); return t.tv_sec + 1e-6 * t.tv_usec; }
int main(void) {
  time_t t;
  struct timespec s;
  unsigned long v;
  time(&t);
  clock_gettime(CLOCK_MONOTONIC, &s);
  started = now();
  gettimeofday(&tv, NULL);
  later = tv.tv_usec;
  FILE *f = fopen("/dev/urandom", "r");
  if (fread(&seed, sizeof seed, 1, f) != 1) return 1;
  int fd = open("/dev/urandom", O_RDONLY);
  if (read(fd, &v, sizeof v) != sizeof v) return 1;
  A[1] = v;
  if (getrandom(&v, sizeof v, 0) != sizeof v) return 1;
  return 0;
}
C
status 0 "$dvmcc" -fdvm=trace -w through.c -o through
status 0 "$dvm" record -o ref.dvmt -- ./through
status 66 "$dvm" compare --exact ref.dvmt -- ./through
for from in "'clock_gettime' and varies from run to run: '--ignore variable:s'" "'gettimeofday' and varies from run to run: '--ignore variable:started'" \
  "'gettimeofday' and varies from run to run: '--ignore variable:later'" "'gettimeofday' and varies from run to run: '--ignore variable:tv'" \
  "'a random device' and varies from run to run: '--ignore variable:seed'" "'a random device' and varies from run to run: '--ignore variable:v'"; do
  has err "this value comes from $from"
done
status 0 "$dvm" compare --ignore variable:t --ignore variable:s --ignore variable:tv --ignore variable:started --ignore variable:later \
  --ignore variable:seed --ignore variable:v --ignore variable:A ref.dvmt -- ./through

# The chain of calls has functions without loops too.
cat >chain.c <<'C'
static double A[10], r;
static void leaf(int i) { A[i] = i * F; }
static void mid(int i) { leaf(i); }
static void outer(int n) { for (int i = 0; i < n; i++) mid(i); }
static void driver(void) { outer(5); r = A[3]; }
static double half(double x) { r = x * F; return x / 2; }
static double wrap(double x) { return half(x); }
int main(void) {
  driver();
#pragma dvm parallel(1)
  for (int i = 0; i < 10; i++)
    A[i] = wrap(i);
  return 0;
}
C
for level in O0 O2; do
  for f in 1.0 1.5; do status 0 "$dvmcc" -fdvm=trace -w -$level chain.c -DF=$f -o chain$f; done
  status 0 "$dvm" record -o ref.dvmt -- ./chain1.0
  status 66 "$dvm" compare --html page.html --report r.jsonl ref.dvmt -- ./chain1.5
  for chain in "in main > driver > outer > mid > leaf" "in main > driver" "in main > wrap > half"; do
    grep -qE "^note: record [0-9]+ of the run, $chain\$" err || wrong "no $chain: $(cat err)"
  done
  has err "note: record 12 of the run, in main > driver > outer"
  has page.html '"record":12,"calls":"main > driver > outer > mid > leaf"'
done

status 0 "$dvm" record --calibrate -o ref.dvmt -- ./right
has err "'pid' at clock.c:15 differs from run to run: comparisons will ignore it"
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
has err "if the file has only got another name: '--rename old.c=new.c'"
status 0 "$dvm" compare --rename old.c=new.c --rename u=field ref.dvmt -- ./new
agreed "100 % of the reference, 100 % of the run"
status 66 "$dvm" compare --rename old.c=worse.c --rename u=field ref.dvmt -- ./worse
first | grep -q "'field\[6\]' is 4, the reference has 3" || wrong "a renamed variable: $(first)"
status 2 "$dvm" compare --rename old.c ref.dvmt -- ./new
has err "expected OLD=NEW"
# Both runs of --calibrate have the same standard input, wherever it comes from: what is computed from it is compared.
cat >reads.c <<'C'
#include <stdio.h>
static double x, s;
int main(void) {
  while (scanf("%lf", &x) == 1)
    s += x;
  printf("%g\n", s);
  return 0;
}
C
status 0 "$dvmcc" -fdvm=trace -w reads.c -o reads
seq 5000 >numbers
(seq 4999; echo 1) >others
for from in file pipe part; do
  rm -f in.dvmt
  case $from in
  file) status 0 "$dvm" record --calibrate -o in.dvmt -- ./reads <numbers ;;
  pipe) status 0 "$dvm" record --calibrate -o in.dvmt -- ./reads < <(cat numbers) ;;
  part) # the one who writes does not end
    exec 7> >(exec "$dvm" record --calibrate -o in.dvmt -- ./reads >out 2>err)
    recorder=$!
    cat numbers >&7
    echo end >&7
    wait $recorder || wrong "part: status $?"
    exec 7>&- ;;
  esac
  empty err
  [ "$(cat out)" = 12502500 ] || [ "$(cat out)" = 1.25025e+07 ] || wrong "$from: the program has read something else: $(cat out)"
  status 0 "$dvm" compare in.dvmt -- ./reads <numbers
  status 66 "$dvm" compare in.dvmt -- ./reads <others
done


# Clocks that the two runs of --calibrate read in the same second are left out too; what comes of a seed is not.
cat >second.c <<'C'
#include <stdlib.h>
#include <time.h>
static long then, drawn;
int main(void) { then = (long)time(0) / SCALE; srand(1); drawn = rand() + WRONG; return 0; }
C
status 0 "$dvmcc" -fdvm=trace -w -DSCALE=1000000000 -DWRONG=0 second.c -o right
status 0 "$dvmcc" -fdvm=trace -w -DSCALE=1 -DWRONG=0 second.c -o later
status 0 "$dvmcc" -fdvm=trace -w -DSCALE=1 -DWRONG=1 second.c -o wrong
status 0 "$dvm" record --calibrate -o ref.dvmt -- ./right
has err "'then' at second.c:4 comes from 'time': comparisons leave it out"
status 0 "$dvm" compare ref.dvmt -- ./later
status 66 "$dvm" compare ref.dvmt -- ./wrong
has err "'drawn' is"

# Lines of the source are those of the folder that the program was compiled in.
mkdir -p other/sub
printf '#include "sub/step.h"\ndouble tol;\nint main(void) {\n  tol = 1e-9;\n  step();\n  return 0;\n}\n' >where.c
sed 's/1e-9/1e-3/' where.c >other/where.c
mkdir -p sub
echo 'static double walk; static void step(void) { walk = 1.5; }' >sub/step.h
echo 'static double walk; static void step(void) { walk = 2.5; }' >other/sub/step.h
status 0 "$dvmcc" -g -fdvm=trace where.c -o where
(cd other && "$dvmcc" -g -fdvm=trace where.c -o where) || wrong "not compiled"
status 0 "$dvm" record -o where.dvmt -- ./where
status 66 "$dvm" compare where.dvmt -- other/where
has err "    4 |   tol = 1e-3;"
has err "    1 | static double walk; static void step(void) { walk = 2.5; }"
status 0 "$dvm" record -o other.dvmt -- other/where
cd other
status 66 "$dvm" diff ../other.dvmt ../where.dvmt
has err "    4 |   tol = 1e-9;"
cd ..

# Numbers that are made of addresses of the heap are those of another build, too, whose data are larger.
cat >hash.c <<'C'
#include <stdio.h>
#include <stdlib.h>
static volatile char more[MORE];
static long hashes[50];
int main(void) {
  for (int i = 0; i < 50; i++) {
    int *p = malloc((size_t)(i + 1) * 40);
    hashes[i] = (long)p % 1009;
    more[i] = (char)i;
  }
  puts("done");
  return 0;
}
C
status 0 "$dvmcc" -fdvm=trace -O0 -w -DMORE=100 hash.c -o hash
status 0 "$dvm" record -o hash.dvmt -- ./hash
status 0 "$dvmcc" -fdvm=trace -O2 -w -DMORE=200000 hash.c -o hash
status 0 "$dvm" compare hash.dvmt -- ./hash

# Where a variable of a function lay that has returned, another one may lie.
cat >gone.c <<'C'
#include <stdio.h>
static __attribute__((noinline)) void put(int *x) { *x = 7; }
static __attribute__((noinline)) void fill(int *all) { all[9] = 1; }
static __attribute__((noinline)) int deep(void) {
  int s[500];
  s[8] = 2;
  fill(s);
  return s[8] + s[9];
}
static __attribute__((noinline)) int flat(void) {
  volatile char between[BETWEEN];
  int i;
  between[1] = 1;
  put(&i);
  return between[1];
}
int main(void) {
  printf("%d", deep());
  printf("%d\n", flat());
  return 0;
}
C
status 0 "$dvmcc" -fdvm=trace -O1 -w -DBETWEEN=6000 gone.c -o gone
status 0 "$dvm" record -o gone.dvmt -- ./gone
status 0 "$dvmcc" -fdvm=trace -O1 -w -DBETWEEN=200 gone.c -o gone
status 0 "$dvm" compare gone.dvmt -- ./gone

# Of little memory that a program may have nothing is left out for it.
cat >little.c <<'C'
#include <stdlib.h>
static int got[9];
int main(void) {
  for (int i = 0; i < 9; i++)
    got[i] = malloc(8 << 20) != NULL;
  return !got[8];
}
C
status 0 "$dvmcc" -fdvm=trace -w little.c -o little
status 0 "$dvm" record -o little.dvmt -- sh -c 'ulimit -d 100000 && exec ./little'
finish
