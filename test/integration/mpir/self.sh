#!/bin/bash
# self.sh BIN PROGRAMS PROGRAM [RESTART-OPTION...]: PROGRAM saves itself and is killed; restarted, it looks at everything
# and says so.  Also from a compressed image and lazily.
BIN=$1 PROGRAMS=$2 PROGRAM=$3
shift 3
. "$(dirname "$0")/lib.sh"
need_restart
trap '[ -s "$WORK/image.ipc" ] && ipcrm $(cat "$WORK/image.ipc"); cleanup' EXIT

save() {
  mkdir -p "$WORK/folder"
  "$PROGRAMS/mpir_$PROGRAM" "$WORK/image" "$WORK/folder" > "$WORK/first.out" 2> "$WORK/first.err" &
  wait $! 2> /dev/null
  [ $? = 137 ] || { cat "$WORK/first.err" >&2; fail "$PROGRAM is not saved"; }
  [ -s "$WORK/image" ] || fail "$PROGRAM: no image"
  cp -r -P "$WORK/folder" "$WORK/kept"
}

# again WHAT OPTION...
again() {
  local what=$1 status; shift
  rm -rf "$WORK/folder"
  cp -r -P -p "$WORK/kept" "$WORK/folder"
  : > "$WORK/first.out" # a regular file: the restarted process has it open again
  "$BIN/dvm-restart" "$@" "$WORK/image" 2> "$WORK/again.err"
  status=$?
  [ $status = 0 ] && grep -q "as before" "$WORK/first.out" ||
    { cat "$WORK/first.out" "$WORK/first.err" "$WORK/again.err" >&2; fail "$PROGRAM, $what: status $status"; }
  note "$PROGRAM, $what: $(cat "$WORK/first.out")"
}

if [ "$PROGRAM" = state ]; then
  mkdir "$WORK/refused"
  mkfifo "$WORK/pipe"
  "$PROGRAMS/mpir_$PROGRAM" "$WORK/pipe" "$WORK/refused" > "$WORK/refused.out" 2> "$WORK/refused.err" && fail "saved to a pipe"
  grep -q "no checkpoint: '.*pipe' is not a regular file" "$WORK/refused.err" && [ -p "$WORK/pipe" ] ||
    { cat "$WORK/refused.err" >&2; fail "a pipe was replaced by an image"; }
fi
save
again restarted "$@"
again "once more" "$@"
again "lazily" --lazy "$@"
again "in a namespace" --namespace "$@"
"$BIN/dvm-checkpoint" compress "$WORK/image" || fail "not compressed"
again "compressed" "$@"
