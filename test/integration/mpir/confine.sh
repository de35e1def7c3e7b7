#!/bin/bash
# confine.sh BIN PROGRAMS: a restart that cannot give back what confined the process is refused: other groups without the right to set them,
# a program that was started under a filter restarted where there is none.  A session of its own is one again.
BIN=$1 PROGRAMS=$2
. "$(dirname "$0")/lib.sh"
need_restart
command -v setpriv > /dev/null && [ "$(id -u)" = 0 ] || { echo "skipped: needs root and setpriv"; exit 77; }

user=(setpriv --reuid=65534 --regid=65534)
chmod 711 "$WORK" && chmod 777 "$DVMCR_DIR"

# Groups: more than the restarting command has, and fewer.
begin() { # NAME COMMAND...
  local name=$1; shift
  "$@" > "$WORK/$name.out" 2> "$WORK/$name.err" &
  PID=$!
  STARTED+=("$PID")
  wait_for 20 has ready "$WORK/$name.err" || { cat "$WORK/$name.err" >&2; fail "$name: it does not start"; }
}
run=("$BIN/dvm-run" --checkpointable "$PROGRAMS/mpir_steps" 2 400000 20000)
begin groups "${user[@]}" --groups=65534,4711 "${run[@]}"
checkpoint -o "$DVMCR_DIR/groups" "$PID" || fail "groups: no checkpoint"
kill_process "$PID"
chmod 666 "$WORK/groups.out" "$WORK/groups.err"
for groups in --clear-groups --groups=65534,4711,4712; do
  "${user[@]}" "$groups" "$BIN/dvm-restart" "$DVMCR_DIR/groups" 2> "$WORK/refused.err" && fail "it runs with $groups"
  has "different supplementary groups" "$WORK/refused.err" || { cat "$WORK/refused.err" >&2; fail "$groups: another message"; }
done
"${user[@]}" --groups=65534,4711 "$BIN/dvm-restart" "$DVMCR_DIR/groups" || fail "with the same groups it does not run"
note "groups"

# The mark that no privilege can be gained, in the program alone, and of its starter.
begin mark setpriv --no-new-privs --bounding-set=-sys_time "${run[@]}"
checkpoint "$PID" || fail "mark: no checkpoint"
kill_process "$PID"
restart again
wait_for 20 running mpir_steps || fail "mark: it does not run again"
grep -q "^NoNewPrivs:.1" "/proc/$PID/status" || fail "privileges may be gained again"
grep -q "^CapBnd:.*[0-9a-f]\{8\}[0-9a-f]*" "/proc/$PID/status" || fail "no bounding set"
((16#$(sed -n 's/^CapBnd:\t*//p' "/proc/$PID/status") >> 25 & 1)) && fail "the bounding set is larger than it was"
kill_process "$PID"
note "no new privileges, bounding set"

# A session of its own; and the signals of a terminal reach it through the command.
begin session setsid -w "${run[@]}"
PID=$(cat "/proc/$PID/task/$PID/children" | tr -d ' ')
[ -n "$PID" ] || PID=$!
STARTED+=("$PID")
sid() { awk '{ sub(/.*\) /, ""); print $4 }' "/proc/$1/stat"; }
[ "$(sid "$PID")" = "$PID" ] || fail "setsid makes no session"
checkpoint "$PID" || fail "session: no checkpoint"
kill -9 "$PID"
wait_for 20 gone "$PID"
restart again
wait_for 20 running mpir_steps || fail "session: it does not run again"
[ "$(sid "$PID")" = "$PID" ] || fail "it leads no session: $(sid "$PID")"
kill -INT "$WAITER"
wait_for 20 gone "$PID" || fail "the signal does not reach it"
note "session"

# A filter of the starter, which nobody can read.
if systemd=$(command -v python3); then
  cat > "$WORK/filtered.py" << 'P'
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
code = struct.pack("HBBI", 0x06, 0, 0, 0x7fff0000)  # everything is allowed
buffer = ctypes.create_string_buffer(code)
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 1, ctypes.addressof(buffer)))
libc.prctl(38, 1, 0, 0, 0)
assert libc.prctl(22, 2, program) == 0
os.execv(sys.argv[1], sys.argv[1:])
P
  begin filtered "$systemd" "$WORK/filtered.py" "${run[@]}"
  checkpoint "$PID" || fail "filtered: no checkpoint"
  kill_process "$PID"
  "$BIN/dvm-restart" "$IMAGE" 2> "$WORK/refused.err" && fail "it runs without the filter"
  has "started under 1 seccomp filters, but this command under 0" "$WORK/refused.err" || { cat "$WORK/refused.err" >&2; fail "another message"; }
  "$systemd" "$WORK/filtered.py" "$BIN/dvm-restart" "$IMAGE" || fail "under the filter it does not run"
  note "a filter that was there before"
fi

# A child that is forked while another thread installs a filter installs its own.
"$BIN/dvm-run" --checkpointable "$PROGRAMS/mpir_held_filter" > "$WORK/held.out" 2>&1
status=$?
[ $status = 77 ] || [ $status = 0 ] || { cat "$WORK/held.out" >&2; fail "forked during a filter: status $status"; }
note "forked during a filter: $(cat "$WORK/held.out")"
