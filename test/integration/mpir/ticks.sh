#!/bin/bash
# ticks.sh BIN PROGRAMS IMAGES: a process whose timers expire all the time is saved IMAGES times; each image must run on with all of them.
BIN=$1 PROGRAMS=$2 IMAGES=$3
. "$(dirname "$0")/lib.sh"
need_restart
start run "$PROGRAMS/mpir_ticks"
wait_for 60 has ready "$WORK/run.err" || { cat "$WORK/run.err" >&2; fail "the program does not start"; }
images=()
for ((i = 0; i < IMAGES; i++)); do
  checkpoint --no-sync "$PID" || { cat "$WORK/run.err" >&2; fail "image $i: no checkpoint"; }
  images+=("$IMAGE")
done
kill_process "$PID"
failed=0
for IMAGE in "${images[@]}"; do
  : > "$WORK/run.out"
  : > "$WORK/run.err"
  "$BIN/dvm-restart" --truncate "$IMAGE" 2> "$WORK/restart.err"
  status=$?
  [ $status = 0 ] && [ "$(cat "$WORK/run.out")" = "all tick" ] ||
    { cat "$WORK/restart.err" "$WORK/run.err" >&2; failed=$((failed + 1)); }
done
[ $failed = 0 ] || fail "$failed of $IMAGES images lose an expiry"
note "$IMAGES images, all timers run on"
