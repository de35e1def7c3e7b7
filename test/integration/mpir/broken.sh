#!/bin/bash
# broken.sh BIN PROGRAMS: what can go wrong with images of changes: no room, an end while one is written, neighbours that are missing or damaged.  It is
# said by name, and the images before stay usable.
BIN=$1 PROGRAMS=$2
. "$(dirname "$0")/lib.sh"
need_restart

begin() { # [VARIABLE=VALUE...]
  start run env "$@" "$PROGRAMS/mpir_changes" 12
  wait_for 30 has ready "$WORK/run.err" || fail "it does not start"
  ROOT=$PID
}
next_image() { pause 40; alone --incremental "$@" "$ROOT"; } # for some changes
# refused TEXT COMMAND...: it fails, and says so.
refused() {
  local text=$1; shift
  "$@" > "$WORK/refused.out" 2>&1 && fail "no error from: $*"
  grep -q -e "$text" "$WORK/refused.out" || { cat "$WORK/refused.out" >&2; fail "'$text' is not the message of: $*"; }
  note "$(head -n 1 "$WORK/refused.out")"
}
# no_image TEXT: the next one is refused with it.
no_image() {
  pause 40
  alone --incremental "$ROOT" 2> /dev/null && fail "an image where there should be none"
  grep -q -e "$1" "$WORK/checkpoint.err" || { cat "$WORK/checkpoint.err" >&2; fail "'$1' is not said"; }
  note "$(head -n 1 "$WORK/checkpoint.err")"
}
ends_well() {
  kill -USR1 "$ROOT"
  wait "$ROOT" && grep -q "as before" "$WORK/run.out" || fail "$1: the process is harmed"
}

