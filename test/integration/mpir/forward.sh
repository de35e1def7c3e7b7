#!/bin/bash
# forward.sh BIN PROGRAMS: callbacks add processes to the checkpoint under way, which become a set with theirs and are restarted with it.
BIN=$1 PROGRAMS=$2
. "$(dirname "$0")/lib.sh"
need_restart
program=$PROGRAMS/mpir_blcr_forward

# begun NAME ARGUMENT...: one that is ready.
begun() {
  local name=$1; shift
  start "$name" "$program" "$name" "$@"
  wait_for 20 has ready "$WORK/$name.err" || { cat "$WORK/$name.err" >&2; fail "$name does not start"; }
}
members() { grep -c '^member' "$IMAGE/set"; }
# again NAME..: the processes of IMAGE run again, and each says so.
again() {
  for name; do : > "$WORK/$name.out"; done
  restart again
  wait "$WAITER" || { cat "$WORK/again.err" >&2; fail "$*: status $?"; }
  for name; do
    wait_for 20 has "$name runs again" "$WORK/$name.out" || { cat "$WORK/again.err" >&2; fail "$name does not run again"; }
  done
}

for context in thread signal; do
  begun second; second=$PID
  begun third; third=$PID
  begun first "$context" 0 "$second" "$third" "$second"
  checkpoint --kill "$PID" || fail "$context: no checkpoint"
  [ "$(members)" = 3 ] || { cat "$IMAGE/set" >&2; fail "$context: not three processes"; }
  for p in "$PID" "$second" "$third"; do wait_for 20 gone "$p" || fail "$context: $p runs on"; wait "$p" 2> /dev/null; done
  again first second third
  note "from a callback in $context context"
done

# One hands on to the next, and back; each is saved once.
begun third; third=$PID
begun second thread 3 "$third"; second=$PID
begun first thread 3 "$second"
checkpoint --kill "$PID" || fail "handed on: no checkpoint"
[ "$(members)" = 3 ] || fail "handed on: not three processes"
for p in "$PID" "$second" "$third"; do wait_for 20 gone "$p"; wait "$p" 2> /dev/null; done
again first second third
note "handed on"

# Itself alone: the checkpoint of one process.
begun only signal 3 0
checkpoint --kill "$PID" || fail "itself: no checkpoint"
[ -f "$IMAGE" ] || fail "itself: a set"
wait "$PID" 2> /dev/null
again only
note "itself"

# Nobody there, nothing checkpointable: refused, and all go on.
begun refused thread 0 999999
checkpoint "$PID" 2> /dev/null && fail "forwarded to nobody"
has "No such process" "$WORK/refused.err" || fail "forwarded to nobody: $(cat "$WORK/refused.err")"
kill_process "$PID"
sleep 1000 & sleeper=$!
STARTED+=("$sleeper")
begun refused thread 0 "$sleeper"
checkpoint "$PID" 2> /dev/null && fail "forwarded to one that is not checkpointable"
has "process $sleeper 'sleep' is not checkpointable" "$WORK/checkpoint.err" || fail "not checkpointable: $(cat "$WORK/checkpoint.err")"
[ "$(is_running "$PID" && echo runs)" ] || fail "the process does not go on"
kill_process "$PID"
note "refused"
