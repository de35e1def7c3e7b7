#!/usr/bin/env bash
# hosts.sh BUILD SOURCE: jobs on two nodes, which are network namespaces with a cable between and names of their own; mpirun reaches the other one as it
# would by ssh.  Results as Open MPI's, snapshots, other placements, and everything that can die there.
build=$(cd "$1" && pwd) source=$(cd "$2" && pwd)
BIN=$build/mpir PROGRAMS=$build
. "$source/test/integration/mpir/lib.sh"
need_restart
cd "$WORK" || exit 1
T=$$
node() { # NAME: a process that is the node
  unshare --net --uts sh -c "hostname $1 && exec sleep 100000" & NODE=$!
  STARTED+=("$NODE")
  wait_for 10 eval "[ \"\$(nsenter -t $NODE --uts hostname)\" = $1 ]"
}
node na && NA=$NODE && node nb && NB=$NODE &&
  nsenter -t $NA --net ip link add va type veth peer name vb netns $NB &&
  nsenter -t $NA --net sh -c "ip addr add 10.78.0.1/24 dev va; ip link set va up; ip link set lo up" &&
  nsenter -t $NB --net sh -c "ip addr add 10.78.0.2/24 dev vb; ip link set vb up; ip link set lo up" ||
  { echo "skipped: cannot make nodes of network namespaces"; exit 77; }
# As ssh: HOST COMMAND, in the folder of a login.
cat > reach <<END
#!/bin/sh
case \$1 in na) pid=$NA;; nb) pid=$NB;; *) echo "no host \$1" >&2; exit 255;; esac
shift
cd / && exec nsenter -t \$pid --net --uts sh -c "\$*"
END
chmod +x reach
MPIRUN="mpirun --mca plm_rsh_agent $WORK/reach -x PACE -x GATE"
at_na() { nsenter -t $NA --net --uts "$@"; }
export OMPI_MCA_btl_tcp_if_include=10.78.0.0/24 PACE=0 GATE="$WORK/gate"
mpicc -g -O1 "$source/test/integration/mpi/exchange.c" -o x$T && mpicc -g "$source/test/integration/mpi/bad.c" -o bad || fail "mpicc failed"
quick=1500 long=100000000

# job NAME RANKS HOSTS PROGRAM...: in the background, at the first node; JOB is its controller.
job() {
  local name=$1 ranks=$2 hosts=$3; shift 3
  : > "$name.out"
  nsenter -t $NA --net --uts "$BIN/dvm-run" --checkpointable -n "$ranks" --name "$name$T" --hosts "$hosts" --launcher "$MPIRUN" "$@" > "$name.out" 2> "$name.err" &
  JOB=$!
  STARTED+=("$JOB")
}
again() { : > "$1.err"; : > "$1.out"; nsenter -t $NA --net --uts "$BIN/dvm-restart" --launcher "$MPIRUN" "${@:2}" "$IMAGE" > "$1.out" 2> "$1.err" & JOB=$!; STARTED+=("$JOB"); }
save() { IMAGE=$(at_na "$BIN/dvm-checkpoint" "$@" 2> checkpoint.err) || { cat checkpoint.err >&2; return 1; }; }
steps_of() { sed -n 's/^step //p' "$1.out" | tail -n 1 | tr -d '\r'; }
is_beyond() { local n; n=$(steps_of "$1"); [ "${n:-0}" -gt "$2" ]; }
goes_on() { local n; n=$(steps_of "$1"); wait_for 60 is_beyond "$1" "${n:-0}" || fail "$1 does not go on: $(cat "$1.err")"; }
ended() { local s; wait "$JOB"; s=$?; [ "$s" = "$1" ] || { cat "$2.err" >&2; fail "$2: status $s, not $1"; }; }
result_of() { grep result "$1.out" | tr -d '\r'; }
ranks() { pgrep -x -r R,S,D,T,t "x$T"; }
no_ranks() { [ -z "$(ranks)" ]; }
all_gone() { wait_for 30 no_ranks || fail "$1: ranks are left: $(ranks)"; }
proxy_of() { sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f2; }
on_node() { local p; for p in $(ranks); do [ "$(readlink "/proc/$p/ns/net")" = "$(readlink "/proc/$1/ns/net")" ] && echo "$p"; done; }
below() { local p; for p in $(cat "/proc/$1/task/$1/children"); do echo "$p"; below "$p"; done; }
mpirun_of() { local p; for p in $(below "$1"); do [ "$(cat "/proc/$p/comm")" = mpirun ] && echo "$p" && return; done; }

