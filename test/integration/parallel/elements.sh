#!/bin/bash
# 'dvm compare --bisect' of parallel runs: from the construct to the element, its rank, the iteration and the directive; options that have no
# meaning for jobs are refused.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
ranks() { local n=$1; shift; echo mpirun --oversubscribe -n "$n" "$@"; }

cat >wave.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
enum { N = 24, M = 20 };
struct cell { float h; int n; };
#pragma dvm array distribute[block][block] shadow[1:1][1:1]
double u[N][M];
#pragma dvm array align([i][j] with u[i][j])
double v[N][M];
#pragma dvm array align([i][j] with u[i][j])
struct cell c[N][M];
int main(int argc, char **argv) {
  double sum = 0;
  int from = argc > 1 ? atoi(argv[1]) : 1;
#pragma dvm parallel([i][j] on u[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      u[i][j] = i * 0.1 + j % 7 / 3.0;
      v[i][j] = 0;
      c[i][j].h = 1;
      c[i][j].n = i - j;
    }
  for (int step = 0; step < 5; step++) {
#pragma dvm parallel([i][j] on v[i][j]) shadow_renew(u)
    for (int i = from; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++)
        v[i][j] = (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]) / 4;
#pragma dvm parallel([i][j] on u[i][j]) reduction(sum(sum)) RENEW
    for (int i = 1; i < N - 1; i++)
      for (int j = M - 2; j > 0; j--) {
        u[i][j] = (v[i][j] + v[i][j + SIDE]) / 2;
        c[i][j].n += step;
        sum += u[i][j];
      }
  }
  printf("%.6f\n", sum);
  return 0;
}
END_C
compile() { status 0 "$dvmcc" "-fdvm=$1" -g -O2 "-DRENEW=$3" "-DSIDE=$4" wave.c -o "$2"; }
compile trace sequential '' 0
compile trace sequential_side 'shadow_renew(v)' 1
compile parallel,trace right '' 0
compile parallel,trace right_side 'shadow_renew(v)' 1
compile parallel,trace wrong '' 1
status 0 "$dvm" record --level checksum -o ref.dvmt -- ./sequential
status 0 "$dvm" record --level checksum -o side.dvmt -- ./sequential_side

