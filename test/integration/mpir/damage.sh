#!/bin/bash
# damage.sh BIN PROGRAMS COUNT [SEED]: images in which one byte is another, or which were cut, in all forms that images have: whole, read at once and
# lazily, compressed, with all files, changes of another one, a set.  Each is refused, ends with a message, or gives the right result.
BIN=$1 PROGRAMS=$2 COUNT=$3
. "$(dirname "$0")/lib.sh"
need_restart
RANDOM=${4:-$(($(date +%s) % 32768))} SEED=${4:-$RANDOM}
RANDOM=$SEED
refused=0 ended=0 right=0

save() { # NAME OPTION...
  local name=$1; shift
  start saved "$PROGRAMS/mpir_lazy" all
  wait_for 20 has ready "$WORK/saved.err" || fail "it does not start"
  checkpoint --no-sync "$@" "$PID" || fail "$name: no checkpoint"
  [ "$name" != changes ] || { FIRST=$IMAGE; checkpoint --no-sync "$@" "$PID" || fail "$name: no second checkpoint"; }
  kill -USR1 "$PID"
  wait "$PID" || fail "$name: status $?"
  RIGHT=$(cat "$WORK/saved.out")
}
running_or_gone() { PID=; gone "$WAITER" || running mpir_lazy || { PID=; return 1; }; }
# One byte of FILE is another, or its end is missing.
damage() {
  local size=$(stat -c %s "$1") at
  at=$(((RANDOM * 32768 * 32768 + RANDOM * 32768 + RANDOM) % size))
  if ((RANDOM % 20 == 0)); then truncate -s "$at" "$1"; WHAT="cut at $at"; return; fi
  printf "\\x$(printf %02x $((RANDOM % 255 + 1 ^ 0)))" > "$WORK/byte"
  cmp -s -n 1 -i "$at:0" "$1" "$WORK/byte" && return 0 # the same byte
  dd if="$WORK/byte" of="$1" bs=1 seek="$at" conv=notrunc status=none
  WHAT="byte at $at"
}
# try NAME DAMAGED OPTION...: IMAGE, of which the file DAMAGED is spoilt, restarted.
try() {
  local name=$1 file=$2 status; shift 2
  cp --sparse=always "$file" "$WORK/kept"
  WHAT=nothing
  damage "$file"
  : > "$WORK/saved.out"
  restart again "$@"
  wait_for 30 running_or_gone || fail "$name, seed $SEED, $WHAT: it neither runs nor ends"
  [ -z "$PID" ] || kill -USR1 "$PID" 2> /dev/null
  wait "$WAITER"
  status=$?
  if [ $status = 0 ] && [ "$(cat "$WORK/saved.out")" = "$RIGHT" ]; then right=$((right + 1))
  elif [ $status = 1 ] && has "cannot restart" "$WORK/again.err"; then refused=$((refused + 1))
  elif [ $status != 0 ] && [ ! -s "$WORK/saved.out" ] && has "damaged\|fails its checksum" "$WORK/again.err"; then ended=$((ended + 1))
  else cat "$WORK/again.err" "$WORK/saved.out" >&2; fail "$name, seed $SEED, $WHAT: status $status"; fi
  cp --sparse=always "$WORK/kept" "$file"
}

FORMS=(whole lazy compressed all-files changes set)
for form in "${FORMS[@]}"; do
  options=() again=()
  case $form in
  lazy) again=(--lazy) ;;
  compressed) options=(--compress) ;;
  all-files) options=(--all-files) ;;
  changes) options=(--incremental) ;;
  set) options=(--tree) ;;
  esac
  save $form "${options[@]}"
  for ((i = 0; i < (COUNT + ${#FORMS[@]} - 1) / ${#FORMS[@]}; i++)); do
    file=$IMAGE
    [ $form != set ] || file=$(ls -d "$IMAGE"/* | shuf -n 1 --random-source=<(yes $RANDOM))
    [ $form != changes ] || ((RANDOM % 2)) || file=$FIRST
    try $form "$file" "${again[@]}"
  done
  note "$form: until now $refused refused, $ended ended with a message, $right right"
done
