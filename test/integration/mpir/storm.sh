#!/bin/bash
# storm.sh BIN PROGRAMS KIND [CYCLES [RESTART-OPTION...]]: a program that does one thing all the time from several threads, through chained restarts.
BIN=$1 PROGRAMS=$2 KIND=$3 CYCLES=${4:-6}
shift $(($# > 4 ? 4 : $#))
. "$(dirname "$0")/lib.sh"
need_restart

is_stopped() { grep -q "^State:.T" "/proc/$PID/status"; }
# Below the command that waits: in a namespace there are two processes between.
runs_storm() {
  local p=$WAITER
  while p=$(cut -d ' ' -f 1 "/proc/$p/task/$p/children" 2> /dev/null) && [ -n "$p" ]; do
    [ "$(cat "/proc/$p/comm" 2> /dev/null)" = mpir_storm ] && PID=$p && return
  done
  return 1
}
ended() { local p; for p in $CHILDREN; do gone "$p" || return 1; done; }
# With what it has started.
end_it() {
  kill -STOP "$PID" 2> /dev/null && wait_for 20 is_stopped || return 1
  CHILDREN=$(cat "/proc/$PID/task"/*/children 2> /dev/null)
  kill -9 "$PID" $CHILDREN 2> /dev/null
  wait "$WAITER" 2> /dev/null
  wait_for 20 ended
}

start run "$PROGRAMS/mpir_storm" "$KIND" "$WORK"
wait_for 20 has ready "$WORK/run.err" || fail "it does not start"
WAITER=$PID
for ((i = 1; i <= CYCLES; i++)); do
  QUOTA=$(($(used) + 100)) # it works between the checkpoints, however busy the machine is
  wait_for 60 worked || fail "cycle $i: it does not go on"
  for k in 1 2; do
    checkpoint --no-sync "$PID" || { cat "$WORK"/*.err >&2; fail "cycle $i: no checkpoint"; }
  done
  end_it || { cat "$WORK"/*.err >&2; fail "cycle $i: it has ended"; }
  restart again "$@"
  wait_for 20 runs_storm || { cat "$WORK"/*.err >&2; fail "cycle $i: it does not run again"; }
done
QUOTA=$(($(used) + 100))
wait_for 60 worked
kill -USR1 "$PID"
wait "$WAITER"
status=$?
[ $status = 0 ] || { cat "$WORK"/*.err >&2; fail "status $status"; }
has "^whole$" "$WORK/run.out" || fail "$KIND: $(cat "$WORK/run.out")"
note "$KIND: whole after $CYCLES restarts"
