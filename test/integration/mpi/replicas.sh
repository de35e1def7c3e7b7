#!/usr/bin/env bash
# replicas.sh BUILD SOURCE: 'dvm run --replicate': each rank twice, and what is seen of it where nothing or little is lost; kills.py has the rest.
. "$(dirname "$0")/../driver/lib.sh"
here=$source/test/integration/mpi
run=$build/mpir/dvm-run
for program in ring bad replicas differ writes nature input sends asked; do
  mpicc -g -O1 "$here/$program.c" -o $program || wrong "mpicc failed"
done

for protocol in shared receiver-forwarding sender-forwarding; do
  for ranks in 1 2 4; do
    status 0 timeout 60 "$run" --replicate --check --protocol $protocol -n $ranks ./ring
    [ "$(grep -c ": right" out)" = $ranks ] || wrong "$protocol, $ranks ranks: not all are right"
    [ "$(wc -l <out)" = $ranks ] || wrong "$protocol, $ranks ranks: not each line once"
    empty err
  done
  # Table 9: 2N messages and P links, or P^2; one ring that both read: N and none.
  status 0 timeout 60 "$run" --replicate --protocol $protocol --report report.json -n 3 ./replicas 1
  python3 - $protocol report.json <<'P' || wrong "$protocol: the counters"
import json, sys
protocol, r = sys.argv[1], json.load(open(sys.argv[2]))
t, n = r['total'], r['ranks']
assert t['messages'] == n * (n + 1 + 2 + 40), t
assert t['wildcards'] == n * n and t['forks'] == n and t['takeovers'] == 0 and t['shadows_lost'] == 0, t
assert t['times'] == n and t['names'] == n, t
links, copies, forwarded = {'shared': (0, 0, 0), 'receiver-forwarding': (n, 0, t['records']), 'sender-forwarding': (n * n, t['records'], 0)}[protocol]
assert r['links'] == links and t['copies'] == copies, r
assert forwarded <= t['forwarded'] <= forwarded * 1.1, t # and what fills the end of a ring
P
done

# Standard input that is a pipe: all of it, once, whoever dies.
seq 1 5000 >numbers
"$run" -n 2 ./input <numbers >expected
[ "$(tail -n 1 expected)" = "5000 lines, 37507500" ] || wrong "input from a file: $(tail -n 1 expected)"
for kill in "" 0.0@60 0.0@300 0.0@9000 0.0@30000 0.1@5000 0.0@3000,0.1@30000; do
  seq 1 5000 | DVM_REPLICA_KILL=$kill timeout 60 "$run" --replicate -n 2 ./input >out 2>err || wrong "input, kill '$kill': $(cat err)"
  cmp -s out expected || wrong "input, kill '$kill': $(tail -n 1 out)"
done
mkfifo slow
timeout 60 "$run" --replicate --check -n 3 ./input <slow >out 2>err & dialogue=$!
exec 7>slow
seq 1 25 >&7
for ((i = 0; i < 600; i++)); do grep -qx 20 out && break; sleep 0.05; done # it has not waited for the end
seq 26 30 >&7
exec 7>&-
wait $dialogue || wrong "a dialogue: $(cat err)"
[ "$(cat out)" = "$(printf '10\n20\n30\n30 lines, 2790')" ] || wrong "a dialogue: $(cat out)"
seq 1 5000 | timeout 60 "$run" --replicate --checkpointable -n 2 ./input >out 2>err
[ "$(tail -n 1 out)" = "5000 lines, 37507500" ] || wrong "input of a job that is saved: $(cat err)"

# Programs that test in a loop make steps without end; their shadows come after them all the same, and nobody waits for them for long.
for protocol in shared receiver-forwarding sender-forwarding; do
  status 0 timeout 60 "$run" --replicate --protocol $protocol -n 2 ./replicas 1000
  [ "$(wc -l <out)" = 2004 ] || wrong "$protocol: not each line of 1000 rounds once"
done

