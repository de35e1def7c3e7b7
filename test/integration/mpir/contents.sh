#!/bin/bash
# contents.sh BIN PROGRAMS: files that go on without the process: said, their length or content put back, made again where they are gone; a copy
# of an image in a second place; images that are refused when something would not come back.
BIN=$1 PROGRAMS=$2
. "$(dirname "$0")/lib.sh"
need_restart
# Not below /tmp: what lies there is kept anyway.
PLACE=$(mktemp -d "$PROGRAMS/contents.XXXXXX")
trap 'cleanup; rm -rf "$PLACE"' EXIT

begin() { # FOLDER
  rm -rf "$1"; mkdir "$1"
  start run "$PROGRAMS/mpir_contents" "$1"
  wait_for 20 has ready "$WORK/run.err" || fail "it does not start"
}
# again WHAT EXPECTED NOTICE OPTION...: IMAGE restarted finds EXPECTED, and the restart says NOTICE ("": nothing of files).
again() {
  local what=$1 expected=$2 notice=$3; shift 3
  : > "$WORK/run.out"
  restart again "$@"
  wait_for 20 running mpir_contents || { cat "$WORK/again.err" >&2; fail "$what: does not run again"; }
  kill -USR1 "$PID"
  wait "$WAITER" || { cat "$WORK/again.err" >&2; fail "$what: status $?"; }
  [ "$(cat "$WORK/run.out")" = "$expected" ] || fail "$what: '$(cat "$WORK/run.out")' instead of '$expected'"
  if [ "$notice" ]; then has "note: .*$notice" "$WORK/again.err" || { cat "$WORK/again.err" >&2; fail "$what: does not say '$notice'"; }
  else ! has "/log'\|/mapped'" "$WORK/again.err" || { cat "$WORK/again.err" >&2; fail "$what: says something"; }; fi
  note "$what"
}
SAME="log 8 same mapped in the file"

# Without the contents.
begin "$PLACE/files"
checkpoint --no-sync "$PID" || fail "no checkpoint"
kill_process "$PID"
again "as it was" "$SAME" ""
echo three >> "$PLACE/files/log"
again "grown" "log 14 differs mapped in the file" "/log': it has grown since"
again "length put back" "$SAME" "/log': its length is as before; the content is not" --restore-files
printf 'ONE\nTWO\n' > "$PLACE/files/log"
again "written" "log 8 differs mapped in the file" "/log': it has been written since"
echo 1 > "$PLACE/files/log"
again "shorter" "log 2 differs mapped in the file" "/log': it is shorter now, and its content is not in the image" --restore-files
printf 'one\ntwo\n' > "$PLACE/files/new"; mv "$PLACE/files/new" "$PLACE/files/log"
again "replaced" "$SAME" "/log': another file has its name now"
printf 'elsewhere..' > "$PLACE/files/mapped"
again "mapped and written" "log 8 same mapped elsewhere.." "/mapped': it has been written since"
rm "$PLACE/files/mapped"
"$BIN/dvm-restart" "$IMAGE" 2> "$WORK/gone.err" && fail "a mapped file that is gone is not missed"
has "mapped, which cannot be read now" "$WORK/gone.err" || { cat "$WORK/gone.err" >&2; fail "a mapped file that is gone is not named"; }

# With them.
for mode in "" --no-fork --compress "--incremental"; do
  begin "$PLACE/files"
  checkpoint --no-sync --save-files $mode "$PID" || fail "no checkpoint"
  kill_process "$PID"
  printf 'ONE\nTWO\nTHREE\n' > "$PLACE/files/log"
  printf 'elsewhere..' > "$PLACE/files/mapped"
  again "not asked for $mode" "log 14 differs mapped elsewhere.." "/log': it has grown since"
  again "contents put back $mode" "$SAME" "" --restore-files
  [ "$(cat "$PLACE/files/log" "$PLACE/files/mapped")" = "$(printf 'one\ntwo\nin the file')" ] || fail "the files are not as before"
  rm "$PLACE/files/log" "$PLACE/files/mapped"
  again "made again $mode" "$SAME" "/mapped': it was missing and has been created again"
  [ "$(stat -c %a "$PLACE/files/log")" = 640 ] || fail "the mode of a file that was made again"
done

