#!/bin/bash
# Traces of jobs: one name for all ranks, streams and merged files, comparison and difference, what is torn, missing or of another job.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
ranks() { local n=$1; shift; echo mpirun --oversubscribe -n "$n" "$@"; }

cat >heat.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
enum { N = 200 };
#pragma dvm array distribute[block] shadow[1:1]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];
int main(int argc, char **argv) {
  double sum = 0;
  for (int step = 0; step < 6; step++) {
    if (step == 0) {
#pragma dvm parallel([i] on a[i])
      for (int i = 0; i < N; i++)
        a[i] = i % 7 / 3.0 + (argc > 1);
    }
#pragma dvm parallel([i] on b[i]) RENEW
    for (int i = 1; i < N - 1; i++)
      b[i] = (a[i - 1] + a[i + 1]) / 2;
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
    for (int i = 1; i < N - 1; i++)
      sum += (a[i] = b[i]);
  }
  if (argc > 2)
    abort();
  printf("%.6f\n", sum);
  return 0;
}
END_C
status 0 "$dvmcc" -fdvm=trace -g -O1 '-DRENEW=shadow_renew(a)' heat.c -o sequential
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 '-DRENEW=shadow_renew(a)' heat.c -o right
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 -DRENEW= heat.c -o wrong
status 0 "$dvm" record --level checksum -o ref.dvmt -- ./sequential

# Any number of ranks; one alone needs no launcher.
for n in 1 2 5; do
  status 0 "$dvm" compare ref.dvmt -- $(ranks $n ./right)
  has err "0 different"
  has err "(100 % of the reference, 100 % of the run)"
done
status 0 "$dvm" compare ref.dvmt -- ./right
has err "0 different"
status 0 "$dvm" compare ref.dvmt -- env A=b nice $(ranks 2 ./right) # behind other commands

# The run's own rounding.
status 66 env DVM_OPTIONS=substitute=0 "$dvm" compare --exact ref.dvmt -- $(ranks 5 ./right)
has err "'sum' is "

# The first construct and array that differ.
status 66 "$dvm" compare --max-errors 1 --report found.jsonl ref.dvmt -- $(ranks 4 ./wrong)
has err "heat.c:16:13: error: 'b' differs from the reference when this construct ends"
has err "execution 1"
has found.jsonl '"dvm-trace-value"'
status 7 "$dvm" compare --exitcode 7 ref.dvmt -- $(ranks 4 ./wrong)
status 66 "$dvm" compare ref.dvmt -- $(ranks 2 ./right other)
has err "heat.c:12:13: error: 'a' differs"

# A trace of the job, whose ranks have streams of their own; no name is a trap.
status 0 "$dvm" record -o job.dvmt -- $(ranks 3 ./right)
has err "recorded the 3 ranks of a job in 'job.dvmt'"
[ "$(echo job.dvmt*)" = job.dvmt ] || wrong "streams are left: $(echo job.dvmt*)"
status 0 "$dvm" trace info job.dvmt
has out "rank 2:"
status 0 "$dvm" trace verify job.dvmt
status 0 "$dvm" trace dump --limit 5 job.dvmt.1
status 0 "$dvm" diff ref.dvmt job.dvmt
status 0 "$dvm" diff job.dvmt ref.dvmt
status 0 "$dvm" compare job.dvmt -- $(ranks 2 ./right)
status 0 "$dvm" compare job.dvmt -- ./sequential
status 66 "$dvm" compare job.dvmt -- $(ranks 4 ./wrong)
status 0 $(ranks 2 "$dvm" record -o each.dvmt -- ./right) # each rank its own command
[ "$(echo each.dvmt*)" = "each.dvmt.0 each.dvmt.1" ] || wrong "not two streams: $(echo each.dvmt*)"
status 0 "$dvm" diff ref.dvmt each.dvmt

# A crash leaves what there was; the last construct that all have executed is named.
status 0 "$dvm" record --level checksum -o ref1.dvmt -- ./sequential other
status 134 "$dvm" record -o crash.dvmt -- $(ranks 2 ./right other crash)
has err "dvm: the last construct that all ranks have executed is execution 6 of the 'parallel' at heat.c:19"
status 66 "$dvm" diff ref1.dvmt crash.dvmt
has err "compared 58 records (100 % of the reference"
has err "is torn"

# Level system: which directives each rank came through, with their arguments, and no sums.
status 0 "$dvm" record --level system -o system.dvmt -- $(ranks 2 ./right)
status 0 "$dvm" trace dump system.dvmt.1
has out "enter      heat.c:16:13"
lacks out "digest"
status 0 "$dvm" trace info system.dvmt
has out "level      system"

