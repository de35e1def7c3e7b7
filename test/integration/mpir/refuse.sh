#!/bin/bash
# refuse.sh BIN PROGRAMS: what cannot be saved is refused by name, all of it in one list; the process is unharmed and no file
# is left.
BIN=$1 PROGRAMS=$2
. "$(dirname "$0")/lib.sh"

nothing_left() { [ -z "$(ls -A "$DVMCR_DIR")" ] || fail "$1: left in the folder: $(ls -A "$DVMCR_DIR")"; }

# refused WHAT TEXT... -- COMMAND...: COMMAND fails and says every TEXT.
refused() {
  local what=$1 texts=(); shift
  while [ "$1" != -- ]; do texts+=("$1"); shift; done
  shift
  "$@" > "$WORK/refused.out" 2> "$WORK/refused.err" && fail "$what: not refused"
  for text in "${texts[@]}"; do
    grep -q -e "$text" "$WORK/refused.err" || { cat "$WORK/refused.err" >&2; fail "$what: the message lacks '$text'"; }
  done
  nothing_left "$what"
  note "$what: $(head -n 4 "$WORK/refused.err" | tr '\n' ' ')"
}

ALONE= # or --alone
# kind KIND TEXT...
kind() {
  local what=$1; shift
  start "$what" "$PROGRAMS/mpir_refuse" "$what"
  wait_for 20 has ready "$WORK/$what.err" || fail "$what does not start"
  refused "$what" "$@" -- "$BIN/dvm-checkpoint" $ALONE --timeout 300 "$PID"
  refused "$what again" "$@" -- "$BIN/dvm-checkpoint" $ALONE --timeout 300 "$PID"
  kill -0 "$PID" || fail "$what: the process is gone"
  kill_process "$PID"
}

kind socket "descriptor [0-9]*: a socket of this family cannot be restored"
kind queue "cannot be restored: '/dvm-refuse"
kind sysv "a part of System V shared memory '/SYSV"
"$PROGRAMS/mpir_refuse" has-secret && kind secret "'/secretmem"
kind strict "thread [0-9]* is in the strict mode of seccomp"
kind unseen "has a seccomp filter that was not installed through libc"
kind forbids "has a seccomp filter that does not permit 'sched_getattr'"
ALONE=--alone
kind child "child processes: [0-9]"
kind both "child processes: [0-9]" "a socket of this family cannot be restored"
ALONE=
kind both "a socket of this family cannot be restored"
kind blocked "not stopped within 300 ms: thread [0-9]* 'mpir_refuse' (blocks the stop signal)"

start shared "$PROGRAMS/mpir_refuse" shared
wait_for 20 has "child [0-9]" "$WORK/shared.err" || fail "it does not start"
refused "memory shared with another process" "memory '/dev/zero (deleted)' is shared with process $PID" -- \
  "$BIN/dvm-checkpoint" "$(sed -n 's/child //p' "$WORK/shared.err")"
kill_process "$PID"

# A connection that leads out is refused, or broken at the restart.
start outside "$PROGRAMS/mpir_refuse" outside
wait_for 20 has "child [0-9]" "$WORK/outside.err" || fail "it does not start"
CHILD=$(sed -n 's/child //p' "$WORK/outside.err")
refused "a socket that leads out" "descriptor [0-9]*: a socket whose other end is in a process that is not saved cannot be restored (--sockets=reset" -- \
  "$BIN/dvm-checkpoint" "$CHILD"
checkpoint --sockets=reset --kill -o "$WORK/reset" "$CHILD" || fail "--sockets=reset does not allow it"
kill_process "$PID"
wait_for 10 gone "$CHILD" || fail "the child does not end"
"$BIN/dvm-restart" --detach "$WORK/reset" 2> "$WORK/reset.err" || { cat "$WORK/reset.err" >&2; fail "the child with a broken connection does not run"; }
wait_for 10 has "read: Connection reset by peer" "$WORK/outside.err" || { cat "$WORK/outside.err" >&2; fail "the connection is not reset"; }
rm "$WORK/reset"
note "a connection that is broken"

start without bash -c "$PROGRAMS/mpir_plain_static 1 100000000 & wait"
wait_for 20 has ready "$WORK/without.err" || fail "it does not start"
refused "a child without the checkpointer" "of process $PID and its children: process [0-9]* 'mpir_plain_stat' is not checkpointable" -- \
  "$BIN/dvm-checkpoint" "$PID"
for child in $(cat /proc/$PID/task/$PID/children); do STARTED+=("$child"); done
kill_process "$PID"

exec 9> >(cat)
start pipe bash -c "exec $PROGRAMS/mpir_refuse none 7>&9 9>&-"
exec 9>&-
wait_for 20 has ready "$WORK/pipe.err" || fail "it does not start"
refused "a pipe that leads out" "descriptor 7: the pipe's other end is in a process that is not saved" "help: .*--ignore-files" -- "$BIN/dvm-checkpoint" "$PID"
kill_process "$PID"

start traced "$PROGRAMS/mpir_refuse" none
wait_for 20 has ready "$WORK/traced.err" || fail "it does not start"
refused "traced" "a debugger is attached" -- "$PROGRAMS/mpir_refuse" trace "$PID" "$BIN/dvm-checkpoint" "$PID"
"$PROGRAMS/mpir_refuse" trace "$PID" "$BIN/dvm-checkpoint" --allow-traced -o "$WORK/traced" "$PID" > /dev/null 2>&1 ||
  fail "--allow-traced does not allow it"
note "traced, allowed"
kill_process "$PID"

start ignored "$PROGRAMS/mpir_refuse" queue
wait_for 20 has ready "$WORK/ignored.err" || fail "it does not start"
checkpoint --ignore-files -o "$WORK/ignored" "$PID" || fail "--ignore-files does not ignore it"
kill_process "$PID"

sleep 100 &
STARTED+=($!)
refused "another program" "process $! is not checkpointable" -- "$BIN/dvm-checkpoint" $!
kill -9 $!
wait $! 2> /dev/null
refused "no process" "there is no process $!" -- "$BIN/dvm-checkpoint" $!
refused "no number" "'a b' is not a process number" -- "$BIN/dvm-checkpoint" 'a b'

# A thread under a real-time policy must not run without it.
without() { setpriv --bounding-set=-"$1" --inh-caps=-"$1" "${@:2}"; }
if [ "$(id -u)" = 0 ] && without sys_nice true 2> /dev/null; then
  "$PROGRAMS/mpir_settings" "$WORK/settings" > "$WORK/settings.out" 2>&1 &
  wait $! 2> /dev/null
  [ -s "$WORK/settings" ] || { cat "$WORK/settings.out" >&2; fail "mpir_settings is not saved"; }
  refused "a real-time policy without privilege" "scheduling policy (which needs CAP_SYS_NICE) of thread [0-9]*: Operation not permitted" -- \
    without sys_nice "$BIN/dvm-restart" "$WORK/settings"
fi
