#!/usr/bin/env bash
# hosts.sh BUILD SOURCE: jobs on two nodes: results as Open MPI's, snapshots, other placements, bad snapshots.
. "$(dirname "$0")/nodes.sh"

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
cat > says.sh <<END
cat
echo "\$OMPI_COMM_WORLD_RANK of \$OMPI_COMM_WORLD_SIZE, \$OMPI_COMM_WORLD_LOCAL_RANK of \$OMPI_COMM_WORLD_LOCAL_SIZE on \$(hostname)"
: > $WORK/says.\$OMPI_COMM_WORLD_RANK
[ \$OMPI_COMM_WORLD_RANK != 1 ] || until [ -e $WORK/says.0 ] && [ -e $WORK/says.2 ]; do sleep 0.02; done # its end is that of the others
exit \$((OMPI_COMM_WORLD_RANK % 2))
END
echo "line" | at_na "$BIN/dvm-run" -n 3 --hosts nb,na --launcher "$MPIRUN" sh "$WORK/says.sh" > said 2> said.err; s=$?
[ $s = 1 ] || fail "status of programs: $s $(cat said.err)"
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

# Whether a rank is ready its own host says: what the first one knows of it may be old.
mkfifo late
job early 4 nb,na ./x$T $quick early
wait_for 30 has "rank 1 waits" early.err || fail "no rank that is late: $(cat early.err)"
at_na "$BIN/dvm-checkpoint" early$T > /dev/null 2> refused.err && fail "a snapshot with a rank that is not ready"
has "rank 1 (process [0-9]*) has not called MPI_Init yet" refused.err || fail "a rank that is not ready: $(cat refused.err)"
[ -z "$(ls "$DVMCR_DIR")" ] || fail "left behind: $(ls "$DVMCR_DIR")"
: > late
ended 0 early
note "ranks that are not ready"
echo "all as expected"
