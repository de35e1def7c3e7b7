# Helpers of the checkpoint tests.  Sourced with BIN (folder of the dvm-* commands) and PROGRAMS (test programs) set.
set -u
WORK=$(mktemp -d "${TMPDIR:-/tmp}/dvm-mpir.XXXXXX")
export DVMCR_DIR="$WORK/images" DVM_TEST_WORK="$WORK"
mkdir -p "$DVMCR_DIR"
STARTED=()

# Descriptors that the test runner left open would be refused as foreign pipes.
for fd in /proc/self/fd/*; do
  n=${fd##*/}
  if [ "$n" -gt 2 ] && [ "$n" != 255 ]; then eval "exec $n>&-" 2>/dev/null; fi
done
exec < /dev/null

# What has ended may have left its number to a process of another test: ours have our folder in their environment.
is_ours() { tr '\0' '\n' 2>/dev/null < "/proc/$1/environ" | grep -qxF "DVM_TEST_WORK=$WORK"; }
cleanup() {
  local p
  for p in "${STARTED[@]}"; do is_ours "$p" && kill -9 "$p" 2>/dev/null; done
  if [ "${KEEP_WORK:-}" ]; then echo "work folder: $WORK" >&2; else rm -rf "$WORK"; fi
}
trap cleanup EXIT
trap 'exit 143' TERM INT

fail() { echo "FAIL: $*" >&2; exit 1; }
note() { echo "ok: $*"; }

# wait_for SECONDS CONDITION...: polls a command; waits for events, not for time.
wait_for() {
  local left=$(($1 * 50)); shift
  while ! "$@" 2>/dev/null; do
    left=$((left - 1))
    [ $left -gt 0 ] || return 1
    sleep 0.02
  done
}
# pause MILLISECONDS
pause() { sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"; }
# Nobody reaps orphans here (see 'gone'), and so the numbers of those that were killed are taken.
left_behind() { grep -q "in a pid namespace of its own" "$WORK/again.err"; }
is_running() { grep -q "^State:.[RS]" "/proc/$1/status"; }
# Ended; who takes in orphans may not look after them.
gone() { ! kill -0 "$1" 2>/dev/null || grep -q "^State:.Z" "/proc/$1/status" 2>/dev/null; }
has() { grep -q -e "$1" "$2"; }

# start NAME COMMAND...: a checkpointable process in the background; PID is set, output goes to NAME.out and NAME.err.
start() {
  local name=$1; shift
  : > "$WORK/$name.err" # what an earlier one has said must not be taken for its word
  "$BIN/dvm-run" --checkpointable "$@" > "$WORK/$name.out" 2> "$WORK/$name.err" &
  PID=$!
  STARTED+=("$PID")
}

# checkpoint [OPTION...] PID: IMAGE is set.
checkpoint() {
  IMAGE=$("$BIN/dvm-checkpoint" "$@" 2> "$WORK/checkpoint.err") || { cat "$WORK/checkpoint.err" >&2; return 1; }
}

kill_process() {
  kill -9 "$1"
  wait "$1" 2>/dev/null
  wait_for 10 gone "$1" || fail "process $1 does not end"
}

# restart NAME [OPTION...]: IMAGE runs again in the background; WAITER is the command that waits for it.
restart() {
  local name=$1; shift
  : > "$WORK/$name.err"
  "$BIN/dvm-restart" "$@" "$IMAGE" > "$WORK/$name.out" 2> "$WORK/$name.err" &
  WAITER=$!
  STARTED+=("$WAITER")
}

# The process of a restart: the only child of the waiting command (no namespaces).
running() {
  PID=$(cat "/proc/$WAITER/task/$WAITER/children" 2>/dev/null | tr -d ' ')
  [ -n "$PID" ] && [ "$(cat "/proc/$PID/comm" 2>/dev/null)" = "$1" ] && "$BIN/dvm-checkpoint" --help > /dev/null
}

# Ends the test as skipped where the kernel lets nobody choose process numbers: neither the capability nor user namespaces.
need_restart() {
  grep -q CapEff /proc/self/status || return
  local caps=$((16#$(sed -n 's/^CapEff:\t*//p' /proc/self/status)))
  ((caps >> 21 & 1 || caps >> 40 & 1)) || unshare -Urpf true 2>/dev/null ||
    { echo "skipped: needs CAP_CHECKPOINT_RESTORE, CAP_SYS_ADMIN or user namespaces"; exit 77; }
}

# Milliseconds of processor time of process PID; whether it has used QUOTA of them, or is over.
used() { awk '{ print ($14 + $15) * 10 }' "/proc/$PID/stat" 2> /dev/null || echo 0; }
worked() { [ "$(used)" -ge "$QUOTA" ] || gone "$PID"; }

# A restarted process of whatever name.
runs_again() {
  PID=$(cat "/proc/$WAITER/task/$WAITER/children" 2> /dev/null | tr -d ' ')
  [ -n "$PID" ] && [ "$(cat "/proc/$PID/comm")" != dvm-restart ]
}

# Of one process, mpir_changes: where it has a child just then, again.
alone() {
  for ((try = 0; try < 100; try++)); do
    IMAGE=$("$BIN/dvm-checkpoint" --alone --no-sync "$@" 2> "$WORK/checkpoint.err") && return
    grep -q "child processes" "$WORK/checkpoint.err" || break
  done
  cat "$WORK/checkpoint.err" >&2
  return 1
}
size_of() { du -k "$1" | cut -f 1; }
is_of_changes() { "$BIN/dvm-checkpoint" inspect --no-backtraces "$1" 2> /dev/null | grep -q "changes since"; }
# verified WHAT OPTION...: IMAGE restarted, the program finds all its memory.
verified() {
  local what=$1; shift
  : > "$WORK/run.out"
  restart again "$@"
  wait_for 30 runs_again || { cat "$WORK/again.err" >&2; fail "$what: does not run again"; }
  kill -USR1 "$PID"
  wait "$WAITER" || { cat "$WORK/again.err" "$WORK/run.err" >&2; fail "$what: status $?"; }
  grep -q "as before" "$WORK/run.out" || fail "$what: not as before"
  note "$what"
}
