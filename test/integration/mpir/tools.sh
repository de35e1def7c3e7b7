#!/bin/bash
# tools.sh BIN PROGRAMS: the commands: names of images, list, inspect, retention, periodic checkpoints, checkpoint by signal,
# compression, options of the restart, and how its exit status is passed on.
# As a service would have it: session and group are of a process that a namespace does not have, and that is made there for a moment.
[ -n "$OF_SESSION" ] || OF_SESSION=1 exec setsid -w bash "$0" "$@"
BIN=$1 PROGRAMS=$2
. "$(dirname "$0")/lib.sh"
need_restart

begin() { # NAME OPTION... (of dvm-run)
  local name=$1; shift
  : > "$WORK/$name.err"
  "$BIN/dvm-run" --checkpointable "$@" "$PROGRAMS/mpir_steps" 2 1000000 200000 > "$WORK/$name.out" 2> "$WORK/$name.err" &
  PID=$!
  STARTED+=("$PID")
  wait_for 20 has ready "$WORK/$name.err" || fail "$name does not start"
}
images() { ls "$DVMCR_DIR" | grep -c '\.ckpt$'; }
at_least() { [ "$(images)" -ge "$1" ]; }

# Names, and the two output lines: one for people and scripts, one for debuggers.
begin names
checkpoint "$PID"
[ "$IMAGE" = "$DVMCR_DIR/mpir_steps-$PID-1.ckpt" ] || fail "the first image is $IMAGE"
[ "$(cat "$WORK/checkpoint.err")" = "MPIR_checkpoint_handle) $IMAGE" ] || fail "handle line: $(cat "$WORK/checkpoint.err")"
checkpoint "$PID"
[ "$IMAGE" = "$DVMCR_DIR/mpir_steps-$PID-2.ckpt" ] || fail "the second image is $IMAGE"
(cd "$WORK" && mkdir "a 'b' c" && "$BIN/dvm-checkpoint" -o "a 'b' c" "$PID" > "$WORK/quoted" 2> "$WORK/quoted.err") || fail "output to a folder"
eval "quoted=$(sed 's/^MPIR_checkpoint_handle) //' "$WORK/quoted.err")"
[ -s "$quoted" ] && [ "$quoted" = "$WORK/a 'b' c/mpir_steps-$PID-3.ckpt" ] || fail "a handle is no shell word: $(cat "$WORK/quoted.err")"
"$BIN/dvm-checkpoint" --stats --no-sync -o "$WORK/named" --hnp-jobid "$PID" > /dev/null 2> "$WORK/stats" || fail "--hnp-jobid"
has "2 threads stopped in [0-9.]* ms, released after [0-9.]* ms, complete after [0-9.]* ms" "$WORK/stats" || fail "--stats: $(cat "$WORK/stats")"
note "names and handles"

# Lists: oldest first; each line of --crdebug is an argument of the restart command.
"$BIN/dvm-checkpoint" -l > "$WORK/list"
[ "$(wc -l < "$WORK/list")" = 2 ] && head -n 1 "$WORK/list" | grep -q "  *$PID  mpir_steps  *2 threads .*-1.ckpt" || fail "list: $(cat "$WORK/list")"
"$BIN/dvm-checkpoint" -l --crdebug > "$WORK/list"
[ "$(tail -n 1 "$WORK/list")" = "MPIR_checkpoint_handle) $IMAGE" ] || fail "list --crdebug: $(cat "$WORK/list")"
[ "$("$BIN/dvm-checkpoint" -l "$WORK/a 'b' c" | wc -l)" = 1 ] && [ -z "$(DVMCR_DIR=/does/not/exist "$BIN/dvm-checkpoint" -l)" ] || fail "list of a folder"
note "lists"

