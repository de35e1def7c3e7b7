#!/bin/bash
# storm.sh BIN PROGRAMS KIND [CYCLES [RESTART-OPTION...]]: a program that does one thing all the time from several threads, through chained restarts.
BIN=$1 PROGRAMS=$2 KIND=$3 CYCLES=${4:-6}
shift $(($# > 4 ? 4 : $#))
. "$(dirname "$0")/lib.sh"
need_restart

start run "$PROGRAMS/mpir_storm" "$KIND"
wait_for 20 has ready "$WORK/run.err" || fail "it does not start"
WAITER=$PID
for ((i = 1; i <= CYCLES; i++)); do
  QUOTA=$(($(used) + 100)) # it works between the checkpoints, however busy the machine is
  wait_for 60 worked || fail "cycle $i: it does not go on"
  for k in 1 2; do
    checkpoint --no-sync "$PID" || { cat "$WORK"/*.err >&2; fail "cycle $i: no checkpoint"; }
  done
  kill -9 "$PID" 2> /dev/null || { cat "$WORK"/*.err >&2; fail "cycle $i: it has ended"; }
  wait "$WAITER" 2> /dev/null
  restart again "$@"
  wait_for 20 running mpir_storm || { cat "$WORK/again.err" >&2; fail "cycle $i: it does not run again"; }
done
QUOTA=$(($(used) + 100))
wait_for 60 worked
kill -USR1 "$PID"
wait "$WAITER" || { cat "$WORK/again.err" >&2; fail "status $?"; }
has "^whole$" "$WORK/run.out" || fail "$KIND: $(cat "$WORK/run.out")"
note "$KIND: whole after $CYCLES restarts"
