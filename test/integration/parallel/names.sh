#!/bin/bash
# Comparison of parallel runs where the reference knows memory by another name than the run.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
ranks() { local n=$1; shift; echo mpirun --oversubscribe -n "$n" "$@"; }

cat >names.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
enum { N = 60 };
#pragma dvm array
double (*outer)[N];
int main(void) {
  double sum = 0;
#pragma dvm array distribute[block][] shadow[1:1][0:0]
  double (*inner)[N] = malloc(sizeof(double[N][N]));
#pragma dvm array align([i][j] with inner[i][j])
  double (*next)[N] = malloc(sizeof(double[N][N]));
  outer = inner;
#pragma dvm parallel([i][j] on inner[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      inner[i][j] = i * i + j;
#pragma dvm parallel([i][j] on outer[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      outer[i][j] *= 2;
#pragma dvm parallel([i][j] on next[i][j]) RENEW
  for (int i = 1; i < N - 1; i++)
    for (int j = 0; j < N; j++)
      next[i][j] = inner[i - 1][j] + inner[i + 1][j];
#pragma dvm parallel([i][j] on inner[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += (outer[i][j] = next[i][j]);
  printf("%g\n", sum);
  return 0;
}
END_C
status 0 "$dvmcc" -fdvm=trace -g -O1 '-DRENEW=shadow_renew(inner)' names.c -o names.sequential
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 '-DRENEW=shadow_renew(inner)' names.c -o names.parallel
status 0 "$dvm" record --level checksum -o names.dvmt -- ./names.sequential

# Each has its own elements, whatever lies behind it.
status 0 "$dvm" record -o names.modify -- ./names.sequential
status 0 "$dvm" trace dump --variable outer names.modify
lacks out "outer[60]"
status 0 "$dvm" trace dump --element 'next[58][59]' names.modify
has out "names.c:24:7 "
for n in 1 3 4; do
  status 0 "$dvm" compare names.dvmt -- $(ranks $n ./names.parallel)
  has err ", 0 different"
  lacks err "left out"
done
status 0 "$dvm" compare --live ./names.sequential -- $(ranks 3 ./names.parallel)
has err ", 0 different"
status 0 "$dvm" record -o names.job -- $(ranks 3 ./names.parallel)
status 0 "$dvm" diff names.job names.dvmt
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 -DRENEW= names.c -o names.parallel
status 66 "$dvm" compare names.dvmt -- $(ranks 3 ./names.parallel)
has err "names.c:21:13: error: 'next' differs"
status 66 "$dvm" compare --live ./names.sequential -- $(ranks 3 ./names.parallel)
has err "names.c:21:13: error: 'next' differs"
finish