# Small files where nothing is meant to stay are kept by themselves.
case $WORK in /tmp/*)
  begin "$WORK/files"
  checkpoint --no-sync "$PID" || fail "no checkpoint"
  kill_process "$PID"
  rm -r "$WORK/files"; mkdir "$WORK/files"
  again "temporary files" "$SAME" "/log': it was missing and has been created again" ;;
esac

# A copy in a second place: restarts by itself, and what goes wrong with it is told.
begin "$PLACE/files"
mkdir "$PLACE/second"
checkpoint --to "$PLACE/second" --incremental "$PID" || fail "no checkpoint"
checkpoint --to "$PLACE/second" --incremental "$PID" || fail "no second one"
[ "$(ls "$PLACE/second" | wc -l)" = 2 ] && cmp "$IMAGE" "$PLACE/second/$(basename "$IMAGE")" || fail "no copies: $(ls "$PLACE/second")"
FIRST=$IMAGE
"$BIN/dvm-checkpoint" --to "$PLACE/nowhere" "$PID" > "$WORK/to.out" 2> "$WORK/to.err"
[ $? = 1 ] && [ ! -s "$WORK/to.out" ] && has "cannot copy to the folder '$PLACE/nowhere'" "$WORK/to.err" || { cat "$WORK/to.err" >&2; fail "no second place is not told"; }
"$BIN/dvm-checkpoint" --to "$(dirname "$IMAGE")" -o "$(dirname "$IMAGE")" "$PID" > "$WORK/to.out" 2> "$WORK/to.err"
[ $? = 1 ] && has "needs a different folder" "$WORK/to.err" || { cat "$WORK/to.err" >&2; fail "one place for both is not told"; }
(ulimit -f 1; exec "$BIN/dvm-checkpoint" --to "$PLACE/second" "$PID" > "$WORK/to.out" 2> "$WORK/to.err")
[ $? = 3 ] && [ -s "$(cat "$WORK/to.out")" ] && has "is complete, but has no copy: cannot write the image: File too large" "$WORK/to.err" ||
  { cat "$WORK/to.err" >&2; fail "a copy that does not fit is not told"; }
[ "$(ls "$PLACE/second" | wc -l)" = 2 ] || fail "left of a copy: $(ls "$PLACE/second")"
"$BIN/dvm-checkpoint" copy "$(cat "$WORK/to.out")" "$PLACE/second" || fail "copied by hand"
kill_process "$PID"
rm "$DVMCR_DIR"/*
IMAGE=$PLACE/second/$(basename "$FIRST")
again "the copy of changes" "$SAME" ""

# What will not come back: said, refused with --strict, left alone when nothing is lost.
begin "$PLACE/files"
checkpoint --no-sync --strict "$PID" || { cat "$WORK/checkpoint.err" >&2; fail "--strict refuses what comes back"; }
kill_process "$PID"
exec 9> >(cat)
start lost bash -c "exec $PROGRAMS/mpir_refuse none 7>&9 9>&-"
exec 9>&-
wait_for 20 has ready "$WORK/lost.err" || fail "it does not start"
checkpoint --no-sync --ignore-files "$PID" || fail "not left out"
has "dvm checkpoint: note: descriptor 7: left out: 'pipe:" "$WORK/checkpoint.err" || { cat "$WORK/checkpoint.err" >&2; fail "not told what is left out"; }
"$BIN/dvm-checkpoint" --no-sync --strict --ignore-files "$PID" > "$WORK/strict.out" 2> "$WORK/strict.err" && fail "--strict lets something be lost"
has "no checkpoint of process $PID: descriptor 7: left out: 'pipe:" "$WORK/strict.err" && [ ! -s "$WORK/strict.out" ] || { cat "$WORK/strict.err" >&2; fail "--strict does not say what"; }
kill_process "$PID"
note "--strict"

# Every image of a run, periodic ones too, with a copy; retention holds there as well.
rm -rf "$PLACE/second"; mkdir "$PLACE/second"
start mirrored env DVMCR_TO="$PLACE/second" DVMCR_KEEP=2 "$PROGRAMS/mpir_contents" "$PLACE/files"
wait_for 20 has ready "$WORK/mirrored.err" || fail "it does not start"
for i in 1 2 3 4; do
  checkpoint --no-sync "$PID" || fail "no checkpoint"
  wait_for 20 test -s "$PLACE/second/$(basename "$IMAGE")" || { cat "$WORK/mirrored.err" >&2; fail "image $i has no copy"; }
done
two() { [ "$(ls "$PLACE/second" | wc -l)" = 2 ]; }
wait_for 20 two || fail "kept in the second place: $(ls "$PLACE/second")"
rm -rf "$PLACE/second"
checkpoint --no-sync "$PID" || fail "no checkpoint without the second place"
wait_for 20 has "error: '$IMAGE' is complete, but has no copy: cannot copy to the folder '$PLACE/second'" "$WORK/mirrored.err" || { cat "$WORK/mirrored.err" >&2; fail "a copy that failed is not told"; }
kill_process "$PID"
note "copies of all images"
