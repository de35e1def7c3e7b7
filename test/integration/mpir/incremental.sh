#!/bin/bash
# incremental.sh BIN PROGRAMS: images that hold changes alone are read as one with those before; each stays usable by itself, whatever happens
# to later ones.
BIN=$1 PROGRAMS=$2
. "$(dirname "$0")/lib.sh"
need_restart

# Of one process: where it has a child just then, again.
alone() {
  for ((try = 0; try < 100; try++)); do
    IMAGE=$("$BIN/dvm-checkpoint" --alone --no-sync "$@" 2> "$WORK/checkpoint.err") && return
    grep -q "child processes" "$WORK/checkpoint.err" || break
  done
  cat "$WORK/checkpoint.err" >&2
  return 1
}
size_of() { du -k "$1" | cut -f 1; }
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
grep -q "is not the one that it was taken on" "$WORK/other.out" || { cat "$WORK/other.out" >&2; fail "the other is not named"; }
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
exit 0
