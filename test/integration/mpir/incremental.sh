#!/bin/bash
# incremental.sh BIN PROGRAMS: images that hold changes alone are read as one with those before; each stays usable by itself, whatever happens
# to later ones.
BIN=$1 PROGRAMS=$2
. "$(dirname "$0")/lib.sh"
need_restart

start run "$PROGRAMS/mpir_changes" 48
wait_for 30 has ready "$WORK/run.err" || fail "it does not start"
ROOT=$PID
CHAIN=()
for ((i = 1; i <= 6; i++)); do
  pause 60 # for some changes
  alone --incremental "$ROOT" || fail "image $i"
  CHAIN+=("$IMAGE")
done
"$BIN/dvm-checkpoint" inspect --no-backtraces "$IMAGE" | grep -q "changes since '.*-5.ckpt', number 5" ||
  { "$BIN/dvm-checkpoint" inspect --no-backtraces "$IMAGE" | head -6 >&2; skip=1; }
[ -z "${skip:-}" ] || { echo "skipped: this kernel does not watch writes (Linux 6.7 and userfaultfd)"; kill_process "$ROOT"; exit 77; }
[ "$(size_of "${CHAIN[2]}")" -lt $(($(size_of "${CHAIN[0]}") / 2)) ] || fail "an incremental image of $(size_of "${CHAIN[2]}") KiB"
kill_process "$ROOT"
for ((i = 0; i < 6; i++)); do
  IMAGE=${CHAIN[i]}
  verified "image $((i + 1)) of $(size_of "$IMAGE") KiB"
done

# Compressed in the middle, damaged, missing: the earlier stay usable, the later say what is wrong.
"$BIN/dvm-checkpoint" compress "${CHAIN[1]}" && "$BIN/dvm-checkpoint" compress "${CHAIN[5]}" || fail "not compressed"
IMAGE=${CHAIN[5]}
verified "compressed in the middle and at the end"
cp "${CHAIN[3]}" "$WORK/kept"
cp "${CHAIN[2]}" "$WORK/third"
printf 'damage' | dd of="${CHAIN[3]}" bs=1 seek=$(($(stat -c %s "${CHAIN[3]}") - 2000)) conv=notrunc 2> /dev/null # in what is always read
"$BIN/dvm-restart" "$IMAGE" > "$WORK/damaged.out" 2>&1 && fail "a chain with a damaged image runs"
grep -q "damaged.*$(basename "${CHAIN[3]}")" "$WORK/damaged.out" || { cat "$WORK/damaged.out" >&2; fail "the damage is not named"; }
rm "${CHAIN[3]}"
"$BIN/dvm-restart" "$IMAGE" > "$WORK/missing.out" 2>&1 && fail "a chain with a missing image runs"
grep -q "the image before it\|the one before it is missing.*$(basename "${CHAIN[3]}")" "$WORK/missing.out" || { cat "$WORK/missing.out" >&2; fail "the missing one is not named"; }
cp "$WORK/third" "${CHAIN[3]}" # another one under the name
"$BIN/dvm-restart" "$IMAGE" > "$WORK/other.out" 2>&1 && fail "a chain with another image runs"
grep -q "is not the one it is based on" "$WORK/other.out" || { cat "$WORK/other.out" >&2; fail "the other is not named"; }
IMAGE=${CHAIN[2]}
verified "the third, when the fourth is gone"

# A whole image of the chain needs none of them.
cp "$WORK/kept" "${CHAIN[3]}"
chmod 600 "${CHAIN[3]}"
"$BIN/dvm-checkpoint" compact "${CHAIN[5]}" || fail "not compacted"
"$BIN/dvm-checkpoint" inspect --no-backtraces "${CHAIN[5]}" | grep -q "changes since" && fail "compacted, and still of changes"
IMAGE=${CHAIN[5]}
rm "${CHAIN[@]:0:5}"
verified "compacted"
rm "$IMAGE"

# Periodic ones, of which the last are kept: what those need is kept too.
start run env DVMCR_INCREMENTAL=3 "$PROGRAMS/mpir_changes" 8
wait_for 30 has ready "$WORK/run.err" || fail "it does not start"
for ((i = 1; i <= 11; i++)); do alone --keep 2 "$PID" || fail "image $i of those to keep"; done
[ "$(ls "$DVMCR_DIR" | wc -l)" = 3 ] || fail "kept: $(ls "$DVMCR_DIR")" # 9 is whole, 10 and 11 are kept
kill_process "$PID"
verified "the last of those that are kept"

