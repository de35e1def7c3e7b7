#!/bin/bash
# points.sh BIN PROGRAMS: breakpoints with conditions and commands, in C++ and in a shared library, and watchpoints, of locals too, are there
# again after checkpoint-save and after checkpoint-restart; one that cannot be set again does not keep the others from it.  Images that the
# process keeps elsewhere are listed.
BIN=$1 PROGRAMS=$2
. "$(dirname "$0")/lib.sh"
need_restart
COMMANDS=$(cd "$(dirname "$0")/../../../mpir/gdb" && pwd)/dvm_checkpoint.py
export DVMCR_BINDIR=$BIN

# Debug registers that virtual machines take, and that never stop a program.
HARDWARE=1
gdb -nx -q -batch -iex "set debuginfod enabled off" -ex "break shapes::counter<long>::add" -ex "run 1000" -ex "watch total.value" \
  -ex "delete 1" -ex continue -ex kill "$PROGRAMS/mpir_points" 2>&1 < /dev/null | grep -q "^Old value" || HARDWARE=0

debug() { # NAME COMMAND...
  local name=$1 arguments=(); shift
  for c in "$@"; do arguments+=(-ex "$c"); done
  timeout -k 5 90 gdb -nx -q -batch -iex "set debuginfod enabled off" -iex "set pagination off" \
    -iex "set can-use-hw-watchpoints $HARDWARE" -x "$COMMANDS" "${arguments[@]}" > "$WORK/$name.gdb" 2>&1 < /dev/null
  grep -q "Traceback\|^Error" "$WORK/$name.gdb" && { cat "$WORK/$name.gdb" >&2; fail "$name: gdb"; }
  return 0
}
shows() { # NAME PATTERN...
  local name=$1; shift
  for pattern in "$@"; do
    grep -q -e "$pattern" "$WORK/$name.gdb" || { cat "$WORK/$name.gdb" >&2; fail "$name: '$pattern' is not shown"; }
  done
}
begin() { # NAME
  "$BIN/dvm-run" --checkpointable --checkpoint-dir "$WORK/elsewhere" "$PROGRAMS/mpir_points" 1000 > "$WORK/$1.out" 2> "$WORK/$1.err" &
  PID=$!
  STARTED+=("$PID")
  wait_for 20 has ready "$WORK/$1.err" || fail "$1: it does not start"
}

cat > "$WORK/commands" << 'END'
break turn if round % 7 == 3
commands
  printf "met round %d\n", round
end
continue
watch local
break shapes::counter<long>::add if more == 1000000
break usleep if 1 == 2
watch total.value if total.value < 0
tbreak main
checkpoint-save
info breakpoints
continue
kill
END
mkdir "$WORK/elsewhere"
begin run
debug saved "attach $PID" "source $WORK/commands"
wait "$PID" 2> /dev/null
IMAGE=$(sed -n 's/^MPIR_checkpoint_handle) //p' "$WORK/saved.gdb")
[ -s "$IMAGE" ] && [ -s "$IMAGE.breakpoints" ] || { cat "$WORK/saved.gdb" >&2; fail "no image"; }
[ "${IMAGE%/*}" = "$WORK/elsewhere" ] || fail "the image is in ${IMAGE%/*}"
points=("stop only if round % 7 == 3" "printf \"met round" "watchpoint .* local" "stop only if more == 1000000" "stop only if 1 == 2" \
  "watchpoint .* total.value" "stop only if total.value < 0" "breakpoint *del ")
shows saved "met round" "${points[@]}" "atchpoint [0-9]*: local"
note "after checkpoint-save"

RESTART="python default_commands.update(restart='$BIN/dvm-restart --crdebug')"
debug again "file $PROGRAMS/mpir_points" "$RESTART" "checkpoint-restart $IMAGE" "info breakpoints" continue kill
shows again "${points[@]}" "atchpoint [0-9]*: local"
note "after checkpoint-restart"

# One that cannot be set again, in front of the others.
python3 - "$IMAGE.breakpoints" << 'END' || fail "not changed"
import json, sys
saved = json.load(open(sys.argv[1]))
first = dict(next(d for d in saved["breakpoints"] if d.get("expression") == "local"))
first["frame"] = dict(first["frame"], function="nowhere")
saved["breakpoints"].insert(0, first)
json.dump(saved, open(sys.argv[1], "w"))
END
debug rest "file $PROGRAMS/mpir_points" "$RESTART" "checkpoint-restart $IMAGE" "info breakpoints" kill
shows rest "warning: 'local' was not set again" "${points[@]}"
note "one that cannot be set again"

# Where the process keeps its images.
begin list
debug listed "attach $PID" checkpoint-list kill
shows listed "^MPIR_checkpoint_handle) $IMAGE$"
note "checkpoint-list"
