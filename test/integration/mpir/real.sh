#!/bin/bash
# real.sh BIN PROGRAMS NAME: a program of the system, saved in mid-run, killed, restarted; its output must be that of an
# undisturbed run.  Skipped (status 77) where the program is not installed.
BIN=$1 PROGRAMS=$2 NAME=$3
. "$(dirname "$0")/lib.sh"
need_restart
LINKS=3

need() { command -v "$1" > /dev/null || { echo "skipped: no $1"; exit 77; }; }
text() { awk 'BEGIN { x = 1; for (i = 0; i < '"$1"'; i++) { x = (x * 16807) % 2147483647; printf "%d %s ", x, i % 7 ? "word" : "other"; if (i % 9 == 0) print "" } }'; }

# Each sets COMMAND; what it prints is the result.  'ready' is reached when READY holds.
case $NAME in
xz)
  need xz
  text 120000 > "$WORK/input"
  COMMAND=(xz -6 -T2 --block-size=256KiB -k -c "$WORK/input") READY="grew" ;;
sqlite3)
  need sqlite3
  COMMAND=(sqlite3 "$WORK/database" "create table t(a integer primary key, b text); with recursive n(i) as (select 1 union all select
    i + 1 from n where i < 300000) insert into t select i, printf('%d-%x', i * 7919 % 100003, i) from n; create index x on t(b);
    select count(*), sum(a), min(b), max(b), total(length(b)) from t where b like '%7%'; pragma integrity_check;") READY="opened" ;;
python3)
  [ -x /usr/bin/python3 ] || { echo "skipped: no python3"; exit 77; }
  cat > "$WORK/program.py" << 'P'
import hashlib, json, random, sys, threading
results = {}
def work(seed):
    r, h, table = random.Random(seed), hashlib.sha256(), {}
    for i in range(120000):
        table[r.randrange(5000)] = (i, str(i) * (i % 3))
        h.update(b"%d" % len(table))
    results[seed] = h.hexdigest() + str(sum(v[0] for v in table.values()))
print("ready", file=sys.stderr, flush=True)
threads = [threading.Thread(target=work, args=(s,)) for s in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(json.dumps(results, sort_keys=True))
P
  COMMAND=(/usr/bin/python3 -S "$WORK/program.py") READY="ready" ;;
bc)
  need bc
  printf 'scale=1800\n4*a(1)\nquit\n' > "$WORK/input"
  COMMAND=(bc -l "$WORK/input") READY="opened" ;;
cgo) # its runtime takes all signals over, and its threads' stacks are small
  need go
  cat > "$WORK/program.go" << 'P'
package main

/*
#include <stdint.h>
#include <unistd.h>
static uint64_t mix(uint64_t x) { x ^= x << 13; x ^= x >> 7; return x ^ (x << 17); }
*/
import "C"
import (
	"fmt"
	"os"
	"sync"
	"time"
)

func main() {
	fmt.Fprintln(os.Stderr, "ready")
	var wg sync.WaitGroup
	sums := make([]uint64, 4)
	for g := 0; g < 4; g++ {
		wg.Add(1)
		go func(g int) {
			defer wg.Done()
			x := C.uint64_t(g + 1)
			var keep [][]byte
			for i := 0; i < 800000; i++ {
				x = C.mix(x)
				sums[g] += uint64(x) >> 40
				if i%1000 == 0 {
					keep = append(keep, make([]byte, 10000))
					if len(keep) > 50 {
						keep = nil
					}
					time.Sleep(time.Millisecond)
				}
			}
		}(g)
	}
	wg.Wait()
	fmt.Println("sum", sums[0]^sums[1]^sums[2]^sums[3])
}
P
  HOME=$WORK go build -o "$WORK/cgo" "$WORK/program.go" || { echo "skipped: no cgo"; exit 77; }
  COMMAND=("$WORK/cgo") READY="ready" ;;
gomp | omp)
  COMMAND=("$PROGRAMS/mpir_$NAME" 12000) READY="ready"
  export OMP_WAIT_POLICY=passive # its processor time is then that of its work
  [ -x "${COMMAND[0]}" ] || { echo "skipped: built without OpenMP of this kind"; exit 77; } ;;
esac

ready() {
  case $READY in
  ready) has ready "$WORK/run.err" ;;
  opened) [ "$(cat "/proc/$PID/comm")" = "$NAME" ] && [ "$(awk '{ print $14 }' "/proc/$PID/stat")" -ge 5 ] ;; # 50 ms of work
  grew) [ "$(cat "/proc/$PID/comm")" = "$NAME" ] && [ "$(ls "/proc/$PID/task" | wc -l)" -ge 3 ] ;;
  esac
}

# Moments are chosen by processor time: other work on the machine does not move them to after the program's end.
TIMEFORMAT='%U %S'
{ time "${COMMAND[@]}" > "$WORK/expected" 2> /dev/null || fail "the undisturbed run fails"; } 2> "$WORK/times"
total=$(awk '{ printf "%d", ($1 + $2) * 1000 }' "$WORK/times")
rm -f "$WORK/database"*
[ -s "$WORK/expected" ] || fail "the undisturbed run gives nothing"

start run "${COMMAND[@]}"
WAITER=$PID
wait_for 20 ready || fail "it does not come to work"
for ((i = 1; i <= LINKS; i++)); do
  QUOTA=$((RANDOM % (total / LINKS / 2 + 1)))
  wait_for 60 worked || fail "link $i: it does not go on"
  checkpoint "$PID" --kill || fail "link $i: no checkpoint" # at once: it might remove a file that the image needs
  wait "$WAITER" 2> /dev/null
  wait_for 10 gone "$PID" || fail "the process does not end"
  restart "again$i" --truncate
  wait_for 20 runs_again || { cat "$WORK/again$i.err" >&2; fail "link $i: it does not run again"; }
done
wait "$WAITER" || { cat "$WORK"/again*.err "$WORK/run.err" >&2; fail "status $?"; }
cmp "$WORK/run.out" "$WORK/expected" || fail "the result differs"
note "$NAME: $LINKS links, $(wc -c < "$WORK/run.out") bytes of output as undisturbed"