# Sets: each image holds the changes since the same process's in the set before.
members() { PIDS=$(cat "/proc/$PID/task/$PID/children"); [ "$(echo $PIDS | wc -w)" = 2 ]; }
both_ready() { [ "$(grep -c ready "$WORK/run.err")" = 2 ]; }
start run bash -c "'$PROGRAMS/mpir_changes' 24 & first=\$!; '$PROGRAMS/mpir_changes' 24 & wait \$first && wait \$! && echo both"
wait_for 60 both_ready || fail "the set does not start"
ROOT=$PID SETS=()
for ((i = 1; i <= 4; i++)); do
  pause 60
  checkpoint --no-sync --incremental "$ROOT" || fail "set $i"
  SETS+=("$IMAGE")
done
[ "$(size_of "${SETS[2]}")" -lt $(($(size_of "${SETS[0]}") * 3 / 4)) ] || fail "a set of changes has $(size_of "${SETS[2]}") KiB, the whole one $(size_of "${SETS[0]}")"
mkdir "$WORK/second"
"$BIN/dvm-checkpoint" copy "${SETS[3]}" "$WORK/second" && [ "$(ls "$WORK/second" | wc -l)" -gt 1 ] || fail "a copied set lacks those that it needs: $(ls "$WORK/second")"
wait_for 20 members || fail "not two processes"
kill -9 "$ROOT" $PIDS
wait "$ROOT" 2> /dev/null
sets_verified() { # WHAT
  : > "$WORK/run.out"
  wait_for 60 numbers_free || fail "$1: the processes do not end"
  restart again
  wait_for 30 runs_again && wait_for 30 members || { cat "$WORK/again.err" >&2; fail "$1: does not run again"; }
  kill -USR1 $PIDS
  wait "$WAITER"
  status=$?
  [ $status = 0 ] || { cat "$WORK/again.err" "$WORK/run.err" >&2; fail "$1: status $status"; }
  [ "$(grep -c "as before" "$WORK/run.out")" = 2 ] && grep -q both "$WORK/run.out" || fail "$1: not as before: $(cat "$WORK/run.out")"
  note "$1"
}
numbers_free() { ! kill -0 "$ROOT" 2> /dev/null && for p in $PIDS; do ! kill -0 "$p" 2> /dev/null || return 1; done; }
for IMAGE in "${SETS[0]}" "${SETS[2]}" "${SETS[3]}" "$WORK/second/$(basename "${SETS[3]}")"; do sets_verified "set $IMAGE of $(size_of "$IMAGE") KiB"; done
mv "${SETS[1]}" "$WORK/moved"
"$BIN/dvm-restart" "${SETS[3]}" > "$WORK/missing.out" 2>&1 && fail "a set without those before it runs"
grep -q "the one before it is missing.*$(basename "${SETS[1]}")" "$WORK/missing.out" || { cat "$WORK/missing.out" >&2; fail "the missing set is not named"; }
mv "$WORK/moved" "${SETS[1]}"
"$BIN/dvm-checkpoint" compact "${SETS[3]}" || fail "the set is not compacted"
rm -r "${SETS[@]:0:3}"
IMAGE=${SETS[3]}
sets_verified "set compacted"
rm -r "$IMAGE"

# Of those that are kept, what they need is kept.
start run bash -c "'$PROGRAMS/mpir_changes' 4 & first=\$!; '$PROGRAMS/mpir_changes' 4 & wait \$first && wait \$! && echo both"
wait_for 60 both_ready || fail "the set does not start"
ROOT=$PID
for ((i = 1; i <= 7; i++)); do checkpoint --no-sync --incremental=3 --keep 2 "$ROOT" || fail "set $i of those to keep"; done
[ "$(ls "$DVMCR_DIR" | grep -c bash)" = 3 ] || fail "sets kept: $(ls "$DVMCR_DIR")"
wait_for 20 members || fail "not two processes"
kill -9 "$ROOT" $PIDS
wait "$ROOT" 2> /dev/null
sets_verified "the last set of those that are kept"
exit 0
