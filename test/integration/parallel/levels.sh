#!/bin/bash
# Levels and ranges by construct of parallel programs: 'dvm trace config -- mpirun ..', '--config', '--level', '--partial', '--calibrate'.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
ranks() { local n=$1; shift; echo mpirun --oversubscribe -n "$n" "$@"; }

cat >heat.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
enum { N = 200 };
#pragma dvm array distribute[block] shadow[1:1]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];
#pragma dvm array align([i] with a[i])
long stamp[N];
static long now(void) { struct timespec t; clock_gettime(CLOCK_REALTIME, &t); return t.tv_nsec; }
int main(int argc, char **argv) {
  double sum = 0;
  int first = argc > 1 ? atoi(argv[1]) : 1, last = argc > 2 ? atoi(argv[2]) : N - 1;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i % 7 / 3.0;
  for (int step = 0; step < 6; step++) {
#pragma dvm parallel([i] on b[i]) RENEW
    for (int i = first; i < last; i++)
      b[i] = (a[i - 1] + a[i + 1]) / 2;
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
    for (int i = 1; i < N - 1; i++)
      sum += (a[i] = b[i]);
#ifdef STAMP
#pragma dvm parallel([i] on stamp[i])
    for (int i = 0; i < N; i++)
      stamp[i] = STAMP;
#endif
  }
  printf("%.6f\n", sum);
  return 0;
}
END_C
compile() { status 0 "$dvmcc" "-fdvm=$1" -g -O1 "-DRENEW=$3" "${@:4}" heat.c -o "$2"; }
compile trace sequential 'shadow_renew(a)'
compile parallel,trace right 'shadow_renew(a)'
compile parallel,trace wrong ''
status 0 "$dvm" record --level checksum -o ref.dvmt -- ./sequential
status 0 "$dvm" record --level modify -o values.dvmt -- ./sequential

# The first run writes the configuration; its ranges are those of all ranks together.
status 0 "$dvm" trace config -o heat.conf -- $(ranks 3 ./right)
has heat.conf "# Trace configuration of mpirun"
has heat.conf "level checksum"
has heat.conf "# 6 executions, 1188 iterations"
has heat.conf "# iterations: 1:1..198"
has heat.conf "parallel heat.c:19 level checksum"
status 0 "$dvm" compare --config heat.conf ref.dvmt -- $(ranks 3 ./right)
has err "(100 % of the reference, 100 % of the run)"
has err ", 0 different"

# Level modify: the element, its rank and its iteration in one run; what is wrong with it is told at the first execution.
printf 'level checksum\nparallel heat.c:19 level modify\n' >elements.conf
status 0 "$dvm" record --config elements.conf -o elements.dvmt -- ./sequential
for n in 1 3 4; do # the configuration is the reference's
  status 0 "$dvm" compare elements.dvmt -- $(ranks $n ./right)
  has err "(100 % of the reference, 100 % of the run)"
  has err ", 0 different"
done
status 66 "$dvm" compare --html page.html elements.dvmt -- $(ranks 3 ./wrong)
has err "heat.c:21:7: error: 'b[65]' is 0.16666666666666666, the reference has 0.6666666666666666"
has err "iteration (i=65), execution 1"
has err "note: rank 0 has 'b[65]' and executes the iteration"
has page.html '"owners"'
status 66 "$dvm" compare --digits --config elements.conf values.dvmt -- $(ranks 3 ./wrong) # of a reference that has all values
has err "error: 'b[65]' is "
status 66 "$dvm" compare --config elements.conf ref.dvmt -- $(ranks 3 ./wrong) # of one that has none: by its sums
has err "heat.c:19:13: error: 'b' differs from the reference when this construct ends"

# Ranges: only what these iterations write; full tells each iteration, minimal counts them, system has their order, none nothing.
printf 'level checksum\nparallel heat.c:19 level full 1:66..131\n' >range.conf
status 66 "$dvm" compare --config range.conf values.dvmt -- $(ranks 3 ./wrong)
has err "error: 'b[66]' is "
lacks err "'b[65]'"
printf 'level minimal\nparallel heat.c:19 level modify 1:67..130\n' >within.conf # in the middle of rank 1's part
status 0 "$dvm" record --config within.conf -o within.dvmt -- ./sequential
status 0 "$dvm" compare within.dvmt -- $(ranks 3 ./right)
has err ", 0 different"
printf 'level none\nparallel heat.c:15 level minimal\nparallel heat.c:22 level none\n' >little.conf
for reference in ref values; do
  status 0 "$dvm" compare --config little.conf $reference.dvmt -- $(ranks 3 ./wrong)
  has err ", 0 different"
