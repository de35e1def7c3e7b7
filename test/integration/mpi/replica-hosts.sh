#!/usr/bin/env bash
# replica-hosts.sh BUILD SOURCE: mains on one host and shadows on another: the same output, exactly once, whoever dies.
. "$(dirname "$0")/nodes.sh"
for name in replicas input writes differ stream; do
  mpicc -g -O1 "$source/test/integration/mpi/$name.c" -o "$name$T" || fail "mpicc failed"
done
PROGRAM=./replicas$T
ranks() { pgrep -r R,S,D,T,t -f "^\./[a-z]*$T"; }
ours() { pgrep -r R,S,D,T,t -f "(^\./[a-z]*$T)|(dvm-proxy .*[a-z]$T)"; }
none_left() { [ -z "$(ours)" ]; }
# twice NAME RANKS WORDS...: in the background; JOB is the command.
twice() {
  local name=$1 ranks=$2; shift 2
  : > "$name.out"
  nsenter -t $NA --net --uts "$BIN/dvm-run" --replicate --placement nodes $OPTIONS -n "$ranks" --hosts "$HOSTS" --launcher "$MPIRUN" "$@" > "$name.out" 2> "$name.err" < "$INPUT" &
  JOB=$!
  STARTED+=("$JOB")
}
OPTIONS= HOSTS=na,nb INPUT=/dev/null
same() { sort "$1.out" | cmp -s - "expected$2" || fail "$1: other output: $(sort "$1.out" | diff - "expected$2" | head -5) $(cat "$1.err")"; }
over() { local s; wait "$JOB"; s=$?; [ "$s" = "$1" ] || fail "$2: status $s, not $1: $(cat "$2.err")"; wait_for 30 none_left || fail "$2: left: $(ours)"; }
is_round() { [ "$(grep -c "round $2 done" "$1.out")" -ge 1 ]; }
node_of() { case $1 in mains) echo $NA ;; shadows) echo $NB ;; esac; }
is_there() { [ "$(on_node "$(node_of "$1")" | wc -l)" -ge "$2" ]; }
# runs NAME RANKS: it is in the middle, and so are its shadows.
runs() { wait_for 60 is_round "$1" 5 && wait_for 60 is_there shadows "$2" || fail "$1 does not run: $(cat "$1.err")"; }
# Of the mains or the shadows of JOB.
mpirun_at() {
  local c m
  for c in $(cat "/proc/$JOB/task/$JOB/children"); do
    m=$(mpirun_of "$c")
    tr '\0' ' ' < "/proc/$m/cmdline" | grep -q -- "--host n$([ "$1" = mains ] && echo a || echo b) [^ ]*dvm-proxy node" && echo "$m"
  done
}

# Nobody dies.
for n in 1 3; do
  "$BIN/dvm-run" -n $n $PROGRAM 20 | sort > expected$n
  twice plain $n $PROGRAM 20
  over 0 plain
  same plain $n
  [ ! -s plain.err ] || fail "plain: $(cat plain.err)"
done
note "nobody dies"

# Compared; what is told of them.
OPTIONS="--check --report report.json --summary" twice check 3 $PROGRAM 20
over 0 check
same check 3
has "3 ranks, each twice" check.err || fail "no summary: $(cat check.err)"
python3 - report.json << 'END' || fail "the report: $(cat report.json)"
import json, sys
r = json.load(open(sys.argv[1]))
t = r["total"]
assert r["placement"] == "nodes" and r["mode"] == "both" and r["links"] == 9 and len(r["per_rank"]) == 3
assert t["messages"] > 100 and t["records"] == t["copies"] == t["compared"] and t["compared_bytes"] >= t["message_bytes"] and t["takeovers"] == 0
END
OPTIONS="--check" twice data 2 ./differ$T data; over 67 data
has "replicas of rank 1 differ: message 2 to rank 0: the bytes from offset 0 on have the sum 0x[0-9a-f]* at the main, 0x[0-9a-f]* at the shadow, sent at differ.c:17 in main" data.err ||
  fail "check: $(cat data.err)"
OPTIONS="--check" twice output 2 ./differ$T output; over 67 output
has "replicas of rank . differ: standard output, byte" output.err || fail "check: $(cat output.err)"
OPTIONS="--check" twice none 2 ./differ$T none; over 0 none
note "compared"

# A process, a proxy (and all of its host with it), mpirun, of the mains or of the shadows.
"$BIN/dvm-run" -n 3 $PROGRAM 400 | sort > expected3
for side in mains shadows; do
  for victim in rank proxy mpirun; do
    name=$victim-$side
    twice "$name" 3 $PROGRAM 400 1 10000
    runs "$name" 3
    p=$(on_node "$(node_of $side)" | head -n 1)
    case $victim in
      proxy) p=$(proxy_of "$p") ;;
      mpirun) p=$(mpirun_at $side) ;;
    esac
    kill -9 "$p" || fail "no $victim of the $side"
    over 0 "$name"
    same "$name" 3
    has "note: of the $side" "$name.err" || fail "$name: not told: $(cat "$name.err")"
  done
