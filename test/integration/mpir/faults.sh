#!/bin/bash
# faults.sh BIN PROGRAMS: what goes wrong while an image is written or read: a clear message, the process unharmed, no half
# image listed; the same again without the fault succeeds.
BIN=$1 PROGRAMS=$2
. "$(dirname "$0")/lib.sh"
need_restart

listed() { "$BIN/dvm-checkpoint" -l "$@" | wc -l; }

# fails TEXT COMMAND...
fails() {
  local text=$1; shift
  "$@" > "$WORK/fails.out" 2> "$WORK/fails.err" && fail "no error from: $*"
  grep -q -e "$text" "$WORK/fails.err" || { cat "$WORK/fails.err" >&2; fail "'$text' is not the message of: $*"; }
  note "$(head -n 1 "$WORK/fails.err")"
}

begin() { # NAME [VARIABLE=VALUE]
  local name=$1; shift
  : > "$WORK/$name.err"
  env "$@" "$BIN/dvm-run" --checkpointable "$PROGRAMS/mpir_steps" 3 2000000 5000 > "$WORK/$name.out" 2> "$WORK/$name.err" &
  PID=$!
  STARTED+=("$PID")
  wait_for 20 has ready "$WORK/$name.err" || fail "$name does not start"
}

ends_well() { # NAME
  kill -USR1 "$PID" # quickly
  wait "$PID" || fail "$1: the process is harmed: status $?"
  has "^sum 6000000$" "$WORK/$1.out" || fail "$1: the result is wrong: $(cat "$WORK/$1.out")"
}

# The writer dies: before it has begun, and in the middle of the file.
for fault in writer-killed image-half-written; do
  begin "$fault" "DVM_FAULT=$fault"
  fails "the process that writes the image was killed" "$BIN/dvm-checkpoint" "$PID"
  [ "$(listed)" = 0 ] && [ -z "$(ls -A "$DVMCR_DIR")" ] || fail "$fault: left: $(ls -A "$DVMCR_DIR")"
  ends_well "$fault"
done
# The whole process dies with its writer: the leftover is no image, and goes with the next list.
begin leftover DVM_FAULT=image-half-written DVMCR_NO_FORK=1
fails "ended, or was restarted" "$BIN/dvm-checkpoint" "$PID"
wait "$PID" 2> /dev/null
ls "$DVMCR_DIR" | grep -q 'tmp' || fail "the fault came before the file"
[ "$(listed)" = 0 ] && [ -z "$(ls -A "$DVMCR_DIR")" ] || fail "left: $(ls -A "$DVMCR_DIR")"

