#!/bin/bash
# unprivileged.sh BIN PROGRAMS: a user without any capability restarts through namespaces, or is told which capability lacks.
# Run as root it becomes such a user first.
BIN=$1 PROGRAMS=$2
. "$(dirname "$0")/lib.sh"
become=()
if [ "$(id -u)" = 0 ]; then
  become=(setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all)
  chown -R 65534:65534 "$WORK"
  # What is built may lie where that user cannot look.
  mkdir "$WORK/bin" && cp "$BIN"/dvm-{run,checkpoint,restart} "$BIN/libdvmcr.so" "$PROGRAMS/mpir_steps" "$WORK/bin/" && chmod 755 "$WORK/bin"
  BIN=$WORK/bin PROGRAMS=$WORK/bin
fi
cd "$WORK" || exit 1
"${become[@]}" bash -c 'exec "$0/dvm-run" --checkpointable "$0/mpir_steps" 2 1000000 > run.out 2> run.err' "$BIN" &
PID=$!
STARTED+=("$PID")
wait_for 20 has ready run.err || { cat run.err >&2; fail "it does not start"; }
inner=$PID
IMAGE=$("${become[@]}" "$BIN/dvm-checkpoint" "$PID" 2> checkpoint.err) || { cat checkpoint.err >&2; fail "no checkpoint"; }
wait "$PID"
: > run.out
"${become[@]}" "$BIN/dvm-restart" --keep-ids "$IMAGE" 2> keep.err && fail "numbers are kept without privilege"
has "needs CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN" keep.err || { cat keep.err >&2; fail "--keep-ids does not name the capability"; }
"${become[@]}" "$BIN/dvm-restart" "$IMAGE" 2> restart.err
status=$?
if "${become[@]}" unshare -Urpf true 2> /dev/null; then
  [ $status = 0 ] && has "^sum 2000000$" run.out || { cat restart.err >&2; fail "status $status, $(cat run.out)"; }
  has "process $inner runs in a pid namespace of its own; from outside it is process [0-9]*" restart.err || fail "the outer number is not told"
  note "restarted: $(cat restart.err)"
else
  [ $status = 1 ] && has "CAP_CHECKPOINT_RESTORE" restart.err || { cat restart.err >&2; fail "the refusal does not name the capability"; }
  note "refused: $(cat restart.err)"
fi
