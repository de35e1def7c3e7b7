#!/bin/bash
# gate.sh BIN PROGRAMS: no thread waits in the gate for a debugger that has left: after a plain detach, after its death, and when it dies
# while it holds the threads.  Checkpoints that others ask for go on, are refused, or come by themselves; the result is right each time.
BIN=$1 PROGRAMS=$2
. "$(dirname "$0")/lib.sh"
COMMANDS=$(cd "$(dirname "$0")/../../../mpir/gdb" && pwd)/dvm_checkpoint.py
export DVMCR_BINDIR=$BIN
THREADS=4 LIMIT=2000000

debug() { # COMMAND...
  local arguments=()
  for c in "$@"; do arguments+=(-ex "$c"); done
  timeout -k 5 60 gdb -nx -q -batch -iex "set debuginfod enabled off" -x "$COMMANDS" "${arguments[@]}" > "$WORK/gdb.out" 2>&1 < /dev/null
}
begin() { # NAME [OPTION...]
  local name=$1; shift
  : > "$WORK/$name.err"
  "$BIN/dvm-run" --checkpointable "$@" "$PROGRAMS/mpir_steps" $THREADS $LIMIT 20000 > "$WORK/$name.out" 2> "$WORK/$name.err" &
  PID=$!
  STARTED+=("$PID")
  wait_for 20 has ready "$WORK/$name.err" || fail "$name: it does not start"
}
saved_by_gdb() { # NAME LAST-COMMAND
  debug "attach $PID" checkpoint-save "$2"
  grep -q "^MPIR_checkpoint_handle)" "$WORK/gdb.out" || { cat "$WORK/gdb.out" >&2; fail "$1: gdb does not save"; }
}
ends_well() { # NAME
  kill -USR1 "$PID"
  wait_for 60 gone "$PID" || { grep -h "^Name\|^State" /proc/$PID/task/*/status; fail "$1: threads wait for ever"; } >&2
  wait "$PID" || fail "$1: status $?"
  has "^sum $((THREADS * LIMIT))$" "$WORK/$1.out" || fail "$1: the result is wrong: $(cat "$WORK/$1.out")"
  note "$1"
}

begin detached
saved_by_gdb detached detach
checkpoint "$PID" || fail "detached: no checkpoint"
ends_well detached

begin killed
saved_by_gdb killed "python os.kill(os.getpid(), 9)"
checkpoint "$PID" || fail "killed: no checkpoint"
ends_well killed

begin refused
saved_by_gdb refused detach
checkpoint --output /dev/null "$PID" 2> /dev/null && fail "refused: a checkpoint into a device"
ends_well refused

begin periodic --checkpoint-every 1
saved_by_gdb periodic detach
count=$(ls "$DVMCR_DIR" | grep -c "steps-$PID-.*ckpt$")
more() { [ "$(ls "$DVMCR_DIR" | grep -c "steps-$PID-.*ckpt$")" -gt "$count" ]; }
wait_for 20 more || fail "periodic: no further image" # one that nobody asked for
ends_well periodic

# The debugger dies with the threads held, before it asks for the checkpoint, and right after that.
begin holding
debug "attach $PID" "python hold_and_detach()" "python os.kill(os.getpid(), 9)"
ends_well holding
begin asking
debug "attach $PID" "python command = string('MPIR_checkpoint_command')" "python hold_and_detach()" "python take(command)" \
  "python os.kill(os.getpid(), 9)"
ends_well asking

# One that stays attached and does not come back to the threads, since it never left.
begin attached
mkfifo "$WORK/fifo"
timeout -k 5 60 gdb -nx -q -batch -iex "set debuginfod enabled off" -x "$COMMANDS" -p "$PID" -ex checkpoint-save \
  -ex "handle SIGUSR1 nostop noprint pass" -ex "shell echo set > $WORK/fifo" -ex continue > "$WORK/gdb.out" 2>&1 < /dev/null &
gdb=$!
STARTED+=("$gdb")
read -r _ < "$WORK/fifo"
wait_for 20 is_running "$PID" || true
checkpoint --allow-traced "$PID" || fail "attached: no checkpoint"
ends_well attached
wait "$gdb"
