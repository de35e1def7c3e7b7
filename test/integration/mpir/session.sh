#!/bin/bash
# session.sh BIN PROGRAMS: session, process group and the terminal's foreground group of a process that is saved alone: as before where they can be,
# else said.
BIN=$1 PROGRAMS=$2
. "$(dirname "$0")/lib.sh"
need_restart

saved() { # PID is set from what the program says
  wait_for 20 has "ready" "$WORK/run.err" || { cat "$WORK/run.err" >&2; fail "it does not start"; }
  PID=$(sed -n 's/^ready //p' "$WORK/run.err")
  checkpoint --no-sync --kill "$PID" || fail "no checkpoint"
  wait_for 20 gone "$PID" || fail "it does not end"
}
# again WHAT EXPECTED NOTICE COMMAND...: COMMAND, then "dvm-restart IMAGE", runs it again.
again() {
  local what=$1 expected=$2 notice=$3; shift 3
  : > "$WORK/run.out"
  "$@" "$BIN/dvm-restart" "$IMAGE" > "$WORK/again.out" 2> "$WORK/again.err" &
  WAITER=$!
  STARTED+=("$WAITER")
  wait_for 20 is_running_again || { cat "$WORK/again.err" >&2; fail "$what: does not run again"; }
  kill -USR1 "$PID"
  wait_for 20 has session "$WORK/run.out" || { cat "$WORK/again.err" >&2; fail "$what: does not end"; }
  [ "$(cat "$WORK/run.out")" = "$expected" ] || { cat "$WORK/again.err" >&2; fail "$what: $(cat "$WORK/run.out")"; }
  if [ "$notice" ]; then has "note: the process was in $notice" "$WORK/again.err" || { cat "$WORK/again.err" >&2; fail "$what: not said: $notice"; }
  else ! has "note: the process was" "$WORK/again.err" || { cat "$WORK/again.err" >&2; fail "$what: something is said"; }; fi
  note "$what"
}
is_running_again() { [ "$(cat "/proc/$PID/comm")" = mpir_session ]; }

# As one of a script: its session and group are there.
start run "$PROGRAMS/mpir_session"
saved
again "beside the script" "session same, group same, terminal none" ""
if command -v setsid > /dev/null; then
  again "in another session" "session differs, group differs, terminal none" ".*session.*, and is now in that of this command" setsid -w
  # A leader.
  : > "$WORK/run.err"
  setsid -w "$BIN/dvm-run" --checkpointable "$PROGRAMS/mpir_session" > "$WORK/run.out" 2> "$WORK/run.err" &
  STARTED+=("$!")
  saved
  again "the leader of a session" "session same, group same, terminal none" ""
  # A daemon: whoever began the session has ended.
  : > "$WORK/run.err"
  setsid bash -c "'$BIN/dvm-run' --checkpointable '$PROGRAMS/mpir_session' > '$WORK/run.out' 2> '$WORK/run.err' & exit" < /dev/null
  saved
  [ -e "/proc/$PID" ] && note "a daemon: skipped, nobody reaps orphans here" || again "a daemon" "session same, group same, terminal none" ""
fi

[ -x /usr/bin/python3 ] || exit 0
# On a terminal, as a job in the foreground.
cat > "$WORK/job.py" << 'P'
import os, pty, signal, sys
pid, fd = pty.fork()
if pid == 0:  # the shell
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        err = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        out = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(out, 1)
        os.dup2(err, 2)
        os.execv(sys.argv[3], sys.argv[3:])
    os.waitpid(job, 0)
    os._exit(0)
try:
    while os.read(fd, 100):
        pass
except OSError:
    pass
os.waitpid(pid, 0)
P
: > "$WORK/run.err"; : > "$WORK/run.out"
/usr/bin/python3 "$WORK/job.py" "$WORK/run.err" "$WORK/run.out" "$BIN/dvm-run" --checkpointable "$PROGRAMS/mpir_session" &
STARTED+=("$!")
saved
wait
again "a job in the foreground" "session differs, group same, terminal same" "" /usr/bin/python3 "$WORK/job.py" "$WORK/job.err" "$WORK/job.out"
has "was in session" "$WORK/job.err" || fail "another session is not said"
