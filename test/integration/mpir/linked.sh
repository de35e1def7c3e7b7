#!/bin/bash
# linked.sh BIN PROGRAMS: programs that hold the checkpointer themselves, started by 'dvm run --checkpointable' all the same: one checkpointer
# each, and images go where the command says.  A static program without one is refused.
BIN=$1 PROGRAMS=$2
. "$(dirname "$0")/lib.sh"
need_restart
for kind in linked static; do
  start run "$PROGRAMS/mpir_steps_$kind" 3 2000000000
  wait_for 20 has ready "$WORK/run.err" || { cat "$WORK/run.err" >&2; fail "$kind: it does not start"; }
  helpers=$(cat /proc/$PID/task/*/comm | grep -c dvm-cr)
  [ "$helpers" = 1 ] || fail "$kind: $helpers checkpointers"
  checkpoint "$PID" || fail "$kind: no checkpoint"
  [ "$(dirname "$IMAGE")" = "$DVMCR_DIR" ] || fail "$kind: the image lies in '$IMAGE'"
  kill_process "$PID"
  restart again
  wait_for 20 runs_again || { cat "$WORK/again.err" >&2; fail "$kind: it does not run again"; }
  checkpoint "$PID" || fail "$kind: no second checkpoint"
  kill "$WAITER"
  wait "$WAITER" 2> /dev/null
  note "$kind"
done
"$BIN/dvm-run" --checkpointable "$PROGRAMS/mpir_plain_static" 2> "$WORK/plain.err" && fail "a static program without checkpointer runs"
has "is statically linked, so nothing can be preloaded" "$WORK/plain.err" || { cat "$WORK/plain.err" >&2; fail "another message"; }
note "$(head -n 1 "$WORK/plain.err")"
# In a static link its symbols stand beside the program's: they have a prefix, or are libc's own, which it wraps.
libc=$(ldconfig -p | sed -n 's/.*libc\.so\.6.*x86-64.* => //p' | head -n 1)
nm -D --defined-only "$libc" | sed 's/.* //; s/@.*//' | sort -u > "$WORK/libc"
nm -g --defined-only "$BIN/libdvmcr_linked.a" 2> "$WORK/nm.err" | awk 'NF == 3 { print $3 }' | grep -Ev '^(mpir|dvmcr|MPIR|cr|ompi)_' | sort -u > "$WORK/bare"
bare=$(comm -23 "$WORK/bare" "$WORK/libc")
[ -z "$bare" ] || fail "symbols of libdvmcr without a prefix: $bare"
[ -s "$WORK/bare" ] || fail "no symbols were looked at"