# A second request comes while the first image is being written: the copy that writes is no child to be saved too.
begin twice DVM_FAULT=stop:image-half-written@1
writing() { for w in $(cat /proc/$PID/task/*/children); do grep -q "^State:.T" "/proc/$w/status" && return; done; return 1; }
"$BIN/dvm-checkpoint" "$PID" > "$WORK/first" 2>&1 & first=$!
wait_for 20 writing || fail "no copy stands half way: $(cat "$WORK/first")"
"$BIN/dvm-checkpoint" "$PID" > "$WORK/second" 2>&1 & second=$!
STARTED+=("$first" "$second")
connected() { ls -l "/proc/$second/fd" | grep -q "socket:"; }
wait_for 20 connected || fail "the second does not ask: $(cat "$WORK/second")"
kill -CONT "$w"
wait "$first" || fail "the first fails: $(cat "$WORK/first")"
wait "$second" || fail "the second fails: $(cat "$WORK/second")"
for image in first second; do
  image=$(tail -n 1 "$WORK/$image")
  [ -f "${image#*) }" ] || fail "a process without children is saved as a set: $image"
done
rm -rf "$DVMCR_DIR"/*
ends_well twice
note "twice"

# No room: by limit, and by a small disk where we may mount one.
(ulimit -f 100; begin limit; echo "$PID" > "$WORK/limit.pid"; fails "the file size limit is reached" "$BIN/dvm-checkpoint" "$PID"
 [ "$(listed)" = 0 ] || fail "a cut image is listed"
 ends_well limit) || exit 1
mkdir "$WORK/small"
trap 'umount "$WORK/small" 2> /dev/null; cleanup' EXIT
if mount -t tmpfs -o size=200k none "$WORK/small" 2> /dev/null; then
  begin full
  fails "the disk is full" "$BIN/dvm-checkpoint" -o "$WORK/small/" "$PID"
  [ -z "$(ls -A "$WORK/small")" ] || fail "the full disk is not cleaned"
  checkpoint "$PID" || fail "no checkpoint after the fault"
  ends_well full
  umount "$WORK/small"
  rm -f "$IMAGE"
else
  echo "left out: may not mount a small disk here"
fi

# A whole image, and what may have become of it.
BIG=$WORK/big # more than is kept of a file in a passing folder
truncate -s 2M "$BIG"
exec 9< "$BIG"
begin good
exec 9<&-
checkpoint "$PID" || fail "no checkpoint"
good=$IMAGE
size=$(stat -c %s "$good")
[ "$(stat -c %a "$good")" = 600 ] || fail "others may read the image"
fails "process number $PID is in use" "$BIN/dvm-restart" --keep-ids "$good"
kill_process "$PID"
head -c $((size - 1)) "$good" > "$DVMCR_DIR/cut1.ckpt"
head -c $((size / 2)) "$good" > "$DVMCR_DIR/cut2.ckpt"
head -c 100 "$good" > "$DVMCR_DIR/cut3.ckpt"
: > "$DVMCR_DIR/empty.ckpt"
head -c 10000 /dev/urandom > "$DVMCR_DIR/random.ckpt"
[ "$(listed)" = 1 ] || fail "a damaged image is listed: $("$BIN/dvm-checkpoint" -l)"
for i in cut1 cut2 cut3 empty random; do
  fails "not a checkpoint image\|image is truncated\|notes are damaged" "$BIN/dvm-restart" "$DVMCR_DIR/$i.ckpt"
done
rm "$DVMCR_DIR"/{cut1,cut2,cut3,empty,random}.ckpt

# One byte of the heap changed: found by an eager restart and by inspect.
"$PROGRAMS/mpir_patch" data "$good" "$WORK/changed" && chmod 600 "$WORK/changed" || fail "not patched"
fails "data of address 0x[0-9a-f]*, [0-9]* bytes at offset" "$BIN/dvm-restart" "$WORK/changed"
fails "fails its checksum" "$BIN/dvm-checkpoint" inspect "$WORK/changed"

patched() { # FIELD TEXT
  "$PROGRAMS/mpir_patch" "$1" "$good" "$WORK/$1" && chmod 600 "$WORK/$1" || fail "not patched"
  fails "$2" "$BIN/dvm-restart" "$WORK/$1"
}
patched vdso "restart it on the kernel that it was taken on"
patched uid "the image is of user 4242"
patched version "has version 4, but this program reads version 3"

cp "$good" "$WORK/open"
chmod 622 "$WORK/open"
fails "other users can write to the image" "$BIN/dvm-restart" "$WORK/open"
chmod 600 "$WORK/open"
if chown 65534 "$WORK/open" 2> /dev/null; then
  fails "other users can write to the image (owner 65534" "$BIN/dvm-restart" "$WORK/open"
  chmod 711 "$WORK" && chmod 644 "$good" && chmod 755 "$DVMCR_DIR"
  fails "the image is of user 0, this is user 65534" setpriv --reuid=65534 --clear-groups "$BIN/dvm-restart" "$good"
  chmod 600 "$good"
fi

# Files of the process that are no longer what they were.
mv "$BIG" "$WORK/moved"
fails "descriptor 9: cannot open '$BIG'" "$BIN/dvm-restart" "$good"
mv "$WORK/moved" "$BIG"
cp "$PROGRAMS/mpir_steps" "$WORK/steps"
"$BIN/dvm-run" --checkpointable "$WORK/steps" 2 500000 20000 > "$WORK/own.out" 2> "$WORK/own.err" &
PID=$!
STARTED+=("$PID")
wait_for 20 has ready "$WORK/own.err" || fail "it does not start"
checkpoint -o "$WORK/apart" "$PID" && checkpoint --all-files -o "$WORK/whole" "$PID" || fail "no checkpoint"
kill_process "$PID"
touch "$WORK/steps"
fails "'$WORK/steps' mapped, which has changed" "$BIN/dvm-restart" "$WORK/apart"
rm "$WORK/steps"
fails "'$WORK/steps' mapped, which cannot be read" "$BIN/dvm-restart" "$WORK/apart"
"$BIN/dvm-restart" "$WORK/whole" || fail "the image with all files does not run without them: $?"
has "^sum 1000000$" "$WORK/own.out" || fail "wrong result of the image with all files"

# After all that the good one still runs.
echo "behind" >> "$WORK/good.err" # a file that went on, and one that was replaced, are named
cp "$WORK/good.out" "$WORK/copy" && mv "$WORK/copy" "$WORK/good.out"
cp "$WORK/good.err" "$WORK/notes"
"$BIN/dvm-restart" "$good" 2> "$WORK/notes" || { cat "$WORK/notes" >&2; fail "the good image does not run: $?"; }
has "note: descriptor 1, '$WORK/good.out': another file has its name now" "$WORK/notes" &&
  has "note: descriptor 2, '$WORK/good.err': it has grown since" "$WORK/notes" || { cat "$WORK/notes" >&2; fail "changed files are not named"; }
has "^sum 6000000$" "$WORK/good.out" || fail "wrong result of the good image"
