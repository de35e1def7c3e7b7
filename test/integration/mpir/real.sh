#!/bin/bash
# real.sh BIN PROGRAMS NAME [MODE [LINKS]]: a program of the system, saved in mid-run, killed, restarted, so often; its output must be that of an
# undisturbed run.  MODE: eager (the usual), lazy, zstd, all-files, no-fork.  Skipped (status 77) where the program is not installed.
BIN=$1 PROGRAMS=$2 NAME=$3 MODE=${4:-eager} LINKS=${5:-3}
. "$(dirname "$0")/lib.sh"
need_restart
SAVE=() AGAIN=()
case $MODE in
eager) ;;
lazy) AGAIN=(--lazy) ;;
zstd) SAVE=(--compress) ;;
all-files) SAVE=(--all-files) ;;
no-fork) SAVE=(--no-fork) ;;
*) echo "no mode '$MODE'"; exit 2 ;;
esac

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
perl)
  need perl
  cat > "$WORK/program.pl" << 'P'
use strict; use Digest::SHA qw(sha256_hex);
print STDERR "ready\n"; my ($h, %t) = ("");
for my $i (1 .. 1200000) { $t{($i * 7919) % 5003} = $i . "x" x ($i % 7); $h = sha256_hex($h . $i) if $i % 40 == 0 }
my $s = 0; $s += length $t{$_} for keys %t; print "$h $s\n";
P
  COMMAND=(perl "$WORK/program.pl") READY="ready" ;;
node)
  need node
  cat > "$WORK/program.js" << 'P'
const crypto = require('crypto'); process.stderr.write('ready\n'); let h = '', m = new Map();
for (let i = 0; i < 900000; i++) { m.set((i * 7919) % 5003, String(i).repeat(i % 4)); if (i % 30 == 0) h = crypto.createHash('sha256').update(h + i).digest('hex') }
let s = 0; for (const v of m.values()) s += v.length; console.log(h, s);
P
  COMMAND=(node "$WORK/program.js") READY="ready" ;;
java)
  need java
  cat > "$WORK/Program.java" << 'P'
import java.util.*;
class Program { public static void main(String[] a) { System.err.println("ready"); long h = 1; Map<Integer, String> m = new HashMap<>();
for (int i = 0; i < 9000000; i++) { h = h * 6364136223846793005L + i; m.put((int) (h >>> 50), "v" + i); }
long s = 0; for (String v : new TreeMap<>(m).values()) s = s * 31 + v.hashCode(); System.out.println(h + " " + s); } }
P
  COMMAND=(java -Xmx128m "$WORK/Program.java") READY="ready" ;;
tclsh)
  need tclsh
  cat > "$WORK/program.tcl" << 'P'
puts stderr ready
set h 1
for {set i 0} {$i < 700000} {incr i} { set h [expr {($h * 16807 + $i) % 2147483647}]; set t([expr {$h % 5003}]) $i }
set s 0
foreach k [lsort -integer [array names t]] { set s [expr {($s * 31 + $t($k)) % 2147483647}] }
puts "$h $s"
P
  COMMAND=(tclsh "$WORK/program.tcl") READY="ready" ;;
awk)
  need awk
  COMMAND=(awk 'BEGIN { x = 1; for (i = 0; i < 3000000; i++) { x = (x * 16807) % 2147483647; t[x % 5003] = i } for (k = 0; k < 5003; k++) s = (s * 31 + t[k]) % 2147483647; print x, s }') READY="worked" ;;
gzip | bzip2 | zstd)
  need "$NAME"
  text 500000 > "$WORK/input"
  case $NAME in zstd) COMMAND=(zstd -17 -T2 -c -q "$WORK/input") ;; *) COMMAND=("$NAME" -9 -c "$WORK/input") ;; esac
  READY="worked" ;;
sort)
  need sort
  seq 900000 | rev > "$WORK/input"
  COMMAND=(sort --parallel=2 -S 20M -T "$WORK" -g "$WORK/input") READY="worked" ;;
openssl)
  need openssl
  head -c 60000000 /dev/zero > "$WORK/input"
  COMMAND=(openssl enc -aes-256-cbc -pbkdf2 -iter 400000 -S 0011223344556677 -pass pass:x -in "$WORK/input") READY="worked" ;;
gcc)
  need gcc
  awk 'BEGIN { for (i = 0; i < 2500; i++) printf "int f%d(int x) { int s = 0; for (int i = 0; i < x; i++) s += i * %d ^ (x >> (i & %d)); return s; }\n", i, i, i % 31 }' > "$WORK/input.c"
  COMMAND=("$(gcc -print-prog-name=cc1)" -quiet -O2 "$WORK/input.c" -o -) READY="worked" ;;
rust)
  need rustc
  cat > "$WORK/program.rs" << 'P'
