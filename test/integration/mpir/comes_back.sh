#!/bin/bash
# comes_back.sh BIN PROGRAMS: a gdb of ours that was on its way back when a checkpoint began is asked to let go once more; the checkpoint is taken.
# One that is not ours refuses it.
BIN=$1 PROGRAMS=$2
. "$(dirname "$0")/lib.sh"
begin() { # NAME-OF-THE-SERVER MILLISECONDS
  rm -rf "$WORK/at"; mkdir "$WORK/at"
  start traced "$PROGRAMS/mpir_comes_back" "$WORK/at"
  wait_for 20 has ready "$WORK/traced.out" || fail "it does not start"
  cp "$PROGRAMS/mpir_comes_back" "$WORK/$1"
  "$WORK/$1" "$WORK/at" "$PID" "$2" &
  server=$!
  STARTED+=("$server")
}
begin sdm-server 700
checkpoint "$PID" || fail "no checkpoint though our debugger lets go"
wait "$server" || fail "the process was not traced"
[ -s "$IMAGE" ] || fail "no image"
kill_process "$PID"
note "ours comes back"

begin another 1500
checkpoint "$PID" 2> "$WORK/refused" && fail "a checkpoint beside another's debugger"
has "a debugger is attached" "$WORK/refused" || fail "no reason: $(cat "$WORK/refused")"
wait "$server" || fail "the process was not traced"
checkpoint "$PID" || fail "no checkpoint when it has left"
kill_process "$PID"
note "another's refuses"
