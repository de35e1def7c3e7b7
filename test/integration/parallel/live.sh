#!/bin/bash
# 'dvm compare --live': a parallel run and the sequential program beside each other, without a trace; both held at the first difference.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
ranks() { local n=$1; shift; echo mpirun --oversubscribe -n "$n" "$@"; }

cat >heat.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { N = 200 };
#pragma dvm array distribute[block] shadow[1:1]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];
int main(int argc, char **argv) {
  double sum = 0;
  int steps = argc > 1 ? atoi(argv[1]) : 6;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i % 7 / 3.0;
  for (int step = 0; step < steps; step++) {
    double last = sum;
#pragma dvm parallel([i] on b[i]) RENEW
    for (int i = 1; i < N - 1; i++)
      b[i] = (a[i - 1] + a[i + 1]) / 2;
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
    for (int i = 1; i < N - 1; i++)
      sum += (a[i] = b[i] + last * 1e-3);
  }
  while (argc > 2 && access(argv[2], F_OK)) /* until it is seen */
    usleep(10000);
  if (argc > 3)
    abort();
  printf("%.6f\n", sum);
  return 0;
}
END_C
status 0 "$dvmcc" -fdvm=trace -g -O1 '-DRENEW=shadow_renew(a)' heat.c -o sequential
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 '-DRENEW=shadow_renew(a)' heat.c -o right
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 -DRENEW= heat.c -o wrong

# No trace, any number of ranks; results of reductions are the reference's.
before=$(ls -A)
for n in 1 2 5; do
  status 0 "$dvm" compare --live ./sequential -- $(ranks $n ./right)
  has err "dvm: compared 13 executions of constructs live: "
  has err ", 0 different"
done
status 0 "$dvm" compare --live ./sequential -- ./right
[ "$(ls -A | grep -v -x -e out -e err)" = "$(grep -v -x -e out -e err <<<"$before")" ] || wrong "something is left: $(ls -A)"
# Further than any buffer reaches.
status 0 "$dvm" compare --live './sequential 4000' -- $(ranks 2 ./right 4000)
has err "dvm: compared 8001 executions of constructs live: "
has err ", 0 different"
# The run's own rounding spreads.
status 66 env DVM_OPTIONS=substitute=0 "$dvm" compare --live ./sequential -- $(ranks 5 ./right)

# What differs.
status 66 "$dvm" compare --live ./sequential -- $(ranks 4 ./wrong)
has err "heat.c:17:13: error: 'b' differs from the reference when this construct ends"
has err "execution 1"
status 7 "$dvm" compare --exitcode 7 --live ./sequential -- $(ranks 4 ./wrong)
status 66 "$dvm" compare --live './sequential 4' -- $(ranks 2 ./right)
has err "the run executes the construct at heat.c:17, where the reference has ended; nothing behind it is compared"
has err ", and goes on"
lacks err "both go on"
status 66 "$dvm" compare --live './sequential 4 / dies' -- $(ranks 2 ./right)
has err "the run executes the construct at heat.c:17, where the reference was killed by signal 6 (Aborted); nothing behind it is compared"
status 66 "$dvm" compare --live './sequential 9' -- $(ranks 2 ./right)
has err "the run ends where the reference goes on with the construct at heat.c:17"

# A variable that no clause names is told as one, though all ranks have the same part of it.
sed 's/double sum = 0;/double sum = 0; int count[2] = {0};/; s/sum += (/count[0]++, sum += (/; s/"%.6f/"%d %.6f/; s/n", sum/n", count[0], sum/' heat.c >counts.c
status 0 "$dvmcc" -fdvm=trace -g -O1 '-DRENEW=shadow_renew(a)' counts.c -o counts
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 '-DRENEW=shadow_renew(a)' counts.c -o counted
status 66 "$dvm" compare --live ./counts -- $(ranks 2 ./counted)
has err "'count' differs from the reference when this construct ends (no clause names it)"

# What is left out.
status 0 "$dvm" compare --live ./sequential --ignore variable:a --ignore variable:b --ignore variable:sum -- $(ranks 4 ./wrong)
has err ", 0 different; 19 ignored"
status 66 "$dvm" compare --live ./sequential --ignore variable:b --ignore nothing.c:3 -- $(ranks 4 ./wrong)
lacks err "'b' differs"
has err "error: the result 'sum'"
has err "warning: '--ignore nothing.c:3' matches nothing"
status 2 "$dvm" compare --live ./sequential --rename heat.c=cold.c -- ./right
has err "'--accept' and '--rename' need a trace"
status 2 "$dvm" compare --live ./sequential --accept end -- ./right

