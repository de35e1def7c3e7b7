#!/bin/bash
# scenarios.sh BIN PROGRAMS THREADS: the four scenarios of a debugger before and after a checkpoint, each with the state of the
# MPIR variables that table 5.2 of Hursey's thesis asks for (docs/checkpoint-debugging.md), the threads' positions, and the right result.
BIN=$1 PROGRAMS=$2 THREADS=$3
. "$(dirname "$0")/lib.sh"
need_restart
COMMANDS=$(cd "$(dirname "$0")/../../../mpir/gdb" && pwd)/dvm_checkpoint.py
STATES=$(cd "$(dirname "$0")" && pwd)/states.py
LIMIT=3000000
export DVMCR_BINDIR=$BIN
PRELOAD=$(ls "$BIN"/../sdm/libdvmgdb.so 2>/dev/null) # gdb 13 cannot call functions where processors have AMX

debug() { # NAME COMMAND...: gdb with our commands; output in NAME.gdb
  local name=$1 arguments=(); shift
  for c in "$@"; do arguments+=(-ex "$c"); done
  LD_PRELOAD=$PRELOAD timeout -k 5 60 gdb -nx -q -batch -iex "set debuginfod enabled off" -iex "set pagination off" -x "$COMMANDS" -x "$STATES" \
    "${arguments[@]}" > "$WORK/$name.gdb" 2>&1 < /dev/null
  grep -q "Error\|Traceback\|warning: threads have moved" "$WORK/$name.gdb" && { cat "$WORK/$name.gdb" >&2; fail "$name: gdb"; }
  return 0
}

line() { grep "^$2" "$WORK/$1.gdb" | tail -n 1; } # NAME PREFIX
expect() { # NAME TEXT
  [ "$(line "$1" STATE)" = "STATE checkpointable=1 $2" ] || { cat "$WORK/$1.gdb" >&2; fail "$1: '$(line "$1" STATE)', not '$2'"; }
  note "$1: $2"
}
same() { # PREFIX NAME NAME
  [ -n "$(line "$2" "$1")" ] && [ "$(line "$2" "$1")" = "$(line "$3" "$1")" ] ||
    { line "$2" "$1"; line "$3" "$1"; fail "$1 of $3 is not that of $2"; } >&2
}
# Ends the process of NAME: that it runs to the right end shows that no thread was lost.
right_end() {
  kill -USR1 "$PID" # it need not be slow any more
  wait "$WAITER" || fail "$1: status $?"
  has "^sum $((THREADS * LIMIT))$" "$WORK/run.out" || fail "$1: the result is wrong: $(cat "$WORK/run.out")"
  : > "$WORK/run.out"
  note "$1: right result"
}

start run "$PROGRAMS/mpir_steps" "$THREADS" "$LIMIT" 50000
wait_for 20 has ready "$WORK/run.err" || fail "it does not start"
original=$PID

# The symbols of the interface, exported, and the commands complete (figure 5.11 there).
for symbol in checkpointable debug_with_checkpoint checkpoint_debug_gate checkpoint_debugger_detach checkpoint_debugger_waitpoint \
  checkpoint_debugger_breakpoint checkpoint_debugger_crs_hook checkpoint_command restart_command checkpoint_listing_command controller_hostname; do
  nm -D "$BIN/libdvmcr.so" | grep -q " [BDT] MPIR_$symbol$" || fail "MPIR_$symbol is not exported"
done
debug commands "attach $PID" "print MPIR_checkpoint_command" "print MPIR_restart_command" "print MPIR_checkpoint_listing_command" \
  "print MPIR_controller_hostname" "print MPIR_checkpoint_debugger_detach()"
for text in "\"$BIN/dvm-checkpoint --crdebug $PID\"" "\"$BIN/dvm-restart --crdebug\"" "\"$BIN/dvm-checkpoint -l --crdebug '$DVMCR_DIR'\"" \
  "\"$(uname -n)" "= 0$\|Couldn't write extended state status"; do # a gdb older than the processor cannot call functions
  has "$text" "$WORK/commands.gdb" || { cat "$WORK/commands.gdb" >&2; fail "gdb does not see $text"; }
done

# 1: no debugger, no debugger.
debug before "attach $PID" mpir-state
expect before "with=0 gate=0 waiting=0/$THREADS"
checkpoint "$PID" || fail "no checkpoint"
plain=$IMAGE
debug continued "attach $PID" mpir-state
expect continued "with=0 gate=1 waiting=0/$THREADS"
kill_process "$PID"
debug core "file $PROGRAMS/mpir_steps" "core-file $plain" mpir-state
restart again
wait_for 20 running mpir_steps || fail "it does not run again"
debug scenario1 "attach $PID" mpir-state
expect scenario1 "with=0 gate=1 waiting=0/$THREADS"
right_end scenario1

