#!/bin/bash
# dvm profile: the figures that are known, the words, the page in a browser, and what goes wrong.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
here=$source/test/integration/parallel
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpirun="mpirun --oversubscribe"

cat >profile.c <<'C'
#include <stdio.h>
enum { N = 24, STEPS = 5 };
#pragma dvm array distribute[block] shadow[1:1]
static double a[N];
#pragma dvm array align([i] with a[i])
static double b[N];
#pragma dvm array distribute[block][*] shadow[1:1][0:0] dynamic
static double m[N][N];
int main(void) {
  double s = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = b[i] = i;
#pragma dvm parallel([i][j] on m[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      m[i][j] = i + j;
#pragma dvm interval 7 /* @interval */
  for (int t = 0; t < STEPS; t++) {
#pragma dvm interval t % 2
#pragma dvm parallel([i] on b[i]) shadow_renew(a) /* @renew */
    for (int i = 1; i < N - 1; i++)
      b[i] = a[i - 1] + a[i + 1];
#pragma dvm parallel([i] on a[i]) reduction(sum(s)) /* @sum */
    for (int i = 0; i < N; i++)
      s += a[i] = b[i] / 2;
    if (t == STEPS - 1) {
#pragma dvm exitinterval t % 2, 7
      break;
    }
#pragma dvm endinterval
  }
#pragma dvm endinterval
#pragma dvm parallel([i] on a[i]) remote_access(b[]) /* @remote */
  for (int i = 0; i < N; i++)
    a[i] = b[N - 1 - i];
#pragma dvm parallel([i][j] on m[i][j]) across(m[1:1][0:0]) stage(4) /* @across */
  for (int i = 1; i < N - 1; i++)
    for (int j = 0; j < N; j++)
      m[i][j] = m[i - 1][j] + m[i + 1][j];
#pragma dvm redistribute(m[*][block]) /* @move */
  printf("%g %g\n", s, a[3]);
  return 0;
}
C
status 0 "$dvmcc" -fdvm=parallel -O2 profile.c -o prog
status 0 ./prog
cp out right

# Text, behind what the program prints.
status 0 "$dvm" profile -- $mpirun -n 4 ./prog
[ "$(head -n 1 out)" = "$(cat right)" ] || wrong "the program's output is not first: $(head -n 1 out)"
for text in "dvm profile of 4 ranks: " "The whole program" "Interval 7 at profile.c:18, executed 1 time" "Interval 1 at profile.c:20, executed 2 times" \
  "productive time" "lost time" "load imbalance" "profile.c:21: parallel" "profile.c:41: redistribute" "combines sum(s): " "fetches elements of b: " \
  "renews edges of a: " "moves m: " "passes on (across) m: "; do
  has out "$text"
done

# Figures, by both launchers and alone; the page.
status 0 "$dvm" profile --json --output p.json -- $mpirun -n 4 ./prog
cmp -s out right || wrong "output: $(cat out)"
status 0 python3 "$here/profile_figures.py" p.json 4 24 5
if "$dvm" help run >/dev/null 2>&1; then
  status 0 "$dvm" profile --keep kept --json --output p.json -- "$dvm" run -n 3 ./prog
  status 0 python3 "$here/profile_figures.py" p.json 3 24 5
  status 0 "$dvm" profile --html --output page.html kept
  status 0 python3 "$here/profile_page.py" page.html p.json
fi
status 0 "$dvm" profile --json -- ./prog
cmp -s err right || wrong "with JSON on standard output the program's goes to standard error: $(cat err)"
python3 -c 'import json; j = json.load(open("out")); assert j["size"] == 1 and j["intervals"][0]["efficiency"] > 0' || wrong "no JSON: $(cat out)"
status 0 env DVM_OPTIONS='profile=with\:colon:guard=0' ./prog
status 0 "$dvm" profile with:colon
has out "dvm profile of 1 rank: "

# A number for each turn of a long loop: the table stays small, and what is left is left.
cat >many.c <<'C'
#pragma dvm array distribute[block]
static int a[4];
int main(void) {
  for (int t = 0; t < 3000; t++) {
#pragma dvm interval t
#pragma dvm parallel([i] on a[i])
    for (int i = 0; i < 4; i++)
      a[i] = t;
    if (t % 3 == 0) {
#pragma dvm exitinterval t
      continue;
    }
#pragma dvm endinterval
  }
  return 0;
}
C
status 0 "$dvmcc" -fdvm=parallel -O2 many.c -o many
status 0 "$dvm" profile --json --output p.json -- ./many
python3 -c '
import json
j = json.load(open("p.json"))
inside = j["intervals"][1:]
assert 100 < len(inside) < 600, len(inside)
assert sum(v["executions"] for v in inside) == 3000
assert {v["parent"] for v in inside} == {0}
assert sum(d["executions"] for d in j["directives"] if d["kind"] == "parallel" and not d["sequential"]) == 3000' || wrong "intervals with many numbers"