done
OPTIONS="--mode check" twice mode 3 $PROGRAM 400 1 10000
runs mode 3
kill -9 "$(on_node $NA | head -n 1)"
over 68 mode
has "rank . is lost: .* with '--mode=check' the shadows do not take over; last event: step" mode.err || fail "mode: $(cat mode.err)"
OPTIONS="--report report.json" twice report 3 $PROGRAM 400 1 10000
runs report 3
kill -9 "$(on_node $NA | head -n 1)"
over 0 report
same report 3
python3 -c 'import json; r = json.load(open("report.json")); assert r["total"]["takeovers"] == 1 and 0 < r["total"]["takeover_ns_max"] < 60e9' ||
  fail "the report of a takeover: $(cat report.json)"
note "one dies"

# Of each rank one replica is left: mains and shadows that are alone play together.  Then none is left.
nth() { on_node "$(node_of "$1")" | sed -n "$2p"; }
takes_over() { wait_for 30 has "note: of the mains rank .*its shadow takes over" "$1.err" || fail "$1: nobody takes over: $(cat "$1.err")"; }
twice mixed 3 $PROGRAM 400 1 10000
runs mixed 3
main=$(nth mains 1) shadow=$(nth shadows 2)
kill -9 "$main"
takes_over mixed
kill -9 "$shadow"
wait_for 30 has "note: of the shadows rank 1 was killed by signal 9 (Killed); the rank goes on without it" mixed.err || fail "mixed: not told: $(cat mixed.err)"
over 0 mixed
same mixed 3
twice crossed 3 $PROGRAM 400 1 10000
runs crossed 3
kill -9 "$(nth shadows 3)" "$(nth mains 2)" "$(nth mains 1)"
over 0 crossed
same crossed 3
OPTIONS="--refresh off" twice both 3 $PROGRAM 400 1 10000
runs both 3
shadow=$(nth shadows 1)
kill -9 "$(nth mains 1)"
takes_over both
kill -9 "$shadow"
over 68 both
has "error: both replicas of rank 0 are lost: of the shadows rank 0 was killed by signal 9 (Killed); of the mains, before, rank 0 was killed by .*; last event: step [0-9]*, took a record from rank" both.err ||
  fail "both: no reason: $(cat both.err)"
at_na python3 "$source/test/integration/mpi/both-lost.py" 3 "$BIN/dvm-run" --replicate --placement nodes --hosts na,nb --launcher "$MPIRUN" -n 3 $PROGRAM 100000 ||
  fail "both replicas are lost while others compute: it is over late"
OPTIONS="--refresh off" twice set 3 $PROGRAM 400 1 10000
runs set 3
kill -9 "$(nth mains 1)"
takes_over set
kill -9 "$(proxy_of "$(nth shadows 1)")"
over 68 set
has "error: both replicas of rank 0 are lost: of the shadows a host, a proxy or mpirun was lost; of the mains, before, rank 0 was killed" set.err || fail "set: no reason: $(cat set.err)"
twice later 3 $PROGRAM 400 1 10000 # what a rank's shadow leads, goes on when the mains' host is lost
runs later 3
kill -9 "$(nth mains 1)"
takes_over later
kill -9 "$(proxy_of "$(nth mains 1)")"
over 0 later
same later 3
for kills in 0.0@9 1.1@9,2.0@11; do
  DVM_REPLICA_KILL=$kills twice stuck 4 ./bad cycle
  over 69 stuck
  has "deadlock" stuck.err && has "note: of the mains rank" stuck.err || fail "a deadlock of mains and shadows: $(cat stuck.err)"
done
note "some are left, or none"

# A host that says nothing: its proxy is stopped, or there is no way to it.
OPTIONS="--heartbeat 2"
for side in mains shadows; do
  twice silent 3 $PROGRAM 300 1 10000
  runs silent 3
  proxy=$(proxy_of "$(on_node "$(node_of $side)" | head -n 1)")
  kill -STOP "$proxy"
  "$BIN/dvm-run" -n 3 $PROGRAM 300 | sort > expectedsilent
  wait_for 60 has "of the $side host 1 of theirs has said nothing" silent.err || fail "silent $side: not noticed: $(cat silent.err)"
  kill -CONT "$proxy" 2> cont.err
  over 0 silent
  same silent silent
done
twice cut 3 $PROGRAM 300 1 10000
runs cut 3
nsenter -t $NB --net ip link set vb down
wait_for 60 has "note: of the shadows" cut.err || fail "cut: not noticed: $(cat cut.err)"
nsenter -t $NB --net ip link set vb up
over 0 cut
same cut silent
OPTIONS=
note "silence"