# The same results as on one host, and as Open MPI.
: > gate
for n in 2 3 5; do
  "$BIN/dvm-run" -n $n ./x$T 60 | grep result > "expected$n"
  job plain $n na,nb ./x$T 60
  ended 0 plain
  result_of plain | cmp -s - "expected$n" || fail "$n ranks: another result: $(cat plain.out plain.err)"
done
at_na env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 $MPIRUN --oversubscribe --host na,nb -n 2 ./x$T 60 < /dev/null 2> /dev/null | grep result | tr -d '\r' > native
cmp -s native expected2 || fail "Open MPI has another result: $(cat native)"
note "results"

# What a program says and how it ends.
echo "line" | at_na "$BIN/dvm-run" -n 3 --hosts nb,na --launcher "$MPIRUN" sh -c 'cat; echo "$OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE, $OMPI_COMM_WORLD_LOCAL_RANK of $OMPI_COMM_WORLD_LOCAL_SIZE on $(hostname)"; exit $OMPI_COMM_WORLD_RANK' > said 2> said.err
[ $? = 1 ] || [ $? = 2 ] || fail "status of programs: $(cat said.err)"
tr -d '\r' < said | sort > sorted
printf '%s\n' "0 of 3, 0 of 2 on nb" "1 of 3, 1 of 2 on nb" "2 of 3, 0 of 1 on na" line | cmp -s - sorted || fail "environment, input or places: $(cat said)"
at_na "$BIN/dvm-run" -n 4 --hosts na:3,nb --launcher "$MPIRUN" ./bad cycle 2> dead.err > dead.out; s=$?
[ $s = 69 ] && has "cycle: rank 0 -> " dead.err && has "(host nb)" dead.err && has "bad.c:" dead.err || fail "deadlock over two nodes: $s $(cat dead.err)"
at_na "$BIN/dvm-run" -n 4 --hosts na:3,nb --launcher "$MPIRUN" ./missing > /dev/null 2> missing.err; s=$?
[ $s = 127 ] && has "cannot run './missing'" missing.err || fail "a missing program: $s $(cat missing.err)"
at_na "$BIN/dvm-run" -n 4 --hosts na:1,nb:2 true 2> few.err; s=$?
[ $s = 2 ] && has "room for 3 ranks" few.err || fail "too few places: $s $(cat few.err)"
timeout 60 nsenter -t $NA --net --uts "$BIN/dvm-run" -n 2 --hosts na,nowhere --launcher "$MPIRUN" true 2> nowhere.err; s=$?
[ $s != 0 ] && [ $s != 124 ] && has "mpirun, under which the ranks run" nowhere.err || fail "a host that is not there: $s $(cat nowhere.err)"
note "programs, deadlocks, bad hosts"

# Saved, killed, restarted: nodes changed, all on one, three and one; the job goes on after a snapshot too.
"$BIN/dvm-run" -n 4 ./x$T $quick | grep result > expected
rm gate
PACE=3000 job chain 4 na,nb ./x$T $quick
for hosts in nb,na nb na:1,nb:3 na,nb; do
  at=$((${at:-0} + 60))
  wait_for 60 is_beyond chain $at || fail "does not come to step $at: $(cat chain.err)"
  save chain$T || fail "no snapshot"
  save --kill chain$T || fail "no snapshot with --kill"
  ended 137 chain
  all_gone "killed with its snapshot"
  again chain --hosts $hosts
done
at_na "$BIN/dvm-checkpoint" -l > list; [ "$(grep -c "job chain$T of 4 ranks" list)" = 8 ] || fail "not listed: $(cat list)"
at_na "$BIN/dvm-checkpoint" inspect "$IMAGE" > inspected 2> inspected.err && has "rank 3: process .*node-1/rank-3.ckpt" inspected && has "messages under way" inspected &&
  has "node 1: nb" inspected || fail "inspect: $(cat inspected)"
: > gate
ended 0 chain
result_of chain | cmp -s - expected || fail "another result after the chain: $(result_of chain), not $(cat expected)"
note "chains over other placements"