# A right program agrees, whatever the grid.
for grid in 2x2 4x1 1x3; do
  status 0 env DVM_OPTIONS=grid=$grid "$dvm" compare --bisect side.dvmt -- $(ranks $((${grid%x*} * ${grid#*x})) ./right_side)
  has err "0 different"
done

# The first element, the rank that has it and executes the iteration, and the reason: columns 0..9 are of ranks 0 and 2, and the edge is
# stale.  Results come in the order of the sequential loop, j downwards.
status 66 env DVM_OPTIONS=grid=2x2 "$dvm" compare --bisect --report found.jsonl side.dvmt -- $(ranks 4 ./wrong)
has err "execution 1 of the construct at wave.c:27:13 is the first beyond the tolerance"
has err "wave.c:30:9: error: 'u[1][9]' is "
has err "iteration (i=1, j=9), execution 1"
has err "note: rank 0 has 'u[1][9]' and executes the iteration"
has err "run with 'poison=1', which looks at each access, it says:"
has err "is read from the shadow edge, which was not renewed, by rank " # whichever comes first
has err "[dvm-shadow-stale]"
has err "help: add 'shadow_renew' to the directive"
has found.jsonl '"u[1][9]"'
# The file has another name in the run.
sed "s/SIDE/1/; s/RENEW//" wave.c >wave_again.c
status 0 "$dvmcc" -fdvm=parallel,trace -g -O2 wave_again.c -o again
status 66 env DVM_OPTIONS=grid=2x2 "$dvm" compare side.dvmt -- $(ranks 4 ./again)
has err "if the file has only got another name: '--rename wave.c=wave_again.c'"
status 66 env DVM_OPTIONS=grid=2x2 "$dvm" compare --rename wave.c=wave_again.c --bisect side.dvmt -- $(ranks 4 ./again)
has err "wave.c:30:9: error: 'u[1][9]' is "
# The page: parts of ranks; what differs lies along a border.
status 66 env DVM_OPTIONS=grid=2x2 "$dvm" compare --bisect --html page.html side.dvmt -- $(ranks 4 ./wrong)
python3 - <<'END_P' || wrong "the map does not show the distribution"
import json
data = json.loads(open('page.html').read().split('type="application/json">')[1].split('</script>')[0])
u = [m for m in data['maps'] if m['variable'] == 'u'][0]
assert u['rows'] == 24 and u['columns'] == 20
for i in range(24):
    for j in range(20):
        assert u['owners'][i * 20 + j] == 2 * (i >= 12) + (j >= 10), (i, j)
assert {c[1] for c in u['cells']} == {9}, u['cells']
END_P
status 66 env DVM_OPTIONS=grid=1x3 "$dvm" compare --bisect --digits side.dvmt -- $(ranks 3 ./wrong)
has err "error: 'u[1][12]' is " # of the first iteration that goes wrong: j downwards
has err "note: rank 1 has 'u[1][12]' and executes the iteration"
status 66 "$dvm" compare --bisect side.dvmt -- $(ranks 1 ./right) # another computation, on one rank too
has err "error: 'u[1][18]' is "

# Members of structs; iterations that one side alone executes.
sed 's/c\[i\]\[j\].n += step/c[i][j].n += step - (step == 3 \&\& i == 20)/' wave.c >member.c
mkdir changed && mv member.c changed/wave.c && cd changed
status 0 "$dvmcc" -fdvm=parallel,trace -g -O2 -DRENEW= -DSIDE=0 wave.c -o ../member
cd ..
status 66 "$dvm" compare --bisect ref.dvmt -- $(ranks 4 ./member)
has err "execution 4 of the construct"
has err "error: 'c[20][18].n' is 7, the reference has 8"
has err "note: rank 3 has 'c[20][18]' and executes the iteration"

# What a program writes that the reference does not, and what comes from the sequential part.
sed 's/v\[i\]\[j\] = (u/v[0][i == 5 \&\& j == 7 ? 0 : 19] = 9 * (i == 5 \&\& j == 7), v[i][j] = (u/' wave.c >changed/wave.c
(cd changed && "$dvmcc" -fdvm=parallel,trace -g -O2 -DRENEW= -DSIDE=0 wave.c -o ../more)
status 66 "$dvm" compare --bisect ref.dvmt -- $(ranks 4 ./more)
has err "'v[0][0]', which rank 0 has, is changed here, and the reference does not write it"
lacks err "executes the iteration"
sed 's/for (int step/u[0][3] = 7 * argc; for (int step/' wave.c >changed/wave.c
(cd changed && "$dvmcc" -fdvm=parallel,trace -g -O2 -DRENEW= -DSIDE=0 wave.c -o ../before)
status 66 "$dvm" compare --bisect ref.dvmt -- $(ranks 4 ./before)
has err "error: 'v[1][3]' is "
lacks err "poison=1"

# A variable that no clause names, of which all ranks have the same part: no array differs, so that nothing is said of elements.
sed 's/double sum = 0;/double sum = 0; int n = 0;/; s/sum += u\[i\]\[j\];/sum += u[i][j], n++;/; s/"%.6f/"%d %.6f/; s/n", sum/n", n, sum/' wave.c >changed/wave.c
(cd changed && for way in trace:counted_side parallel,trace:counted; do
  "$dvmcc" "-fdvm=${way%:*}" -g -O2 '-DRENEW=shadow_renew(v)' -DSIDE=1 wave.c -o ../${way#*:}
done)
status 0 "$dvm" record --level checksum -o counted.dvmt -- ./counted_side
status 66 "$dvm" compare --bisect counted.dvmt -- $(ranks 2 ./counted)
has err "error: 'n' differs from the reference when this construct ends (no clause names it; rounding differences count)"
lacks err "what is written here agrees"
status 0 "$dvm" record --level modify -o counted.dvmt -- ./counted_side # has no sum of it
printf 'level full\n' >full.conf
for config in "" "--config full.conf"; do
  status 0 "$dvm" compare $config counted.dvmt -- $(ranks 2 ./counted)
  has err "; variables that no clause names are compared with a reference of '--level checksum' alone"
done

# The reference is of ranks too, other ones: what they have of the arrays is compared, in no iteration.
status 0 "$dvm" record -o job.dvmt -- $(ranks 3 ./right_side)
status 0 "$dvm" compare --bisect job.dvmt -- $(ranks 2 ./right_side)
has err "0 different"
status 66 env DVM_OPTIONS=grid=2x2 "$dvm" compare --bisect job.dvmt -- $(ranks 4 ./wrong)
has err "execution 1 of the construct at wave.c:27:13 is the first beyond the tolerance"
has err "wave.c:27:13: error: 'u[1][9]' is "
has err "note: rank 0 has 'u[1][9]'"
has err "[dvm-shadow-stale]"
sed 's/c\[i\]\[j\].n += step/c[i][j].n += step + (step == 2 \&\& i == 9 \&\& j == 7)/' wave.c >struct.c
status 0 "$dvmcc" -fdvm=parallel,trace -g -O2 -DRENEW="shadow_renew(v)" -DSIDE=1 struct.c -o struct
status 66 "$dvm" compare --bisect --rename wave.c=struct.c job.dvmt -- $(ranks 2 ./struct)
has err "execution 3 of the construct at struct.c:27:13 is the first beyond the tolerance"
has err "error: 'c[9][7]' is "
has err "note: rank 0 has 'c[9][7]'"
lacks err "2 differ"
status 2 "$dvm" compare --bisect --partial job.dvmt -- $(ranks 2 ./right_side)
has err "needs the reference of a sequential run"
echo 'int unused;' >>wave.c
compile parallel,trace right_side 'shadow_renew(v)' 2
status 2 env DVM_OPTIONS=grid=2x2 "$dvm" compare --bisect job.dvmt -- $(ranks 4 ./wrong)
has err "the reference's program has been rebuilt since"

# Refused, before anything runs.
for option in "--window 3" --digits; do
  status 2 "$dvm" compare $option ref.dvmt -- $(ranks 2 ./right)
  has err "'${option% *}': "
  status 2 "$dvm" diff $option ref.dvmt job.dvmt
  has err "'${option% *}': "
done
printf 'level modify\n' >level.conf
status 2 "$dvm" compare --bisect --config level.conf ref.dvmt -- $(ranks 2 ./right)
has err "keep the lines 'tolerance' alone"
status 2 "$dvm" compare --live ./sequential --config level.conf -- $(ranks 2 ./right)
has err "levels need a trace"
status 2 "$dvm" record --inside -o none.dvmt -- $(ranks 2 ./right)
has err "'--inside'"
[ "$(echo none.dvmt*)" = 'none.dvmt*' ] || wrong "something was recorded: $(echo none.dvmt*)"
status 66 env DVM_OPTIONS=substitute=0 "$dvm" compare --exact ref.dvmt -- $(ranks 4 ./right)
printf 'tolerance variable sum relative 0.5\n' >sum.conf
status 0 env DVM_OPTIONS=substitute=0 "$dvm" compare --config sum.conf ref.dvmt -- $(ranks 4 ./right)
status 0 "$dvm" compare --ignore variable:nothing ref.dvmt -- $(ranks 2 ./right)
has err "'--ignore variable:nothing' matches nothing that was recorded"
finish