# A folder that is used again holds the last run alone.
status 0 "$dvm" profile --keep kept -- $mpirun -n 4 ./prog
status 0 "$dvm" profile --keep kept -- $mpirun -n 2 ./prog
has out "dvm profile of 2 ranks: "
[ "$(ls kept)" = "$(printf 'rank.0\nrank.1')" ] || wrong "left over: $(ls kept)"

# The program's own status, and that it had no profile.
cat >ends.c <<'C'
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#pragma dvm array distribute[block]
static int a[10];
int main(int argc, char **argv) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < 10; i++)
    a[i] = i;
  if (!strcmp(argv[1], "abort") && *getenv("OMPI_COMM_WORLD_RANK") == '1')
    abort();
  if (!strcmp(argv[1], "kill"))
    raise(SIGKILL);
  if (!strcmp(argv[1], "_exit"))
    _exit(4);
  return argc > 1 ? atoi(argv[1]) : 0;
}
C
status 0 "$dvmcc" -fdvm=parallel ends.c -o ends
status 5 "$dvm" profile -- $mpirun -n 2 ./ends 5
has out "dvm profile of 2 ranks"
status 4 "$dvm" profile -- ./ends _exit
has out "dvm profile of 1 rank"
status 134 "$dvm" profile -- $mpirun -n 2 ./ends abort
has err "dvm: error: the program ended with status 134 before it could write a profile"
status 137 "$dvm" profile -- ./ends kill
has err "'./ends' was killed by signal 9 (Killed) and has left no profile"
lacks out "dvm profile of"

# What cannot be profiled is told before it runs where that is possible.
status 0 "$dvmcc" ends.c -o checked
status 1 "$dvm" profile -- $mpirun -n 2 ./checked 0
has err "'./checked' was compiled to be checked, not to be executed in parallel: compile it with 'dvmcc -fdvm=parallel'"
status 0 cc -w ends.c -o plain
status 1 "$dvm" profile -- $mpirun -n 2 ./plain 0
has err "no profile was written: compile the program with 'dvmcc -fdvm=parallel'"
[ "$(grep -c error err)" = 1 ] || wrong "told more than once: $(cat err)"
status 1 "$dvm" profile -- ./nothing
has err "there is no program './nothing'"
status 1 env PATH=/nowhere "$dvm" profile -- mpirun -n 4 ./prog
has err "there is no program 'mpirun': install Open MPI"
for bad in no/such/folder/p.txt /proc/p.txt .; do
  status 1 "$dvm" profile --output "$bad" -- ./ends 0
  has err "dvm: error: "
  has err "$bad"
done
status 1 "$dvm" profile --output /dev/full --html kept
has err "cannot write '/dev/full': No space left on device"
status 1 "$dvm" profile --keep prog/x -- ./ends 0
has err "cannot make the folder 'prog/x': Not a directory"
status 2 env DVM_OPTIONS=profile=/proc/x $mpirun -n 2 ./ends 0
has err "DVM_OPTIONS: 'profile=/proc/x': cannot write into this folder"
[ "$(grep -c 'cannot write into' err)" = 1 ] || wrong "told more than once"
status 2 env DVM_OPTIONS=profile= ./ends 0
has err "expected a folder"
status 2 "$dvm" profile
has err "needs a program to run, or the folder of a profile"
status 2 "$dvm" profile --json --html -- ./prog
status 2 "$dvm" profile --jsn -- ./prog
mkdir none
status 1 "$dvm" profile none
has err "there is no profile in the folder 'none'"
cp -r kept torn
rm torn/rank.1
status 1 "$dvm" profile torn
has err "there is no profile of rank 1 of 2"
sed '$d' kept/rank.1 >torn/rank.1
status 1 "$dvm" profile torn
has err "the profile 'torn/rank.1' cannot be read: it is not complete"
sed 's/^rank 1 2 .*/rank 1 2 9/' kept/rank.1 >torn/rank.1
status 1 "$dvm" profile torn
has err "'torn/rank.1' is of another run"

# Reasons, of times that are made up: each has a directive of its own.
python3 "$here/profile_reasons.py" made || wrong "no made up profile"
status 0 "$dvm" profile made
while read -r reason; do
  has out "$reason"
done <"$here/profile_reasons.txt"
status 0 "$dvm" profile --html --output made.html made
status 0 "$dvm" profile --json --output made.json made
status 0 python3 "$here/profile_page.py" made.html made.json
finish
