#!/bin/bash
# inherit.sh BIN PROGRAMS: children that are forked while images are made have no descriptor of the checkpointer's.
BIN=$1 PROGRAMS=$2
. "$(dirname "$0")/lib.sh"

start run "$PROGRAMS/mpir_inherit" "$WORK/image"
wait "$PID" || { sort "$WORK/run.err" | uniq -c >&2; fail "children have more than theirs"; }
has "^whole$" "$WORK/run.out" || fail "$(cat "$WORK/run.out")"
note "$(cat "$WORK/run.err")"
