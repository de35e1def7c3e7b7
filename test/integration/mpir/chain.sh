#!/bin/bash
# chain.sh BIN PROGRAMS THREADS STEPS LINKS [RESTART-OPTION...]: LINKS times checkpoint, kill -9, restart; the result must be that of
# an undisturbed run.  Moments are random; the seed is printed and taken from SEED.
BIN=$1 PROGRAMS=$2 THREADS=$3 STEPS=$4 LINKS=$5
shift 5
. "$(dirname "$0")/lib.sh"
need_restart
RANDOM=${SEED:=$((RANDOM * 32768 + RANDOM))}
echo "seed $SEED"
TIMEFORMAT='%U %S'
{ time expected=$("$PROGRAMS/mpir_mix" "$THREADS" "$STEPS" "$WORK/file.ref" 2> /dev/null); } 2> "$WORK/times"
total=$(awk '{ printf "%d", ($1 + $2) * 1000 }' "$WORK/times")
[ -n "$expected" ] || fail "the undisturbed run gives no result"

start run "$PROGRAMS/mpir_mix" "$THREADS" "$STEPS" "$WORK/file"
wait_for 60 has ready "$WORK/run.err" || fail "the program does not start"
first=$PID
WAITER=$PID
links=0
for ((i = 1; i <= LINKS; i++)); do
  QUOTA=$((RANDOM % (total / LINKS / 3 + 1))) # of each life's processor time: other work on the machine does not change the moment
  wait_for 60 worked || fail "link $i: it does not go on (seed $SEED)"
  if ! checkpoint --kill "$PID"; then
    gone "$PID" && break # it has ended before: its result is judged below
    fail "link $i: no checkpoint (seed $SEED)"
  fi
  wait "$WAITER" 2> /dev/null
  wait_for 60 gone "$PID" || fail "process $PID does not end"
  restart "run$i" "$@" || fail "link $i: no restart"
  wait_for 60 running mpir_mix || { cat "$WORK/run$i.err" >&2; fail "link $i: it does not run again (seed $SEED)"; }
  [ "$PID" = "$first" ] || fail "link $i: process $PID, not $first"
  links=$i
done
wait "$WAITER"
status=$?
[ $status = 42 ] || { cat "$WORK"/run*.err >&2; fail "exit status $status, not 42 (seed $SEED)"; }
actual=$(cat "$WORK/run.out")
[ "$actual" = "$expected" ] || fail "result differs after $links links (seed $SEED): '$actual', expected '$expected'"
cmp "$WORK/file" "$WORK/file.ref" || fail "the program's file differs (seed $SEED)"
note "$links links with $THREADS threads: $actual"
[ "$links" = "$LINKS" ] || fail "only $links of $LINKS links (seed $SEED)"