# A job that was on one host goes on two, and what is there does not stay; from there to others as any.
more() { nsenter -t $NA --net --uts "$BIN/dvm-restart" --launcher "$MPIRUN" "$@" "$IMAGE" 2> one.err & JOB=$!; STARTED+=("$JOB"); } # its output is a file, which goes on
rm -f gate
PACE=3000 at_na "$BIN/dvm-run" --checkpointable -n 4 --name one$T ./x$T $quick > one.out 2> one.err & JOB=$!
STARTED+=("$JOB")
wait_for 60 is_beyond one 60 || fail "one host: does not run: $(cat one.err)"
save --kill --compress one$T || fail "one host: no snapshot"
ended 137 one
left=$(ls "$DVMCR_DIR" | wc -l)
at_na "$BIN/dvm-restart" --launcher "$MPIRUN" --hosts na:1,nb:2 "$IMAGE" 2> few.err && fail "too few places are enough"
[ "$(ls "$DVMCR_DIR" | wc -l)" = "$left" ] || fail "left behind: $(ls "$DVMCR_DIR")"
more --hosts na:1,nb:3
wait_for 60 is_beyond one 120 || fail "from one host to two: $(cat one.err)"
[ "$(on_node $NB | wc -l)" = 3 ] || fail "three ranks are at the other host: $(ranks)"
[ "$(ls "$DVMCR_DIR" | wc -l)" = "$left" ] || fail "left behind by a restart: $(ls "$DVMCR_DIR")"
save --kill one$T || fail "from one host to two: no snapshot"
ended 137 one
all_gone "killed with its snapshot"
more --hosts nb
: > gate
ended 0 one
result_of one | cmp -s - expected || fail "another result after one, two and the other host: $(result_of one) $(cat one.err), not $(cat expected)"
note "from one host to two"

# --debug: a line for each process, with its host.
again debugged --debug --hosts nb:2,na:2
wait_for 60 eval '[ "$(grep -c "^MPIR_debug_info) n[ab]:[0-9]*" debugged.err)" = 4 ]' || fail "no lines for a debugger: $(cat debugged.err)"
kill $JOB; ended 143 debugged
all_gone "a debugged restart"

# What is wrong with a snapshot is told, and nothing runs.
cp -r "$IMAGE" broken.ckpt && rm broken.ckpt/node-1/rank-2.ckpt
at_na "$BIN/dvm-restart" --launcher "$MPIRUN" broken.ckpt 2> broken.err && fail "a missing image is restarted"
has "rank 2" broken.err || fail "a missing image: $(cat broken.err)"
cp -r "$IMAGE" bent.ckpt && printf x | dd of=bent.ckpt/node-0/segment bs=1 seek=5000 conv=notrunc 2> /dev/null
at_na "$BIN/dvm-restart" --launcher "$MPIRUN" bent.ckpt 2> bent.err && fail "a damaged memory is restarted"
has "memory of node 0" bent.err || fail "a damaged memory: $(cat bent.err)"
rm -rf "$DVMCR_DIR"; mkdir "$DVMCR_DIR"
note "bad snapshots"

# Kills.  Each case ends by itself, with its reason, and leaves no rank.
PACE=500
for victim in rank proxy mpirun command; do
  job die-$victim 4 na,nb ./x$T $long
  wait_for 60 is_beyond die-$victim 20 || fail "die-$victim does not run: $(cat die-$victim.err)"
  case $victim in
    rank) p=$(on_node $NB | head -n 1) status=137 text="was killed by signal 9" ;;
    proxy) p=$(proxy_of "$(on_node $NB | head -n 1)") status= text="mpirun, under which the ranks run, ended" ;;
    mpirun) p=$(mpirun_of $JOB) status=137 text="mpirun, under which the ranks run, was killed by signal 9" ;;
    command) p=$JOB status=137 text= ;;
  esac
  kill -9 "$p" || fail "no $victim to kill"
  wait $JOB; s=$?
  if [ "$status" ]; then [ $s = "$status" ]; else [ $s != 0 ]; fi || fail "kill of $victim: status $s: $(cat die-$victim.err)"
  [ -z "$text" ] || has "$text" die-$victim.err || fail "kill of $victim: no reason: $(cat die-$victim.err)"
  all_gone "kill of $victim"
done
job faulty 4 na,nb ./x$T $long
wait_for 60 is_beyond faulty 20 || fail "does not run: $(cat faulty.err)"
for fault in job-stands job-copied job-sealed; do
  DVM_FAULT=$fault at_na "$BIN/dvm-checkpoint" faulty$T > /dev/null 2>&1 && fail "$fault: no fault"
  goes_on faulty
  wait_for 10 eval '[ -z "$(ls "$DVMCR_DIR")" ]' || fail "$fault leaves: $(ls "$DVMCR_DIR")"
done
save faulty$T || fail "no snapshot after the faults"
goes_on faulty
save --kill faulty$T || fail "no snapshot with --kill after the faults"
ended 137 faulty
DVM_FAULT=job-restored at_na "$BIN/dvm-restart" --launcher "$MPIRUN" "$IMAGE" > /dev/null 2>&1 && fail "job-restored: no fault"
all_gone "a restart that dies"
again faulty
wait_for 60 is_beyond faulty 0 || fail "does not run after a restart that died: $(cat faulty.err)"
kill $JOB; ended 143 faulty
all_gone "the last"
echo "all as expected"
