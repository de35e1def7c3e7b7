#!/bin/bash
# moments.sh BIN PROGRAMS THREADS STEPS MOMENTS: one run is saved at MOMENTS random moments while it goes on; it must be undisturbed,
# and each image must run to the same result.
BIN=$1 PROGRAMS=$2 THREADS=$3 STEPS=$4 MOMENTS=$5
. "$(dirname "$0")/lib.sh"
need_restart
RANDOM=${SEED:=$((RANDOM * 32768 + RANDOM))}
echo "seed $SEED"
TIMEFORMAT='%U %S'
{ time expected=$("$PROGRAMS/mpir_mix" "$THREADS" "$STEPS" "$WORK/file.ref" 2> /dev/null); } 2> "$WORK/times"
total=$(awk '{ printf "%d", ($1 + $2) * 1000 }' "$WORK/times")
[ -n "$expected" ] || fail "the undisturbed run gives no result"

# One run gives as many images as fit into it; the rest come from further runs.  Moments are of the process's own time.
taken=0
empty=0
while [ "$taken" -lt "$MOMENTS" ]; do
  start run "$PROGRAMS/mpir_mix" "$THREADS" "$STEPS" "$WORK/file"
  wait_for 20 has ready "$WORK/run.err" || fail "it does not start"
  here=()
  while [ "$taken" -lt "$MOMENTS" ]; do
    QUOTA=$(($(used) + RANDOM % (total / MOMENTS / 2 + 1)))
    worked || wait_for 60 worked || fail "it does not go on (seed $SEED)"
    checkpoint --no-sync "$PID" 2> /dev/null || break
    here+=("$IMAGE")
    taken=$((taken + 1))
  done
  wait "$PID"
  [ $? = 42 ] && [ "$(cat "$WORK/run.out")" = "$expected" ] || fail "the checkpoints disturb the run (seed $SEED): $(cat "$WORK/run.out")"
  [ ${#here[@]} -gt 0 ] || empty=$((empty + 1))
  [ $empty -lt 20 ] || fail "no checkpoint fits into the run"
  for IMAGE in "${here[@]}"; do
    : > "$WORK/run.out"
    "$BIN/dvm-restart" --truncate "$IMAGE" 2> "$WORK/restart.err"
    [ $? = 42 ] && [ "$(cat "$WORK/run.out")" = "$expected" ] && cmp -s "$WORK/file" "$WORK/file.ref" ||
      { cat "$WORK/restart.err" "$WORK/run.err" >&2; fail "$IMAGE gives '$(cat "$WORK/run.out")', not '$expected' (seed $SEED)"; }
    rm -f "$IMAGE"
  done
done
note "$taken moments with $THREADS threads"