"$BIN/dvm-checkpoint" inspect --no-backtraces "$IMAGE" > "$WORK/inspect" || fail "inspect"
for text in "process $PID of user" "mpir_steps 2 1000000" "number 2" "\[stack\]" "libc.so.6" "^ *1 file .*names.out" "dvm-cr"; do
  has "$text" "$WORK/inspect" || { cat "$WORK/inspect" >&2; fail "inspect lacks '$text'"; }
done
if command -v gdb > /dev/null; then
  "$BIN/dvm-checkpoint" inspect "$IMAGE" > "$WORK/inspect" 2> /dev/null && has " worker (" "$WORK/inspect" || fail "inspect shows no backtraces"
fi

# Compression: smaller, listed, inspected and restarted; expanded again.
before=$(du -k "$IMAGE" | cut -f 1)
"$BIN/dvm-checkpoint" compress --zlib "$IMAGE" && [ "$(du -k "$IMAGE" | cut -f 1)" -lt "$before" ] || fail "compress"
"$BIN/dvm-checkpoint" -l | grep -q " z .*-2.ckpt" || fail "a compressed image is not listed as such"
"$BIN/dvm-checkpoint" inspect --no-backtraces "$IMAGE" | grep -q ", compressed" || fail "inspect of a compressed image"
"$BIN/dvm-checkpoint" expand "$IMAGE" "$WORK/expanded" && [ "$(stat -c %a "$WORK/expanded")" = 600 ] || fail "expand"
if command -v gdb > /dev/null; then
  "$BIN/dvm-checkpoint" inspect "$IMAGE" 2> /dev/null | grep -q " worker (" || fail "no backtraces of a compressed image"
fi
checkpoint --compress "$PID" && "$BIN/dvm-checkpoint" inspect --no-backtraces "$IMAGE" | grep -q ", compressed" || fail "--compress"
PATH=/nowhere "$BIN/dvm-checkpoint" inspect "$IMAGE" > /dev/null 2> "$WORK/refused.err"
[ $? = 1 ] && has "install the package gdb, or omit them with '--no-backtraces'" "$WORK/refused.err" || fail "inspect without gdb"
note "inspect and compression"

# --kill; and the restarted process's end is the command's: status, signal, signals passed on.
checkpoint --kill "$PID" || fail "--kill"
wait_for 10 gone "$PID" || fail "--kill does not kill"
wait "$PID" 2> /dev/null
[ "$?" = 137 ] || fail "--kill: another end"
killed=$IMAGE pid=$PID
for i in "$WORK/expanded" "$killed"; do
  IMAGE=$i
  restart again
  wait_for 20 running mpir_steps || { cat "$WORK/again.err" >&2; fail "$i does not run again"; }
  [ "$PID" = "$pid" ] || fail "process $PID, not $pid"
  kill -USR1 "$WAITER" # passed on: makes it quick
  wait "$WAITER" && has "^sum 2000000$" "$WORK/names.out" || fail "$i: wrong end"
  : > "$WORK/names.out"
done
restart again crdebug # as figure 5.11 of Hursey's thesis has it (docs/checkpoint-debugging.md)
wait_for 20 has "MPIR_debug_info) $(uname -n):$pid$" "$WORK/again.err" || fail "'restart crdebug' holds nothing"
kill -TERM "$pid"
kill -KILL "$pid"
wait "$WAITER"
[ $? = 137 ] || fail "death by a signal is not passed on"
"$BIN/dvm-restart" --detach "$killed" 2> "$WORK/detached" || fail "--detach"
has "process $pid is running again" "$WORK/detached" || fail "--detach says nothing"
kill -USR1 "$pid"
wait_for 20 gone "$pid" && has "^sum 2000000$" "$WORK/names.out" || fail "--detach: wrong end"
"$BIN/dvm-restart" 2> /dev/null; [ $? = 2 ] || fail "usage errors are not 2"
"$BIN/dvm-restart" --nonsense x 2> /dev/null; [ $? = 2 ] || fail "usage errors are not 2"
note "restart's options and exit status"

