#!/bin/bash
# recorded.sh BIN PROGRAMS DVMCC SOURCE: a program that is being recorded, saved in mid-run, killed and restarted twice: its trace is whole and
# the same as that of an undisturbed run; once more from the first image, long after the end.
BIN=$1 PROGRAMS=$2 DVMCC=$3 SOURCE=$4
[ -w /dev/shm ] && export TMPDIR=/dev/shm # the trace is synced before a checkpoint: the program is not to end meanwhile
. "$(dirname "$0")/lib.sh"
need_restart
TOOLS=$(dirname "$DVMCC")

sed 's/#define STEPS 200/#define STEPS 500/' "$SOURCE" > "$WORK/program.c"
"$DVMCC" -fdvm=trace -g -O2 "$WORK/program.c" -o "$WORK/program" || fail "it does not compile"
cd "$WORK" || exit 1
TIMEFORMAT='%U %S'
{ time "$TOOLS/dvm-record" -o plain.dvmt ./program > expected; } 2> times || fail "the undisturbed run fails"
QUOTA=$(awk '{ printf "%d", ($1 + $2) * 100 }' times) # a tenth of the processor time of the program and its recorder

# same WHAT: the trace is complete and equal to the plain one.
same() {
  "$TOOLS/dvm-trace" info "$TRACE" > info || { cat info >&2; fail "$1: the trace cannot be read"; }
  has "^state *complete$" info || { cat info >&2; fail "$1: the trace is not complete"; }
  "$TOOLS/dvm-diff" plain.dvmt "$TRACE" > diff.out 2>&1 || { cat diff.out >&2; fail "$1: the trace differs"; }
}

TRACE=inside.dvmt
"$TOOLS/dvm-record" -o "$TRACE" --inside ./program > /dev/null || fail "no recording from inside"
same "from inside"
TRACE=before.dvmt
"$TOOLS/dvm-record" -o "$TRACE" "$BIN/dvm-run" --checkpointable ./program > run.out || fail "no recording of a checkpointable program"
"$TOOLS/dvm-diff" plain.dvmt "$TRACE" > diff.out 2>&1 || { cat diff.out >&2; fail "the trace of a checkpointable program differs"; }
rm -f inside.dvmt before.dvmt

TRACE=trace.dvmt
start run "$TOOLS/dvm-record" -o "$TRACE" ./program
WAITER=$PID
for link in 1 2; do
  wait_for 60 worked || fail "link $link: it does not go on" # and stands while it is saved, for it is short
  checkpoint --kill --no-fork "$PID" || { cat run.err >&2; fail "link $link: no checkpoint"; }
  wait "$WAITER" 2> /dev/null
  wait_for 60 gone "$PID" || fail "the process does not end"
  [ $link = 1 ] && cp "$IMAGE" first.ckpt
  restart "again$link"
  wait_for 60 running program || { cat "again$link.err" >&2; fail "link $link: it does not run again"; }
done
wait "$WAITER" || { cat again*.err run.err >&2; fail "status $?"; }
cmp expected run.out || fail "the result differs"
same "after two links"
printf 'more than before' >> "$TRACE"
: > run.out
"$BIN/dvm-restart" first.ckpt 2> restart.err || { cat restart.err >&2; fail "no restart from the first image"; }
same "from the first image"
tail -c 100 "$TRACE" | grep -q "more than before" && fail "what was behind the end is still there"
note "$(cat info | tr '\n' ';')"
