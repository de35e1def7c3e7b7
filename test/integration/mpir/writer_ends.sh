#!/bin/bash
# writer_ends.sh BIN PROGRAMS: the answer comes before the copy that wrote the image has ended.  Whoever kills the process then, and restarts it, finds
# nothing held by the copy: not the numbers of session and group, no port, no lock, no pipe.
BIN=$1 PROGRAMS=$2
. "$(dirname "$0")/lib.sh"
need_restart
[ -x /usr/bin/python3 ] && command -v setsid > /dev/null || { echo "skipped: needs python3 and setsid"; exit 77; }

cat > "$WORK/holds.py" << 'P'
import fcntl, os, signal, socket, sys
listening = socket.socket()
listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
listening.bind(("127.0.0.1", 0))
listening.listen()
locked = open(sys.argv[1], "w")
fcntl.flock(locked, fcntl.LOCK_EX | fcntl.LOCK_NB)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
os.write(1, b"ready %d\n" % os.getpid())
before = listening.getsockname()
signal.sigwait({signal.SIGUSR1})
again = socket.create_connection(before, 5)
listening.accept()
print("as before" if listening.getsockname() == before and os.getsid(0) == os.getpgid(0) == os.getpid() else "differs", flush=True)
P
wrote() { # PROCESS: the copy that stands; its number in WRITER
  local p
  for p in /proc/[0-9]*; do
    [ "$(cat "$p/comm")" = dvm-cr-write ] && is_ours "${p##*/}" && grep -q "^State:.T" "$p/status" && WRITER=${p##*/} && return
  done
  return 1
}

cd "$WORK" || exit
mkfifo out
cat out > "$WORK/run.out" & READER=$!
DVM_FAULT=stop:writer-ends@1 setsid "$BIN/dvm-run" --checkpointable /usr/bin/python3 "$WORK/holds.py" "$WORK/lock" > out 2> "$WORK/run.err" &
STARTED+=("$!" "$READER")
wait_for 30 has "ready" "$WORK/run.out" || { cat "$WORK/run.err" >&2; fail "it does not start"; }
PID=$(sed -n 's/^ready //p' "$WORK/run.out")
STARTED+=("$PID")
checkpoint --no-sync "$PID" || fail "no checkpoint"
wait_for 20 wrote || fail "no copy stands there"
STARTED+=("$WRITER")
"$BIN/dvm-checkpoint" inspect --no-backtraces "$IMAGE" > "$WORK/inspect.out" 2>&1 || { cat "$WORK/inspect.out" >&2; fail "answered, and the image is not whole"; }
note "answered before the copy has ended"

[ -z "$(ls -A "/proc/$WRITER/fd")" ] || fail "the copy holds descriptors: $(ls -l "/proc/$WRITER/fd")"
[ "$(readlink "/proc/$WRITER/cwd")" = / ] || fail "the copy stands in $(readlink "/proc/$WRITER/cwd")"
kill_process "$PID"
wait_for 20 gone "$READER" || fail "the copy keeps the pipe open"
note "who reads its output sees the end"

[ -e "/proc/$PID" ] && { note "restart: skipped, nobody reaps orphans here"; exit 0; }
cat out > "$WORK/run.out" & STARTED+=("$!")
setsid -w "$BIN/dvm-restart" "$IMAGE" > out 2> "$WORK/again.err" &
WAITER=$!
STARTED+=("$WAITER")
is_back() { [ "$(cat "/proc/$PID/comm")" = python3 ]; }
wait_for 20 is_back || { cat "$WORK/again.err" >&2; fail "does not run again while the copy is there"; }
kill -USR1 "$PID"
wait "$WAITER" || { cat "$WORK/again.err" >&2; fail "status $?"; }
wait_for 20 has "as before" "$WORK/run.out" || { cat "$WORK/again.err" "$WORK/run.out" >&2; fail "not as before"; }
[ ! -s "$WORK/again.err" ] || { cat "$WORK/again.err" >&2; fail "something is said"; }
note "restarted with its numbers, port and lock while the copy is there"
