#!/bin/bash
# checked.sh BIN PROGRAMS DVMCC SOURCE: a program under the checker, with its shadow memory, saved in mid-run, killed and restarted:
# the same report and exit status as undisturbed, apart from the time.
BIN=$1 PROGRAMS=$2 DVMCC=$3 SOURCE=$4
. "$(dirname "$0")/lib.sh"
need_restart

# Steps that are as the one before cost little under the checker: a second of processor time takes many.
sed 's/#define STEPS 200/#define STEPS 100000/' "$SOURCE" > "$WORK/program.c"
"$DVMCC" -g -O2 "$WORK/program.c" -o "$WORK/program" || fail "it does not compile"
report() { sed 's/ in [0-9.]* s;/ in N s;/' "$1"; }

cd "$WORK" || exit 1
TIMEFORMAT='%U %S'
{ time DVM_OPTIONS=report=expected.jsonl ./program > expected 2> expected.err; } 2> times
status=$?
[ -s expected ] && [ -s expected.err ] && [ $status = 66 ] || fail "the undisturbed run ends with $status"
QUOTA=$(awk '{ printf "%d", ($1 + $2) * 250 }' times) # a quarter of its processor time

export DVM_OPTIONS=report=actual.jsonl
start run ./program
WAITER=$PID
for link in 1 2; do
  wait_for 60 worked || fail "link $link: it does not go on"
  gone "$PID" && fail "link $link: it has ended before it could be saved"
  checkpoint --kill "$PID" || fail "link $link: no checkpoint"
  wait "$WAITER" 2> /dev/null
  wait_for 10 gone "$PID" || fail "the process does not end"
  restart "again$link" --truncate
  wait_for 20 running program || { cat "again$link.err" >&2; fail "link $link: it does not run again"; }
done
wait "$WAITER"
[ $? = 66 ] || fail "another exit status than 66"
cmp expected run.out || fail "the result differs"
diff <(report expected.err) <(report run.err) >&2 || fail "the report differs"
diff expected.jsonl actual.jsonl >&2 || fail "the report file differs"
note "$(du -k "$IMAGE" | cut -f 1) KiB of image; $(tail -n 1 run.err)"