use std::collections::BTreeMap; use std::thread;
fn main() { eprintln!("ready"); let t: Vec<_> = (1u64..5).map(|s| thread::spawn(move || { let (mut x, mut m) = (s, BTreeMap::new());
for i in 0..1500000u64 { x = x.wrapping_mul(6364136223846793005).wrapping_add(i); m.insert(x >> 50, i); } m.values().fold(x, |a, v| a.wrapping_mul(31).wrapping_add(*v)) })).collect();
println!("{:?}", t.into_iter().map(|h| h.join().unwrap()).collect::<Vec<_>>()); }
P
  HOME=${HOME:-/root} rustc -O "$WORK/program.rs" -o "$WORK/rust" 2> /dev/null || { echo "skipped: no rust"; exit 77; }
  COMMAND=("$WORK/rust") READY="ready" ;;
ruby | php | R | octave | lua | ffmpeg)
  case $NAME in
  ruby) need ruby; COMMAND=(ruby -e '$stderr.puts "ready"; x = 1; t = {}; 3000000.times { |i| x = (x * 16807) % 2147483647; t[x % 5003] = i }; puts x, t.sort.inspect.sum') READY="ready" ;;
  php) need php; COMMAND=(php -r 'fwrite(STDERR, "ready\n"); $x = 1; for ($i = 0; $i < 30000000; $i++) { $x = ($x * 16807) % 2147483647; $t[$x % 5003] = $i; } ksort($t); echo $x, md5(serialize($t));') READY="ready" ;;
  R) need Rscript; COMMAND=(Rscript -e 'message("ready"); set.seed(1); s <- 0; for (i in 1:300) s <- s + sum(solve(matrix(rnorm(10000), 100))); print(s, digits = 15)') READY="ready" ;;
  octave) need octave-cli; COMMAND=(octave-cli --eval 'fputs(stderr, "ready\n"); rand("seed", 1); s = 0; for i = 1:300, s += sum(inv(rand(150) + eye(150))(:)); end; printf("%.15g\n", s)') READY="ready" ;;
  lua) need lua5.3; COMMAND=(lua5.3 -e 'io.stderr:write("ready\n"); x, t = 1, {}; for i = 1, 6000000 do x = (x * 16807) % 2147483647; t[x % 5003] = i end; s = 0; for k = 0, 5002 do s = (s * 31 + t[k]) % 2147483647 end; print(x, s)') READY="ready" ;;
  ffmpeg) need ffmpeg; COMMAND=(ffmpeg -v error -f lavfi -i testsrc=duration=20:size=640x480 -f rawvideo -threads 1 -vf hue=s=0 -f md5 -) READY="worked" ;;
  esac ;;
gomp | omp)
  COMMAND=("$PROGRAMS/mpir_$NAME" 12000) READY="ready"
  export OMP_WAIT_POLICY=passive # its processor time is then that of its work
  [ -x "${COMMAND[0]}" ] || { echo "skipped: built without OpenMP of this kind"; exit 77; } ;;
esac

ready() {
  case $READY in
  worked) [ "$(used)" -ge 50 ] && ! has dvm-run "/proc/$PID/comm" ;;
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

# A chain of at most LINKS: what the program has left is not known exactly, and one that has ended well by itself was not in time to be saved.
# DONE is set.
ended_well() { wait "$WAITER" && cmp -s "$WORK/run.out" "$WORK/expected"; }
chain() {
  local i left
  DONE=0
  start run "${COMMAND[@]}"
  WAITER=$PID
  wait_for 90 ready || fail "it does not come to work"
  left=$((total - $(used))) # half of it is left to what happens between a moment and its image
  for ((i = 1; i <= LINKS; i++)); do
    QUOTA=$((left > 0 ? RANDOM % (left / LINKS / 2 + 1) : 0))
    [ $i -gt 1 ] || QUOTA=$((QUOTA + $(used)))
    wait_for 60 worked || fail "link $i: it does not go on"
    # At once: it might remove a file that the image needs.
    checkpoint "${SAVE[@]}" "$PID" --kill 2> "$WORK/refused" || { ended_well && return; cat "$WORK/refused" >&2; fail "link $i: no checkpoint"; }
    wait "$WAITER" 2> /dev/null
    wait_for 10 gone "$PID" || fail "the process does not end"
    restart "again$i" --truncate "${AGAIN[@]}"
    wait_for 20 runs_again || ended_well || { cat "$WORK/again$i.err" >&2; fail "link $i: it does not run again"; }
    DONE=$i
  done
}

for ((attempt = 1, DONE = 0; attempt <= 5 && DONE == 0; attempt++)); do
  rm -f "$WORK/database"*
  chain
done
[ "$DONE" -gt 0 ] || fail "it always ends before it can be saved"
wait "$WAITER" || { cat "$WORK"/again*.err "$WORK/run.err" >&2; fail "status $?"; }
cmp "$WORK/run.out" "$WORK/expected" || fail "the result differs"
note "$NAME, $MODE: $DONE links, $(wc -c < "$WORK/run.out") bytes of output as undisturbed"