# A wrong command line: status 2, one line that names the word.
refused() { # TEXT COMMAND...
  local text=$1; shift
  "$@" > "$WORK/refused.out" 2> "$WORK/refused.err"
  [ $? = 2 ] && [ "$(wc -l < "$WORK/refused.err")" = 1 ] && [ ! -s "$WORK/refused.out" ] && has "$text" "$WORK/refused.err" ||
    { cat "$WORK/refused.err" >&2; fail "$*: no '$text'"; }
}
refused "unknown option '--chekpointable'; did you mean '--checkpointable'" "$BIN/dvm-run" --chekpointable true
refused "'--keep' takes a number from 1 .*'x'" "$BIN/dvm-run" --checkpointable --keep x true
refused "'--checkpoint-every' takes a number .*'-1'" "$BIN/dvm-run" --checkpointable --checkpoint-every -1 true
refused "'--keep' needs '--checkpointable'" "$BIN/dvm-run" --keep 2 true
refused "'--checkpoint-dir' needs a value" "$BIN/dvm-run" --checkpoint-dir
mkdir "$WORK/gone" && cd "$WORK/gone" && rmdir "$WORK/gone"
refused "cannot find the folder 'saved'" "$BIN/dvm-run" --checkpointable --checkpoint-dir saved true
cd "$OLDPWD" || exit 1
refused "'a b' is not a process number" "$BIN/dvm-checkpoint" 'a b'
refused "unknown option '--stets'; did you mean '--stats'" "$BIN/dvm-checkpoint" --stets "$$"
refused "'--timeout' takes a number .*'1s'" "$BIN/dvm-checkpoint" --timeout 1s "$$"
refused "'--compress' takes zstd or zlib, not 'lz4'" "$BIN/dvm-checkpoint" --compress=lz4 "$$"
refused "found '2' after it" "$BIN/dvm-checkpoint" 1 2
refused "unknown option '--lazzy'; did you mean '--lazy'" "$BIN/dvm-restart" --lazzy x
refused "found 'b' after it" "$BIN/dvm-restart" a b
"$BIN/dvm-checkpoint" -l /does/not/exist 2> "$WORK/refused.err"
[ $? = 1 ] && has "/does/not/exist" "$WORK/refused.err" || fail "the list of a folder that is not there"
begin nowhere
"$BIN/dvm-checkpoint" -o /does/not/exist "$PID" 2> "$WORK/refused.err"
[ $? = 1 ] && has "cannot create '/does/not/exist.*': there is no such folder" "$WORK/refused.err" || fail "an image without a folder"
kill_process "$PID"
mkfifo "$WORK/pipe"
for what in "expand $IMAGE $WORK/limited" "compress $killed"; do
  (ulimit -f 1; exec "$BIN/dvm-checkpoint" $what 2> "$WORK/refused.err")
  [ $? = 1 ] && has "cannot write .*: File too large" "$WORK/refused.err" || fail "$what beyond the limit: $(cat "$WORK/refused.err")"
done
[ -z "$(ls "$WORK"/*.tmp* "$DVMCR_DIR"/*.tmp* 2> /dev/null)" ] && [ ! -e "$WORK/limited" ] || fail "a cut image was left"
"$BIN/dvm-checkpoint" expand "$killed" "$WORK/pipe" 2> "$WORK/refused.err"
[ $? = 1 ] && has "is not a regular file" "$WORK/refused.err" && [ -p "$WORK/pipe" ] || fail "a pipe was replaced by an image"
"$BIN/dvm-checkpoint" expand "$killed" "$WORK" 2> "$WORK/refused.err"
[ $? = 1 ] && has "'$WORK' is a folder; expected the name of a file" "$WORK/refused.err" || fail "a folder is taken for an image"
"$BIN/dvm-checkpoint" -o "$WORK/pipe" "$$" 2> "$WORK/refused.err"
[ $? = 1 ] && has "is not a regular file" "$WORK/refused.err" && [ -p "$WORK/pipe" ] || fail "a pipe is taken for an image"
for what in "-l" "inspect --no-backtraces $killed"; do
  "$BIN/dvm-checkpoint" $what > /dev/full 2> "$WORK/refused.err"
  [ $? = 1 ] && has "No space left\|is the disk full" "$WORK/refused.err" || fail "$what: output was lost without a word"
