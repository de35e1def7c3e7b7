#!/bin/bash
# What a parallel run does otherwise than the reference without being wrong, row by row as docs/traces.md has them: the right twin agrees, the wrong
# one is named.  By sums, and by elements.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
ranks() { local n=$1; shift; echo mpirun --oversubscribe -n "$n" "$@"; }
cp "$source/test/integration/parallel/particular.c" .

# row ROW ARGUMENT TEXT-BY-SUMS TEXT-BY-ELEMENTS: of the wrong twin, whose reference is its own sequential run; its mistake is in the directives,
# or comes with an argument of the parallel run.
row() {
  local row=$1 argument=$2 twin n
  for twin in right wrong; do
    local flags="-g -O1 -DROW=$row$([ $twin = right ] || echo ' -DWRONG')"
    status 0 "$dvmcc" -fdvm=trace $flags particular.c -o plain
    status 0 "$dvmcc" -fdvm=parallel,trace $flags particular.c -o $twin
    status 0 "$dvm" record --level checksum $config -o $twin.sums -- ./plain
    status 0 "$dvm" record --level modify -o $twin.values -- ./plain
  done
  printf 'level full\n' >full.conf
  for n in 1 3; do
    status 0 "$dvm" compare right.sums -- $(ranks $n ./right)
    has err ", 0 different"
  done
  status 0 "$dvm" compare --config full.conf right.values -- $(ranks 3 ./right)
  has err ", 0 different"
  status 66 "$dvm" compare wrong.sums -- $(ranks 3 ./wrong $argument)
  has err "$3"
  status 66 "$dvm" compare --config full.conf wrong.values -- $(ranks 3 ./wrong $argument)
  has err "$4"
}

config=
row 1 '' "error: 'a' differs from the reference when this construct ends" "error: 'a[20]' is "
row 2 30 "3 iterations are executed here, in the reference 4: 1 or more are executed by nobody" "iteration (k=3) is executed by no rank"
row 3 59 "58 iterations are executed here, in the reference 59: 1 or more are executed by nobody" "iteration (i=59) is executed by no rank"
row 4 '' "error: 'sum' is " "error: 'sum' is "
row 5 '' "'most' is assigned here, no clause names it, and rank 0 and rank 1 are left with different values of it" "'most' is assigned here"
row 6 '' "error: 'b' differs from the reference when this construct ends" "error: 'b[41]' is "
{
  printf 'loop particular.c:%d level minimal 1:2..3\nlevel checksum\n' "$(sed -n '/for (int step/=' particular.c)"
  sed -n '/pragma dvm parallel/=' particular.c | sed 's/.*/parallel particular.c:& level checksum/'
} >loop.conf
config="--config loop.conf"
row 7 '' "note: in this parallel construct, execution 3" "error: 'b[19]' is "
# An iteration that the reference does not have.
status 0 "$dvmcc" -fdvm=trace -g -O1 -DROW=3 particular.c -o plain
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 -DROW=3 particular.c -o right
status 0 "$dvm" record --level modify -o values.dvmt -- ./plain 50
status 66 "$dvm" compare values.dvmt -- $(ranks 3 ./right)
has err "or more are executed twice, or are none of the reference"
status 66 "$dvm" compare --config full.conf values.dvmt -- $(ranks 3 ./right)
has err "is not in the reference"

# Tasks are executed by all ranks: what a task reads of another one's ranks is told as not looked at, and by a run with poison=1.
cat >apart.c <<'END_C'
#include <stdio.h>
enum { N = 16 };
#pragma dvm processors P[2]
void *P;
#pragma dvm task T[2]
void *T;
#pragma dvm array distribute[block] dynamic
double a[N];
#pragma dvm array distribute[block] dynamic
double b[N];
int main(void) {
#pragma dvm map(T[0] onto P[0])
#pragma dvm map(T[1] onto P[1])
#pragma dvm redistribute(a[block] onto T[0])
#pragma dvm redistribute(b[block] onto T[1])
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on b[i])
  for (int i = 0; i < N; i++)
    b[i] = -i;
#pragma dvm task_region(T)
  {
#pragma dvm on(T[0])
    {
#pragma dvm parallel([i] on a[i])
      for (int i = 0; i < N; i++)
        a[i] += 1;
    }
#pragma dvm on(T[1])
    {
#pragma dvm parallel([i] on b[i]) FETCH
      for (int i = 0; i < N; i++)
        b[i] += a[i];
    }
  }
  printf("done\n");
}
END_C
status 0 "$dvmcc" -fdvm=trace -g -O1 -DFETCH= apart.c -o plain
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 -DFETCH= apart.c -o apart
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 '-DFETCH=remote_access(a[])' apart.c -o fetching
status 0 "$dvm" record --level checksum -o apart.dvmt -- ./plain
for n in 2 3 4; do
  status 0 "$dvm" compare apart.dvmt -- $(ranks $n ./fetching)
  status 0 "$dvm" compare apart.dvmt -- $(ranks $n ./apart)
  has err "apart.c:22:13: note: while a run is compared or recorded each task is executed by all ranks, so that what goes wrong only on groups"
  [ "$(grep -c "executed by all ranks" err)" = 1 ] || wrong "on $n ranks it is told more than once: $(cat err)"
  has err ", 0 different"
  status 0 env DVM_OPTIONS=poison=1 $(ranks $n ./fetching)
  status 66 env DVM_OPTIONS=poison=1 $(ranks $n ./apart)
  has err "dvm-nonlocal-access"
done
status 0 "$dvm" compare apart.dvmt -- $(ranks 1 ./apart)
lacks err "executed by all ranks"
status 0 env DVM_OPTIONS=tasks=all "$dvm" compare apart.dvmt -- $(ranks 3 ./apart)
lacks err "executed by all ranks"
finish