# 2: no debugger, debugger.
restart again --debug
wait_for 20 has "MPIR_debug_info) $(uname -n):$original$" "$WORK/again.err" || fail "scenario 2: no debug info"
PID=$original
debug waiting "attach $PID" mpir-state
expect waiting "with=1 gate=0 waiting=$THREADS/$THREADS"
same COUNTS core waiting
debug scenario2 "python attach_and_release($PID)" mpir-state "set variable MPIR_debug_with_checkpoint = 0" detach
expect scenario2 "with=1 gate=0 waiting=0/$THREADS"
same PCS core scenario2
same COUNTS core scenario2
right_end scenario2

# 3: debugger, debugger.  The program is stopped at a breakpoint when it is saved; it is set again after the restart.
restart again
wait_for 20 running mpir_steps || fail "it does not run again"
debug held "file $PROGRAMS/mpir_steps" "attach $PID" "break -source steps.c -function step if self == 0" continue \
  "python print('PID', gdb.selected_inferior().pid)" mpir-state "checkpoint-save --all-files" mpir-state kill
handle=$(sed -n 's/^MPIR_checkpoint_handle) //p' "$WORK/held.gdb")
[ -s "$handle" ] && [ -s "$handle.breakpoints" ] || { cat "$WORK/held.gdb" >&2; fail "no image of a stopped program"; }
expect held "with=1 gate=0 waiting=0/$THREADS"
has "^MPIR_debug_info) $(uname -n):$original$" "$WORK/run.err" || fail "scenario 3: the continuing process does not tell that it may be attached"
[ "$(grep "^PCS" "$WORK/held.gdb" | uniq | wc -l)" = 1 ] || { grep "^PCS" "$WORK/held.gdb" >&2; fail "positions differ after the checkpoint"; }
wait_for 20 gone "$PID"
wait "$WAITER" 2> /dev/null
debug heldcore "file $PROGRAMS/mpir_steps" "core-file $handle" mpir-state
expect heldcore "with=1 gate=0 waiting=$THREADS/$THREADS"
same PCS held heldcore
"$PROGRAMS/mpir_textcheck" "$handle" || fail "scenario 3: a debugger's traces are in the image"
debug scenario3 "file $PROGRAMS/mpir_steps" \
  "python default_commands.update(restart='$BIN/dvm-restart --crdebug', list='$BIN/dvm-checkpoint -l --crdebug')" \
  checkpoint-list "checkpoint-restart $handle" mpir-state continue "print counts[0]" kill
expect scenario3 "with=1 gate=0 waiting=0/$THREADS"
grep -q "^MPIR_checkpoint_handle) $handle$" "$WORK/scenario3.gdb" || fail "scenario 3: the image is not listed"
same PCS held scenario3
same COUNTS held scenario3
grep -q "\(hit \|^\)Breakpoint 1, step" "$WORK/scenario3.gdb" || { cat "$WORK/scenario3.gdb" >&2; fail "scenario 3: the breakpoint is not set again"; }
wait_for 20 gone "$original" || fail "scenario 3: the process does not end"

# 4: debugger, no debugger: the same image.
IMAGE=$handle
restart again
wait_for 20 running mpir_steps || fail "it does not run again"
debug scenario4 "attach $PID" mpir-state
expect scenario4 "with=0 gate=1 waiting=0/$THREADS"
right_end scenario4

# Taken under a debugger that stays attached, with its breakpoint in the code.
restart again
wait_for 20 running mpir_steps || fail "it does not run again"
mkfifo "$WORK/fifo"
timeout -k 5 60 gdb -nx -q -batch -iex "set debuginfod enabled off" -x "$COMMANDS" -p "$PID" -ex "python pass_signals()" \
  -ex "handle SIGUSR1 nostop noprint pass"   -ex "break -source steps.c -function main" -ex "shell echo set > $WORK/fifo" -ex continue > "$WORK/attached.gdb" 2>&1 < /dev/null &
gdb=$!
STARTED+=("$gdb")
read -r _ < "$WORK/fifo"
wait_for 20 is_running "$PID"
checkpoint --allow-traced --all-files "$PID" || fail "no checkpoint under a debugger"
"$PROGRAMS/mpir_textcheck" "$IMAGE" || fail "a breakpoint is in the image"
right_end "under a debugger"
wait "$gdb"
restart again
wait_for 20 running mpir_steps || fail "it does not run again"
right_end "from the image taken under it"
