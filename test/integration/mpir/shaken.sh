#!/bin/bash
# shaken.sh BIN PROGRAMS IMAGES: what writes an image is moved between processors all the time: the kernel notes the processor in the
# writer's own memory (restartable sequences), which is part of the image.  All data must agree with their checksums.
BIN=$1 PROGRAMS=$2 IMAGES=$3
. "$(dirname "$0")/lib.sh"
start run "$PROGRAMS/mpir_steps" 2 1000000000
wait_for 20 has ready "$WORK/run.err" || fail "the program does not start"
helper=$(grep -l dvm-cr /proc/$PID/task/*/comm | sed 's|/comm||; s|.*/||')
[ "$helper" ] || fail "no helper thread"
"$PROGRAMS/mpir_shake" "$PID" "$helper" &
STARTED+=("$!")
for ((i = 0; i < IMAGES; i++)); do
  checkpoint --no-sync "$PID" || fail "image $i: no checkpoint"
  "$PROGRAMS/mpir_verify" "$IMAGE" || fail "image $i is damaged"
  rm -f "$IMAGE"
done
note "$IMAGES images"
