#!/bin/bash
# lazy.sh BIN PROGRAMS [FLIPS]: a lazy restart verifies what it gives.  A damaged image ends the program with a message or is refused, or the
# damage is where nobody looks; the result is never wrong.  A checkpoint of a lazily restarted process is whole, or refused.
BIN=$1 PROGRAMS=$2 FLIPS=${3:-16}
. "$(dirname "$0")/lib.sh"
need_restart

save() { # KIND
  start "$1" "$PROGRAMS/mpir_lazy" "$1"
  wait_for 20 has ready "$WORK/$1.err" || fail "$1: it does not start"
  checkpoint -o "$WORK/$1.ckpt" "$PID" || fail "$1: no checkpoint"
  kill -USR1 "$PID"
  wait "$PID" || fail "$1: status $?"
  RIGHT=$(cat "$WORK/$1.out")
}
# run KIND [OPTION...]: restarts, lets it look, STATUS is its end, RESULT what it says.
run() {
  local kind=$1; shift
  : > "$WORK/$kind.out"
  restart again --lazy "$@"
  wait_for 20 running_or_gone || fail "$kind: it neither runs nor ends"
  [ -z "$PID" ] || kill -USR1 "$PID" 2> /dev/null
  wait "$WAITER"
  STATUS=$? RESULT=$(cat "$WORK/$kind.out")
}
running_or_gone() { PID=; gone "$WAITER" || running mpir_lazy || { PID=; return 1; }; }

for kind in all half child kernel; do
  save $kind
  run $kind
  has "all data are read and verified now" "$WORK/again.err" && { echo "skipped: $(cat "$WORK/again.err")"; exit 77; }
  [ $STATUS = 0 ] && [ "$RESULT" = "$RIGHT" ] || { cat "$WORK/again.err" >&2; fail "$kind: status $STATUS, '$RESULT', not '$RIGHT'"; }
  note "$kind: $RESULT"
done

# A further generation: saved before it has touched anything.
save all
restart again --lazy
wait_for 20 running mpir_lazy || fail "it does not run again"
checkpoint -o "$WORK/second.ckpt" "$PID" || fail "no checkpoint of the lazily restarted process"
kill -9 "$PID"
wait "$WAITER" 2> /dev/null
IMAGE=$WORK/second.ckpt
run all
[ "$RESULT" = "$RIGHT" ] || fail "the second generation: '$RESULT', not '$RIGHT'"
note "second generation"

# The last piece is given while the process forks: it goes on.  Whether it can be saved just then depends on its having a child.
save forks
for ((i = 0; i < 8; i++)); do
  : > "$WORK/forks.out"
  restart again --lazy
  wait_for 20 running mpir_lazy || fail "it does not run again"
  kill -USR2 "$PID"
  "$BIN/dvm-checkpoint" -o "$WORK/forks.again" "$PID" > /dev/null 2>&1
  kill -USR1 "$PID"
  wait_for 20 gone "$WAITER" || fail "run $i: it does not end, having forked while all was given: $(cat "/proc/$PID/wchan")"
  [ "$(cat "$WORK/forks.out")" = "$RIGHT" ] || fail "run $i: it ends otherwise when it forks"
done
note "all is given while it forks"

# Damage.
flip() { # FROM TO OFFSET
  cp "$1" "$2"
  local byte
  byte=$(od -An -tu1 -j "$3" -N1 "$2")
  printf "\\x$(printf %02x $((byte ^ 16)))" | dd of="$2" bs=1 seek="$3" conv=notrunc status=none
}
ended=0 refused=0 right=0
for ((i = 0; i < FLIPS; i++)); do
  kind=half
  [ $((i % 4)) = 0 ] && kind=child
  [ $i = 0 ] || [ $i = 1 ] && save $kind
  RIGHT=$(cat "$WORK/right.$kind" 2> /dev/null || echo "$RIGHT" | tee "$WORK/right.$kind")
  size=$(stat -c %s "$WORK/$kind.ckpt")
  flip "$WORK/$kind.ckpt" "$WORK/damaged.ckpt" $((size / FLIPS * i + RANDOM % (size / FLIPS)))
  IMAGE=$WORK/damaged.ckpt
  run $kind
  if [ "$RESULT" = "$RIGHT" ]; then
    right=$((right + 1))
  elif has "which was about to use them, is ended" "$WORK/again.err"; then
    ended=$((ended + 1))
  elif has "dvm restart: error" "$WORK/again.err"; then
    refused=$((refused + 1))
  else
    cat "$WORK/again.err" >&2
    fail "flip $i: a wrong run: status $STATUS, '$RESULT', not '$RIGHT'"
  fi
done
[ $ended -ge 1 ] || fail "no damage was met"
note "$FLIPS damaged images: $refused refused, $ended ended, $right right"

# Damage that nobody has met is an error of the checkpoint, not the end of the process.
size=$(stat -c %s "$WORK/half.ckpt")
save half
for at in 0x110000 0x310000 0x510000 0x710000; do # one of them lies in what 'half' does not touch, or all do
  flip "$WORK/half.ckpt" "$WORK/damaged.ckpt" $((at + 0x400000))
  IMAGE=$WORK/damaged.ckpt
  restart again --lazy
  wait_for 20 running mpir_lazy || fail "it does not run again"
  "$BIN/dvm-checkpoint" -o "$WORK/no.ckpt" "$PID" 2> "$WORK/no.err" && fail "a damaged image was saved again"
  has "memory cannot be read from the image" "$WORK/no.err" || { cat "$WORK/no.err" >&2; fail "another refusal"; }
  kill -0 "$PID" || fail "the process has ended by the checkpoint"
  kill -9 "$PID"
  wait "$WAITER" 2> /dev/null
done
note "damage is no checkpoint's death"

# The process that gives the memory is killed: the program does not run on with something else.
IMAGE=$WORK/half.ckpt
: > "$WORK/half.out"
restart again --lazy
wait_for 20 running mpir_lazy || fail "it does not run again"
for p in /proc/[0-9]*; do
  [ "$(cat "$p/comm" 2> /dev/null)" = dvm-restart ] && [ "$(awk '{ print $4 }' "$p/stat")" != $$ ] &&
    tr '\0' ' ' < "$p/cmdline" | grep -q "$WORK/half.ckpt" && kill -9 "${p#/proc/}"
done
wait "$WAITER"
[ $? = 137 ] && [ ! -s "$WORK/half.out" ] || fail "it runs without its memory"
has "provides the memory of this lazily restarted one has ended" "$WORK/half.err" || { cat "$WORK/half.err" >&2; fail "no message"; }
note "without its memory it ends"