# A main waits for its shadow when that is far behind, which is no deadlock.
stands() { local n; n=$(wc -l < stopped.out); sleep 2; [ "$(wc -l < stopped.out)" = "$n" ]; }
"$BIN/dvm-run" -n 2 ./stream$T 5000 | sort > expectedstream
twice stopped 2 ./stream$T 5000
wait_for 60 has "100 are sent" stopped.out || fail "stopped: does not run: $(cat stopped.err)"
kill -STOP $(on_node $NB) 2> kill.err # what has ended is not there
wait_for 60 stands || fail "stopped: nobody waits"
kill -CONT $(on_node $NB) 2> kill.err
over 0 stopped
same stopped stream
note "a shadow that is behind"

# Standard input: a pipe's goes to both.
seq 1 20000 > numbers
"$BIN/dvm-run" -n 2 ./input$T < numbers | sort > expected2
INPUT=numbers twice file 2 ./input$T; over 0 file; same file 2
mkfifo fifo
cat numbers > fifo & STARTED+=("$!")
INPUT=fifo twice pipe 2 ./input$T; over 0 pipe; same pipe 2
note "standard input"

# Files: the same as without replicas, also where processes are ended at internal points.
for how in files both flushed reused; do
  rm -rf plain two && mkdir plain two
  (cd plain && "$BIN/dvm-run" -n 3 ../writes$T $how | sort > ../expectedfiles)
  cd two
  twice t 3 ../writes$T $how
  wait $JOB; s=$?
  [ $s = 0 ] || fail "$how: status $s: $(cat t.err)"
  sort t.out | cmp -s - ../expectedfiles || fail "$how: other output: $(cat t.out)"
  rm t.out t.err
  cd ..
  diff -r plain two || fail "$how: other files"
done
for what in linked renamed together; do
  twice $what 3 ./writes$T $what; over 64 $what; has "cannot be replicated" $what.err || fail "$what: $(cat $what.err)"
done
for how in "replicas$T 1" "writes$T files" "writes$T both"; do
  at_na python3 "$source/test/integration/mpi/kills.py" --hosts na,nb --launcher "$MPIRUN" --jobs 1 --kills 4 --ranks 2,3 "$BIN/dvm-run" $how || fail "a kill was not outlived"
done
at_na python3 "$source/test/integration/mpi/kills.py" --hosts na,nb --launcher "$MPIRUN" --jobs 1 --every --share 16 --ranks 2 "$BIN/dvm-run" replicas$T 0 || fail "a kill was not outlived"
note "files, and kills at internal points"

# Sets of two hosts each: a ring may have its ends on different ones.
if more_nodes; then
  at_na python3 "$source/test/integration/mpi/kills.py" --hosts na,nc,nb,nd --launcher "$MPIRUN" --jobs 1 --kills 4 --ranks 4 "$BIN/dvm-run" replicas$T 1 || fail "a kill was not outlived by two hosts each"
  note "two hosts each"
fi

# Ends of programs, and what is refused.
twice status 2 sh -c 'exit 5'; over 5 status
twice deadlock 4 ./bad cycle; over 69 deadlock
has "deadlock" deadlock.err || fail "deadlock: $(cat deadlock.err)"
twice abort 4 ./bad abort; wait $JOB; s=$?
"$BIN/dvm-run" -n 4 ./bad abort > /dev/null 2>&1; [ $? = $s ] || fail "MPI_Abort: status $s: $(cat abort.err)"
wait_for 30 none_left || fail "MPI_Abort: left: $(ours)"
twice file 2 ./writes$T map; over 64 file
has "a file that is mapped for writing" file.err && has "placement node'" file.err || fail "a file: $(cat file.err)"
HOSTS=na,na twice one 2 $PROGRAM 5; over 2 one; has "host 'na' is among the first half" one.err || fail "one host: $(cat one.err)"
HOSTS=na twice one 2 $PROGRAM 5; over 2 one; has "at least two hosts" one.err || fail "one host: $(cat one.err)"
HOSTS=na,nowhere twice one 2 $PROGRAM 5; over 1 one; has "shadows at nowhere could not be started" one.err || fail "no host: $(cat one.err)"
for option in "--protocol shared" "--lag-bytes 262144" "--shadow-cpu idle" "--when-full leap"; do
  OPTIONS=$option twice option 2 $PROGRAM 5; over 2 option; has "cannot be used with '--placement nodes'" option.err || fail "$option: $(cat option.err)"
done
twice interrupted 3 $PROGRAM 100000
runs interrupted 3
kill -TERM "$(cat "/proc/$JOB/task/$JOB/children" | head -n 1 | cut -d' ' -f1)" 2> kill.err
kill -TERM "$JOB"
over 143 interrupted
twice killed 3 $PROGRAM 100000
runs killed 3
kill -9 "$JOB"
wait_for 30 none_left || fail "the command is killed: left: $(ours)"
note "ends"
echo "all as expected"
