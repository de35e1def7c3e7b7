#!/bin/bash
# What ranks write is summed up row by row, of their own parts: the sums are those of the sequential run and of whole parts.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
source=$(cd "$(dirname "$0")/../trace" && pwd)/rows.c
status 0 "$dvmcc" -fdvm=trace -w -O2 "$source" -o rows.sequential -lm
status 0 "$dvmcc" -fdvm=parallel,trace -w -O2 "$source" -o rows.parallel -lm
status 0 env DVM_OPTIONS=trace_rows=0 "$dvm" record --level checksum -o rows.dvmt -- ./rows.sequential
for job in 1 2 3 4 4:1x4 6:2x3; do
  ranks=${job%:*} grid=
  [ "$ranks" = "$job" ] || grid=grid=${job#*:}
  status 0 env DVM_OPTIONS=trace_rows=2:$grid "$dvm" record -o job.dvmt -- mpirun --oversubscribe -n "$ranks" ./rows.parallel
  status 0 "$dvm" diff --exact rows.dvmt job.dvmt
  has err ", 0 different"
  status 0 env DVM_OPTIONS=trace_rows=0:$grid "$dvm" record -o whole.dvmt -- mpirun --oversubscribe -n "$ranks" ./rows.parallel
  status 0 "$dvm" diff --exact whole.dvmt job.dvmt
  has err ", 0 different"
  # As it is without an option: small arrays when a construct has ended.
  status 0 env DVM_OPTIONS=$grid "$dvm" record -o small.dvmt -- mpirun --oversubscribe -n "$ranks" ./rows.parallel
  status 0 "$dvm" diff --exact whole.dvmt small.dvmt
  has err ", 0 different"
done
finish
