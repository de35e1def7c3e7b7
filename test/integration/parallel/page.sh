#!/bin/bash
# The page of 'dvm compare --html' of a parallel run, in a browser: whose command it is, the borders of parts, who has the cell under the
# pointer, and sums that differ, which are no cells.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
command -v chromium >/dev/null || { echo "FAILED: no chromium"; exit 1; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
look() { status 0 python3 "$source/test/integration/trace/look.py" page.html "$1"; }
cat >wave.c <<'END_C'
enum { N = 24, M = 20 };
#pragma dvm array distribute[block][block] shadow[1:1][1:1]
double v[N][M];
#pragma dvm array align([i][j] with v[i][j])
double u[N][M];
int main(void) {
#pragma dvm parallel([i][j] on v[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      v[i][j] = (i * 13 + j * 7) % 11 / 3.0, u[i][j] = v[i][j];
  for (int t = 0; t < 3; t++) {
#pragma dvm parallel([i][j] on u[i][j]) RENEW
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++)
        u[i][j] = (v[i - 1][j] + v[i + 1][j] + v[i][j - 1] + v[i][j + 1]) / 4;
#pragma dvm parallel([i][j] on v[i][j])
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < M - 1; j++)
        v[i][j] = u[i][j];
  }
  return 0;
}
END_C
status 0 "$dvmcc" -fdvm=trace -g -O2 '-DRENEW=shadow_renew(v)' wave.c -o sequential
status 0 "$dvmcc" -fdvm=parallel,trace -g -O2 -DRENEW= wave.c -o wrong
status 0 "$dvm" record --level checksum -o ref.dvmt -- ./sequential
ranks="mpirun --oversubscribe -n 4 ./wrong"
status 66 env DVM_OPTIONS=grid=2x2 "$dvm" compare --html page.html ref.dvmt -- $ranks "a b"
look "$ranks 'a b', compared with ref.dvmt"
has out "2 maps"
status 66 env DVM_OPTIONS=grid=2x2 "$dvm" compare --bisect --html page.html ref.dvmt -- $ranks
look "$ranks, compared with ref.dvmt"
has page.html "note\":\"rank 0 has 'u[1][9]' and executes the iteration\""
status 0 env DVM_OPTIONS=grid=2x2 "$dvm" record -o job.dvmt -- $ranks
status 66 "$dvm" diff --html page.html ref.dvmt job.dvmt
look "job.dvmt, compared with ref.dvmt"
finish