# Ends of other kinds are what they are without replicas.
status 69 timeout 60 "$run" --replicate -n 3 ./bad cycle
has err "cycle: rank 0 -> rank 1 -> rank 2 -> rank 0"
status 42 timeout 60 "$run" --replicate -n 3 ./bad abort
status 64 timeout 60 "$run" --replicate -n 2 ./bad refused
status 15 timeout 60 "$run" --replicate -n 2 ./bad truncated
status 7 timeout 60 "$run" --replicate -n 2 ./bad status
status 3 timeout 60 "$run" --replicate -n 2 ./bad exit
has err "without calling MPI_Finalize"
status 127 timeout 60 "$run" --replicate -n 2 ./missing
status 0 timeout 60 "$run" --replicate -n 2 true
has err "no rank has called MPI_Init"
status 2 timeout 60 "$run" --replicate --report nowhere/report -n 2 ./ring
has err "cannot write the file 'nowhere/report'"
for list in "" - , 1- -1 0, 0,,1 1-0 0--1 0-1-2 99999999999999999999; do
  status 2 timeout 60 "$run" --replicate --shadow-cpu "$list" -n 2 ./ring
  has err "'--shadow-cpu' takes idle or a list of processors such as 0,2-3, not '$list'"
done
here_cpus=$(sed -n 's/Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
for list in 99999 99998-99999 0,99999; do # which no machine has
  status 2 timeout 60 "$run" --replicate --shadow-cpu $list -n 2 ./ring
  has err "'--shadow-cpu $list': there is no processor 9999"
  has err "; this process may use $here_cpus"
done
first=${here_cpus%%[-,]*}
if [ "$here_cpus" != "$first" ]; then # of the machine, but not of the process
  status 2 timeout 60 taskset -c "$first" "$run" --replicate --shadow-cpu "$here_cpus" -n 2 ./ring
  has err "'--shadow-cpu $here_cpus': this process may not use processor "
  has err "; it may use $first"
fi
status 0 timeout 60 "$run" --replicate --shadow-cpu "$here_cpus" -n 2 ./ring
status 68 timeout 60 "$run" --replicate -n 2 ./bad signal
has err "both replicas of rank 1 are lost: " # each, or the one after the other
has err "was killed by signal 11"

# Losses: one replica; both; the one that has no shadow yet.
lose() { # STATUS KILLS OPTION...
  local expected=$1 kills=$2
  shift 2
  status "$expected" env DVM_REPLICA_KILL="$kills" timeout 60 "$run" --replicate "$@" -n 2 ./replicas 2
}
lose 0 1.0@120
has err "rank 1's main was killed by signal 9 (Killed); its shadow takes over"
[ "$(sort out | uniq -d | wc -l)" = 0 ] && [ "$(grep -c 'ends$' out)" = 2 ] || wrong "not each line once"
lacks out WRONG
lose 68 1.0@120,1.1@60 --refresh off
has err "both replicas of rank 1 are lost"
has err "last event: step"
lose 0 0.0@120,1.0@150 --refresh off
lose 68 1.0@2
has err "rank 1 is lost, and had no shadow yet"
lose 68 1.0@120 --mode check
has err "with '--mode=check' its shadow does not take over"
python3 "$here/both-lost.py" 4 "$run" --replicate -n 4 ./replicas 100000 || wrong "both replicas are lost while others compute: it is over late"
python3 "$here/both-lost.py" 4 "$run" --replicate --shadow-cpu idle -n 4 ./replicas 100000 || wrong "likewise, with idle shadows"

# A rank that only sends gets a fresh shadow, too.
becomes() { # TEXT COMMAND...: waits until the command prints that
  local i
  for ((i = 0; i < 1200; i++)); do [ "$("${@:2}")" = "$1" ] && return; sleep 0.05; done
  wrong "'${*:2}' prints '$("${@:2}")', not '$1': $(cat err)"
}
: > err
timeout 200 "$run" --replicate -n 2 ./sends only$$ >out 2>err & sends=$!
for gate in 1 2; do
  becomes 2 pgrep -c -x only$$
  kill -9 "$(pgrep -o -x only$$)"
  becomes $gate grep -c "rank 1's main was killed by signal 9 (Killed); its shadow takes over" err
  : > gate$gate
done
wait $sends || wrong "a rank that only sends: $(cat err)"
[ "$(cat out)" = "300 messages are right" ] || wrong "a rank that only sends: $(cat out err)"

# What the surroundings tell is the same for both replicas.
for protocol in shared receiver-forwarding sender-forwarding; do
  status 0 timeout 60 "$run" --replicate --check --protocol $protocol -n 2 ./nature
  [ "$(grep -c ': the same' out)" = 2 ] || wrong "$protocol: the surroundings"
done
status 0 timeout 60 "$run" --replicate --check -n 2 ./nature long
for off in time,pid time,random pid,random none; do
  status 67 timeout 60 "$run" --replicate --check --determinants $off -n 2 ./nature
done
status 2 "$run" --replicate --determinants time,date -n 2 ./nature
has err "'--determinants' takes none or a list of time, pid and random, not 'time,date'"

# Replicas that differ.
status 67 timeout 60 "$run" --replicate --check -n 2 ./differ data
has err "the replicas of rank 1 differ: message"
has err "to rank 0, offset 16: the main sent 0x"
has err "sent at differ.c:"
status 67 timeout 60 "$run" --replicate --check -n 2 ./differ tag
has err "bytes with tag"
status 67 timeout 60 "$run" --replicate --check -n 2 ./differ output
has err "differ: standard output, byte"
status 0 timeout 60 "$run" --replicate -n 2 ./differ data
status 0 timeout 60 "$run" --replicate --check -n 2 ./differ none

rounds=$((100000 + $$))
# Files are written once; what cannot be done twice is refused by name.
for how in files descriptors both flushed; do
  mkdir plain twice
  (cd plain && status 0 "$run" -n 2 ../writes $how && rm -f out err)
  (cd twice && status 0 timeout 60 "$run" --replicate --check -n 2 ../writes $how && rm -f out err)
  diff -r plain twice || wrong "$how: replicas have written other files"
  rm -rf plain twice
done
mkdir asks
(cd asks && status 0 timeout 60 "$run" --replicate --check -n 2 ../asked 100 && [ "$(grep -c ': 0 were there before, 800 then' out)" = 2 ]) ||
  wrong "a replica that is behind sees what its main has made: $(cat asks/out asks/err)"
status 64 timeout 60 env DVM_REPLICA_KILL=0.0@100 "$run" --replicate -n 2 ./writes together
has err "several ranks append to"
for what in map share mix linked renamed socket system vfork msgsnd fork; do
  status 64 timeout 60 "$run" --replicate -n 2 ./writes $what
  has err "cannot be replicated"
done
has err "fork cannot be replicated"
rm -f first second
status 0 timeout 60 "$run" --replicate -n 3 ./writes reused

"$run" --replicate -n 2 ./ring > /dev/full 2> err
[ $? = 1 ] && has err "cannot write what the ranks have printed" || wrong "a full disk is not told"

status 0 "$run" --replicate -n 2 ./ring < <(echo input)

# A stopped replica is dead after a while, main or shadow.
"$run" --replicate --heartbeat 1 --report report.json -n 2 ./replicas $rounds >out 2>err &
job=$!
until [ "$(grep -c 'rank . round 5 done' out)" = 2 ]; do sleep 0.05; kill -0 $job || break; done
main=$(pgrep -P $job | head -n 1)
kill -STOP "$main"
until grep -q "its shadow takes over" err; do sleep 0.05; kill -0 $job || break; done
lines=$(wc -l <out)
until [ "$(wc -l <out)" -gt $((lines + 4)) ]; do sleep 0.05; kill -0 $job || break; done
# It ends like any job, and nothing is left.
kill -TERM $job
wait $job
[ $? = 143 ] || wrong "a job that is told to end has another status"
pids=$(pgrep -f "^./replicas $rounds")
empty_word() { [ -z "$1" ] || wrong "processes are left: $1"; }
empty_word "$pids"
has err "was killed by signal 9"

# Without its controller a job ends.
"$run" --replicate -n 2 ./replicas $rounds >out 2>err &
job=$!
until grep -q 'round 1 done' out; do sleep 0.05; kill -0 $job || break; done
{ kill -KILL $job; wait $job; } 2>/dev/null
for i in $(seq 200); do pgrep -f "^./replicas $rounds" >left || break; sleep 0.05; done
empty left

# What cannot be.
status 2 "$run" --replicate ./ring
status 2 "$run" --check -n 2 ./ring
has err "need '--replicate'"
status 2 "$run" --replicate --native -n 2 ./ring
status 2 "$run" --replicate --protocol x -n 2 ./ring
has err "'--protocol' takes shared, receiver-forwarding or sender-forwarding, not 'x'"
status 2 "$run" --replicate --placement nodes -n 2 ./ring
has err "'--placement nodes' needs '--hosts'"
finish