done
printf 'level minimal\n' >minimal.conf
status 66 "$dvm" compare --config minimal.conf values.dvmt -- $(ranks 3 ./right 2)
has err "heat.c:19:13: error: 197 iterations are executed here, in the reference 198: 1 or more are executed by nobody"
printf 'level checksum\nstart heat.c:19 2\nfinish heat.c:22 3\n' >middle.conf
status 66 "$dvm" compare --config middle.conf ref.dvmt -- $(ranks 3 ./wrong)
has err "heat.c:19:13: note: in this parallel construct, execution 2"
status 0 "$dvm" record --config middle.conf -o middle.dvmt -- ./sequential
status 0 "$dvm" compare middle.dvmt -- $(ranks 2 ./right)
has err ", 0 different"

# What the configuration names and ranks do not come through.
printf 'level checksum\nparallel heat.c:20 level none\n' >none.conf
status 0 "$dvm" record --config none.conf -o job.dvmt -- $(ranks 2 ./right)
has err "none.conf: there is no construct or loop at heat.c:20"
status 0 "$dvm" record --level modify -o job.dvmt -- $(ranks 2 ./right)
status 0 "$dvm" trace dump --limit 40 job.dvmt.1
has out "enter      heat.c:15:13"
status 0 "$dvm" compare job.dvmt -- $(ranks 3 ./right)
status 0 "$dvm" diff ref.dvmt job.dvmt
status 0 "$dvm" record --config elements.conf -o job.dvmt -- $(ranks 2 ./wrong)
status 66 "$dvm" diff values.dvmt job.dvmt
has err "error: 'b[99]' is "

# Iterations that the run leaves out, and nothing else is different.
status 66 "$dvm" compare ref.dvmt -- $(ranks 3 ./right 1 150)
status 0 "$dvm" compare --partial --config little.conf ref.dvmt -- $(ranks 3 ./right 1 150)
printf 'level none\nparallel heat.c:19 level modify\nfinish heat.c:19 1\n' >once.conf
status 66 "$dvm" compare --config once.conf values.dvmt -- $(ranks 3 ./right 1 150)
has err "error: 'b[150]' is 0, the reference has 1"
has err "149 iterations are executed here, in the reference 198: 49 or more are executed by nobody"
status 0 "$dvm" compare --partial --config once.conf values.dvmt -- $(ranks 3 ./right 1 150)
has err ", 0 different"
status 66 "$dvm" compare --partial --config once.conf values.dvmt -- $(ranks 3 ./wrong 1 150)
has err "error: 'b[65]' is "
printf 'level checksum\nfinish heat.c:19 1\n' >once.conf
status 0 "$dvm" compare --partial --config once.conf ref.dvmt -- $(ranks 3 ./right 1 150)
has err "1 sum left out of arrays that constructs without all iterations have written ('b')"

# What differs from run to run by itself: of jobs, and of a sequential reference.
compile trace clock 'shadow_renew(a)' '-DSTAMP=now()'
compile parallel,trace clocks 'shadow_renew(a)' '-DSTAMP=now()'
compile parallel,trace wrong_clocks '' '-DSTAMP=now()'
status 0 "$dvm" record --level checksum -o clock.dvmt -- ./clock
status 66 "$dvm" compare clock.dvmt -- $(ranks 3 ./clocks)
for how in "clock.dvmt -- ./clock" "jobs.dvmt -- $(ranks 2 ./clocks)"; do
  status 0 "$dvm" record --level checksum --calibrate -o $how
  has err "'stamp' at heat.c:26"
  status 0 "$dvm" compare ${how%% *} -- $(ranks 3 ./clocks)
  has err ", 0 different; 6 ignored"
  status 66 "$dvm" compare ${how%% *} -- $(ranks 3 ./wrong_clocks)
  has err "error: 'b' differs"
done
status 0 "$dvm" record --calibrate -o clock.dvmt -- ./clock
status 0 "$dvm" compare clock.dvmt -- $(ranks 3 ./clocks)
status 2 $(ranks 2 "$dvm" record --calibrate -o each.dvmt -- ./right)
has err "'dvm record --calibrate' stands before the launcher"
OMPI_CC=$dvmcc status 0 mpicc.openmpi -fdvm=trace -g -O1 "$source/samples/sum_ranks.c" -o sums
status 0 "$dvm" record --calibrate -o sums.dvmt -- $(ranks 3 ./sums)
status 0 "$dvm" compare sums.dvmt -- $(ranks 3 ./sums)

# A run that does not start, or ends before it begins.
status 1 "$dvm" compare ref.dvmt -- $(ranks 2 --no-such-option ./right)
has err "'mpirun' ended with status 1, and nothing was recorded"
status 1 env DVM_OPTIONS=grid=5 "$dvm" compare ref.dvmt -- $(ranks 2 ./right)
has err "the grid of 'grid=' has 5 processors"
has err "'mpirun' ended with status 2, and nothing was recorded"
lacks err "compile and link"
finish