done
note "wrong command lines"

# A namespace while the old process runs; its number outside is told.
begin outer
checkpoint "$PID"
inner=$PID
restart again
wait_for 20 has "runs in a pid namespace of its own; from outside it is process [0-9]*" "$WORK/again.err" || { cat "$WORK/again.err" >&2; fail "no second one beside the first"; }
outside=$(sed -n 's/.*it is process \([0-9]*\)$/\1/p' "$WORK/again.err")
grep -q "^NSpid:.*[^0-9]$inner$" "/proc/$outside/status" || fail "process $outside is not $inner inside"
checkpoint "$outside" || fail "no checkpoint from outside the namespace"
kill -USR1 "$inner" "$outside"
wait "$WAITER" || fail "the one in the namespace ends with $?"
wait "$PID" || fail "the first one ends with $?"
note "a second one beside the first"

# Retention, periodic checkpoints, checkpoint by signal.
rm -f "$DVMCR_DIR"/*
begin kept --keep 2
for i in 1 2 3 4; do checkpoint "$PID"; done
[ "$(ls "$DVMCR_DIR")" = "$(printf 'mpir_steps-%s-3.ckpt\nmpir_steps-%s-4.ckpt' "$PID" "$PID")" ] || fail "kept: $(ls "$DVMCR_DIR")"
kill_process "$PID"
rm -f "$DVMCR_DIR"/*
begin periodic --checkpoint-every 1 --keep 2
wait_for 20 at_least 2 || fail "no periodic checkpoints"
kill_process "$PID"
rm -f "$DVMCR_DIR"/*
begin signalled --checkpoint-signal USR2 --checkpoint-dir "$WORK/other"
kill -USR2 "$PID"
wait_for 20 test -s "$WORK/other/mpir_steps-$PID-1.ckpt" || fail "no checkpoint by signal"
"$BIN/dvm-run" --checkpointable --checkpoint-signal KILL true 2> /dev/null; [ $? = 2 ] || fail "SIGKILL is taken"
"$BIN/dvm-run" --checkpointable /does/not/exist 2> /dev/null; [ $? = 127 ] || fail "a missing program is not 127"
kill_process "$PID"
note "retention, period, signal"

# What another host would miss.
begin facts
checkpoint "$PID" || fail "no checkpoint"
kill_process "$PID"
"$BIN/dvm-checkpoint" facts "$PROGRAMS" "$BIN" > "$WORK/facts" || fail "no facts"
"$BIN/dvm-checkpoint" inspect --check "$WORK/facts" "$IMAGE" > "$WORK/check.out" || { cat "$WORK/check.out" >&2; fail "something is missing here"; }
grep -v 'libc\.so' "$WORK/facts" | sed 's/^vdso \([0-9]*\) .*/vdso \1 00000000/; s|^file \([0-9]*\) \([0-9]*\) \(.*mpir_steps\)$|file \1 1 \3|' > "$WORK/other.facts"
"$BIN/dvm-checkpoint" inspect --check "$WORK/other.facts" "$IMAGE" > "$WORK/check.out" && fail "nothing is missing on another host"
grep -q "^kernel: .*vdso" "$WORK/check.out" && grep -q "^file: '.*libc.so.6' is not listed" "$WORK/check.out" &&
  grep -q "^file: '.*mpir_steps' is different there" "$WORK/check.out" || { cat "$WORK/check.out" >&2; fail "what is missing is not named"; }
head -c 200 "$WORK/facts" > "$WORK/cut.facts"
"$BIN/dvm-checkpoint" inspect --check "$WORK/cut.facts" "$IMAGE" 2> /dev/null && fail "cut facts are taken"
note "what another host would miss"
