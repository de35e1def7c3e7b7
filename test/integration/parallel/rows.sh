#!/bin/bash
# What ranks write is summed up row by row, of their own parts: the sums are those of the sequential run and of whole parts.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
sources=$(cd "$(dirname "$0")/../trace" && pwd)

same() { # JOB..: of rows.sequential and rows.parallel
  local job ranks grid
  status 0 env DVM_OPTIONS=trace_rows=0 "$dvm" record --level checksum -o rows.dvmt -- ./rows.sequential
  for job; do
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
}

status 0 "$dvmcc" -fdvm=trace -w -O2 "$sources/rows.c" -o rows.sequential -lm
status 0 "$dvmcc" -fdvm=parallel,trace -w -O2 "$sources/rows.c" -o rows.parallel -lm
same 1 2 3 4 4:1x4 6:2x3
status 0 "$dvmcc" -fdvm=trace -O2 "$sources/line.c" -o rows.sequential
status 0 "$dvmcc" -fdvm=parallel,trace -O2 "$sources/line.c" -o rows.parallel
same 1 3
dvmfc=$(dirname "$dvmcc")/dvmfc
if [ -x "$dvmfc" ]; then
  status 0 "$dvmfc" -fdvm=trace -O2 "$sources/rows.f90" -o rows.sequential
  status 0 "$dvmfc" -fdvm=parallel,trace -O2 "$sources/rows.f90" -o rows.parallel
  told=$(objdump -d rows.parallel | grep -c 'call.*__dvmp_row')
  [ "$told" -ge 15 ] || wrong "only $told stores of Fortran loops tell their rows"
  same 1 3 4:2x2
fi
finish
