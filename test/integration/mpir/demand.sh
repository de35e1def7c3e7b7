#!/bin/bash
# demand.sh BIN PROGRAMS: programs with one thread have no helper thread but while they are saved, and can be saved all the same.
BIN=$1 PROGRAMS=$2
. "$(dirname "$0")/lib.sh"
need_restart

runs_or_not() { running mpir_demand || left_behind; }
permitted=done
unshare -U true 2> /dev/null || permitted="not permitted"
for kind in memory closed fork sleep; do
  start run "$PROGRAMS/mpir_demand" $kind
  wait_for 20 has ready "$WORK/run.err" || fail "$kind: it does not start"
  [ "$(ls "/proc/$PID/task" | wc -l)" = 1 ] || fail "$kind: it has another thread before anybody asks"
  WAITER=$PID
  for round in 1 2; do
    for ((i = 0; i < 6; i++)); do
      checkpoint --no-sync "$PID" || fail "$kind: checkpoint $i of round $round"
    done
    checkpoint --no-sync --kill "$PID" || fail "$kind: last checkpoint of round $round"
    wait "$WAITER" 2> /dev/null
    wait_for 10 gone "$PID" || fail "$kind: it does not end"
    restart again
    wait_for 20 runs_or_not || { cat "$WORK/again.err" "$WORK/run.out" >&2; fail "$kind: it does not run again"; }
    left_behind && note "$kind: ends early, the numbers of its children are taken" && continue 2
  done
  kill -USR1 "$PID"
  wait "$WAITER" || { cat "$WORK/again.err" "$WORK/run.out" >&2; fail "$kind: status $?"; }
  [ "$(cat "$WORK/run.out")" = "whole, 1 thread, unshare(CLONE_NEWUSER): $permitted" ] || fail "$kind: $(cat "$WORK/run.out")"
  note "$kind"
done

start run "$PROGRAMS/mpir_demand" blocked
wait_for 20 has ready "$WORK/run.err" || fail "blocked: it does not start"
checkpoint --timeout 300 "$PID" 2> "$WORK/refused" && fail "blocked: it was saved"
has "not stopped within 300 ms: thread $PID 'mpir_demand' (blocks the stop signal)" "$WORK/refused" || { cat "$WORK/refused" >&2; fail "blocked: another reason"; }
grep -q "^State:.R" "/proc/$PID/status" || fail "blocked: it does not go on"
note "blocked: refused by name, and it goes on"