# Streams that do not belong together, or are not whole.
status 0 $(ranks 2 "$dvm" record -o other.dvmt -- ./right)
cp each.dvmt.0 mixed.dvmt.0 && cp other.dvmt.1 mixed.dvmt.1
status 1 "$dvm" diff ref.dvmt mixed.dvmt
has err "are streams of different runs"
cp each.dvmt.1 mixed.dvmt.0
status 1 "$dvm" diff ref.dvmt mixed.dvmt
has err "'mixed.dvmt.0' holds the stream of rank 1, not of rank 0"
rm each.dvmt.1
status 1 "$dvm" diff ref.dvmt each.dvmt
has err "the stream 'each.dvmt.1' of rank 1 is missing"
head -c $(($(stat -c %s job.dvmt) - 60)) job.dvmt >torn.dvmt
status 66 "$dvm" diff ref.dvmt torn.dvmt
has err "torn"
head -c 20 job.dvmt >head.dvmt
status 1 "$dvm" diff ref.dvmt head.dvmt
has err "the table of streams of 'head.dvmt' is damaged"
{ head -c 12 job.dvmt; printf '\377\377'; tail -c +15 job.dvmt; } >damaged.dvmt
status 1 "$dvm" diff ref.dvmt damaged.dvmt
has err "is damaged"

# What cannot be merged stays in its streams; an older trace of that name is not taken for it.
rm -f stay.dvmt*
status 1 "$dvm" record -o stay.dvmt -- sh -c "$(ranks 2 ./right); rm -f stay.dvmt.part; mkdir stay.dvmt.part"
has err "recorded the 2 ranks of a job in 'stay.dvmt.0' ..; they are not merged"
lacks err "in 'stay.dvmt'"
status 0 "$dvm" diff ref.dvmt stay.dvmt
cp job.dvmt stay.dvmt
status 1 "$dvm" diff ref.dvmt stay.dvmt
has err "'stay.dvmt' is there, and so are streams 'stay.dvmt.0' .. that have not been merged"
status 0 "$dvm" trace info stay.dvmt.1
rmdir stay.dvmt.part

# Ranks of a sequential program are no parallel run.
status 2 "$dvm" compare ref.dvmt -- $(ranks 2 ./sequential)
has err "the run is one of 2 processes that are not parallel by their directives"

# Options that mean nothing for jobs are refused; a job's --json is an array of its ranks.
status 0 "$dvm" trace info --json job.dvmt
python3 -c 'import json; assert len(json.load(open("out"))) == 3' || wrong "no array of three ranks"
status 0 "$dvm" trace stat --json job.dvmt
python3 -c 'import json; assert len(json.load(open("out"))) == 3' || wrong "no array of three ranks"
status 2 "$dvm" trace dump --json job.dvmt
has err "name one of its ranks, as in 'job.dvmt.0'"
status 0 "$dvm" trace dump --json job.dvmt.0

# Programs that call MPI themselves: rank by rank.
sed 's/N + 100/N + EXTRA/' "$source/samples/sum_ranks.c" >sum_ranks.c
for extra in 0 100; do
  OMPI_CC=$dvmcc status 0 mpicc.openmpi -fdvm=trace -g -O1 -DEXTRA=$extra sum_ranks.c -o sum$extra
done
status 0 "$dvm" trace config -o sums.conf -- $(ranks 3 ./sum0)
has sums.conf "loop sum_ranks.c:"
has sums.conf "# 1 executions"
status 0 "$dvm" record --config sums.conf -o configured.dvmt -- $(ranks 3 ./sum0)
status 0 "$dvm" compare configured.dvmt -- $(ranks 3 ./sum0)
status 2 "$dvm" compare --bisect configured.dvmt -- $(ranks 3 ./sum0)
has err "'--bisect'"
status 0 "$dvm" compare --html same.html configured.dvmt -- $(ranks 3 ./sum0)
status 66 "$dvm" compare --html other.html configured.dvmt -- $(ranks 3 ./sum100) # one page of all ranks
has other.html '"who":"rank 2: "'
status 0 "$dvm" record -o sums.dvmt -- $(ranks 3 ./sum0)
status 0 "$dvm" compare sums.dvmt -- $(ranks 3 ./sum0)
has err "dvm: rank 2: compared"
status 66 "$dvm" compare sums.dvmt -- $(ranks 3 ./sum100)
has err "error: rank 2: "
lacks err "error: rank 1: "
status 66 "$dvm" compare --report ranks.jsonl --report ranks.sarif sums.dvmt -- $(ranks 3 ./sum100)
python3 - <<'END_P' || wrong "the reports do not tell the rank"
import json
lines = [json.loads(l) for l in open('ranks.jsonl')]
results = json.load(open('ranks.sarif'))['runs'][0]['results']
assert lines and {l['rank'] for l in lines} == {0, 2} and [r['properties']['rank'] for r in results] == [l['rank'] for l in lines]
END_P
status 2 "$dvm" compare sums.dvmt -- $(ranks 2 ./sum0)
has err "the reference has 3 ranks, the run 2"
status 0 "$dvm" record -o sums100.dvmt -- $(ranks 3 ./sum100)
status 66 "$dvm" diff sums.dvmt sums100.dvmt
has err "error: rank 2: "

# Where what a comparison notes for itself cannot be written, the reason is told.
(ulimit -f 0; "$dvm" diff ref.dvmt job.dvmt 2>&1) | cat >err
has err "File too large"
finish