# The run's source has other lines since, and a construct that moved to another's line: constructs are paired as in a comparison with a trace.
sed -e '1i /* one\n * more */' -e 's/^  double sum = 0;/  double sum = 0; \/\/ and\n\n/' heat.c >moved.c
mkdir -p moved && mv moved.c moved/heat.c
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 '-DRENEW=shadow_renew(a)' moved/heat.c -o moved_right
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 -DRENEW= moved/heat.c -o moved_wrong
for n in 1 3; do
  status 0 "$dvm" compare --live ./sequential -- $(ranks $n ./moved_right)
  has err "dvm: compared 13 executions of constructs live: "
  has err ", 0 different"
done
status 66 "$dvm" compare --live ./sequential -- $(ranks 4 ./moved_wrong)
has err "heat.c:21:13: error: 'b' differs from the reference when this construct ends"

# It is told while both run: both wait for a file that is made when it has been.
mkfifo told
"$dvm" compare --live "./sequential 6 seen" -- $(ranks 2 ./wrong 6 seen) 2>told >/dev/null &
pid=$!
while read -r line <&3; do
  case $line in
  *"both go on"*)
    read -r run reference <<<"$(sed 's/.*the run is process \([0-9]*\), the reference \([0-9]*\).*/\1 \2/' <<<"$line")"
    kill -0 "$run" "$reference" || wrong "they do not run any more: $line"
    touch seen
    ;;
  *"executions of constructs live"*) closing=$line ;;
  esac
done 3<told
wait $pid
[ $? = 66 ] || wrong "another status than 66"
[ -n "$closing" ] && [ -e seen ] || wrong "nothing was told while they ran"

# Held at the first difference, until they are let go.
"$dvm" compare --live ./sequential --stop -- $(ranks 2 ./wrong) 2>told >/dev/null &
pid=$! stood=
while read -r line <&3; do
  case $line in
  *"both stand behind this construct"*)
    read -r run reference self <<<"$(sed "s/.*the run, process \([0-9]*\) .*the reference, process \([0-9]*\) .*kill -CONT \([0-9]*\).*/\1 \2 \3/" <<<"$line")"
    kill -0 "$run" "$reference" || wrong "they do not stand: $line"
    stood=yes
    kill -CONT "$self"
    ;;
  esac
done 3<told
wait $pid
[ $? = 66 ] || wrong "another status than 66"
[ -n "$stood" ] || wrong "they were not held"
status 0 "$dvm" compare --live ./sequential --stop -- $(ranks 2 ./right) # nothing to be held at

# Uses that mean nothing.
status 2 "$dvm" compare --stop ref.dvmt -- ./right
has err "'--stop' holds the programs of '--live'"
status 2 "$dvm" compare --live ./sequential --bisect -- ./right
status 2 "$dvm" compare --live ./sequential -- ./sequential
has err "'--live' compares a program that was compiled with 'dvmcc -fdvm=parallel,trace'"
status 1 "$dvm" compare --live /bin/true -- $(ranks 2 ./right) # neither is a difference
has err "the reference '/bin/true' recorded nothing"
lacks err "different"
status 1 "$dvm" compare --live ./none -- $(ranks 2 ./right)
has err "the reference './none' ended with status 127, and nothing was recorded"
lacks err "different"
status 1 "$dvm" compare --live ./sequential -- env DVM_OPTIONS=grid=5 $(ranks 2 ./right)
has err "'env' ended with status 2, and nothing was recorded"
status 1 "$dvm" compare --live ./right -- $(ranks 2 ./right)
has err "the reference of 'dvm compare --live' is the sequential program"

# A program that is linked with the checker's library too, for a function that it takes over.
{ sed 's/printf(.*/&\n  fflush(stdout);/; s/return 0;/_exit(0);/' heat.c; } >leaves.c
status 0 "$dvmcc" -fdvm=trace -g -O1 '-DRENEW=shadow_renew(a)' leaves.c -o leaves
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 '-DRENEW=shadow_renew(a)' leaves.c -o leaves_right
status 0 "$dvm" compare --live ./leaves -- $(ranks 2 ./leaves_right)
has err "dvm: compared 13 executions of constructs live: "
status 0 "$dvmcc" -O1 '-DRENEW=shadow_renew(a)' heat.c -o checked
DVM_OPTIONS=help=1 ./checked >keys
for key in $(DVM_OPTIONS=help=1 ./leaves | sed -n 's/^\(trace[a-z_]*\)=.*/\1/p'); do
  has keys "$key="
done
finish