# Whoever writes the third is killed in the middle: it, and then the process with it.
for how in forked in-place; do
  rm -rf "$DVMCR_DIR"/*
  begin DVM_FAULT=image-half-written@3 $([ $how = forked ] || echo DVMCR_NO_FORK=1)
  next_image || fail "no first image"
  FIRST=$IMAGE
  next_image || fail "no second image"
  SECOND=$IMAGE
  is_of_changes "$SECOND" || { echo "skipped: this kernel does not watch writes (Linux 6.7 and userfaultfd)"; kill_process "$ROOT"; exit 77; }
  if [ $how = forked ]; then
    no_image "the process that writes the image was killed"
    ends_well "a killed writer"
  else
    no_image "ended, or was restarted"
    wait "$ROOT" 2> /dev/null
  fi
  [ "$("$BIN/dvm-checkpoint" -l | wc -l)" = 2 ] && [ "$(ls -A "$DVMCR_DIR" | wc -l)" = 2 ] || fail "left: $(ls -A "$DVMCR_DIR")"
  for IMAGE in "$FIRST" "$SECOND"; do verified "$how: $(basename "$IMAGE"), when the third was not to be"; done
done

# No room for the third: the fourth is whole, for nobody knows what it would be a change of.
rm -rf "$DVMCR_DIR"/*
begin
for i in 1 2; do next_image || fail "no image $i"; LIMITED[i]=$IMAGE; done
prlimit --pid "$ROOT" --fsize=20000:unlimited || fail "no limit"
no_image "the file size limit is reached"
prlimit --pid "$ROOT" --fsize=unlimited || fail "the limit stays"
for i in 3 4; do next_image || fail "no image $i"; LIMITED[i]=$IMAGE; done
is_of_changes "${LIMITED[3]}" && fail "after a failure an image of changes"
is_of_changes "${LIMITED[4]}" || fail "no image of changes after the whole one"
[ "$(ls -A "$DVMCR_DIR" | wc -l)" = 4 ] || fail "left: $(ls -A "$DVMCR_DIR")"
kill_process "$ROOT"
for IMAGE in "${LIMITED[@]}"; do verified "$(basename "$IMAGE"), when one between had no room"; done

# Neighbours.  The second of four is missing, cut, empty, no image, another's, or open to others: the first runs, the third and fourth say what is wrong.
BASE=${LIMITED[3]} LAST=${LIMITED[4]}
cp --sparse=always "$BASE" "$WORK/kept"
NAME=$(basename "$BASE")
for damage in missing cut empty text data open; do
  case $damage in
  missing) rm -f "$BASE"; text="$NAME" ;;
  cut) truncate -s -5000 "$BASE"; text="$NAME" ;;
  empty) : > "$BASE"; text="$NAME" ;;
  text) echo "no image" > "$BASE"; text="$NAME" ;;
  data) # everywhere: the fourth has replaced some of it
    for ((at = 1; at < $(stat -c %s "$BASE") / 262144 - 1; at++)); do printf damage | dd of="$BASE" bs=262144 seek=$at conv=notrunc status=none; done
    text="$NAME" ;;
  open) chmod 622 "$BASE"; text="other users can write to.*$NAME\|$NAME.*other users can write" ;;
  esac
  cp --sparse=always "$LAST" "$WORK/last"
  refused "$text" "$BIN/dvm-restart" "$LAST"
  refused "$text" "$BIN/dvm-checkpoint" compact "$LAST"
  cmp -s "$LAST" "$WORK/last" || fail "$damage: an image that cannot be compacted was changed"
  mkdir -p "$WORK/second"
  [ $damage = open ] || refused "$text" "$BIN/dvm-checkpoint" copy "$LAST" "$WORK/second"
  [ $damage = open ] || ! "$BIN/dvm-checkpoint" copy "$LAST" "$WORK/second" 2>&1 | grep "is complete" || fail "$damage: said to be complete"
  [ ! -e "$WORK/second/$(basename "$LAST")" ] || fail "$damage: a copy that cannot be restarted"
  rm -rf "$WORK/second" "$BASE"
  cp --sparse=always "$WORK/kept" "$BASE" && chmod 600 "$BASE"
done
IMAGE=${LIMITED[2]}
verified "the second, whatever became of the third"
IMAGE=$LAST
verified "the fourth, with the third in its place again"

# A full disk: of the images, of a second place, for compacting, and for what a restart expands.
mkdir "$WORK/small" "$WORK/there"
trap 'umount "$WORK/small" 2> /dev/null; cleanup' EXIT
if ! mount -t tmpfs -o size=48m none "$WORK/small" 2> /dev/null; then
  echo "left out: may not mount a small disk here"
  exit 0
fi
fill() { dd if=/dev/zero of="$WORK/small/filler" bs=64k status=none 2> /dev/null; true; }
IMAGE=$LAST
(export TMPDIR=$WORK/small; fill; verified "no room to expand it but in memory") || exit 1
fill
refused "No space left\|disk is full" "$BIN/dvm-checkpoint" copy "$LAST" "$WORK/small"
[ "$(ls -A "$WORK/small")" = filler ] || fail "left of a copy: $(ls -A "$WORK/small")"
rm "$WORK/small/filler"
export DVMCR_DIR=$WORK/small
begin
for i in 1 2; do next_image || fail "no image $i"; LIMITED[i]=$IMAGE; done
fill
no_image "the disk is full"
cp "${LIMITED[2]}" "$WORK/last"
refused "No space left\|disk is full" "$BIN/dvm-checkpoint" compact "${LIMITED[2]}"
cmp -s "${LIMITED[2]}" "$WORK/last" || fail "an image that cannot be compacted was changed"
[ "$(ls -A "$WORK/small" | wc -l)" = 3 ] || fail "left: $(ls -A "$WORK/small")"
for ((try = 0; try < 100; try++)); do # not while it has one of its children
  "$BIN/dvm-checkpoint" --alone --to "$WORK/small" -o "$WORK/there/" "$ROOT" > "$WORK/to.out" 2> "$WORK/to.err"
  status=$?
  grep -q "child processes" "$WORK/to.err" || break
done
[ $status = 3 ] && has "is complete, but has no copy" "$WORK/to.err" || { cat "$WORK/to.err" >&2; fail "no room in the second place is not told"; }
note "$(head -n 1 "$WORK/to.err")"
IMAGE=$(cat "$WORK/to.out")
kill_process "$ROOT"
verified "the image whose copy found no room"
for IMAGE in "${LIMITED[1]}" "${LIMITED[2]}"; do verified "$(basename "$IMAGE"), on the full disk"; done
rm "$WORK/small/filler"
"$BIN/dvm-checkpoint" compact "${LIMITED[2]}" || fail "not compacted when there is room again"
rm "${LIMITED[1]}"
IMAGE=${LIMITED[2]}
verified "compacted when there was room again"
exit 0
