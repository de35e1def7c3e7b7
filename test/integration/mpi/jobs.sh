#!/usr/bin/env bash
# jobs.sh BUILD SOURCE: 'dvm run -n' runs MPI programs that mpicc has made, and every job that cannot go on ends by itself and says why.
. "$(dirname "$0")/../driver/lib.sh"
here=$source/test/integration/mpi
run=$build/mpir/dvm-run
mpicc -g -O1 "$here/ring.c" -o ring && mpicc -g "$here/bad.c" -o bad || wrong "mpicc failed"

for ranks in 1 2 3 4 7; do
  status 0 "$run" -n $ranks ./ring
  [ "$(grep -c ": right" out)" = $ranks ] || wrong "$ranks ranks: not all are right"
done
status 0 "$run" -n 3 --eager-limit 0 ./ring
status 0 "$run" -n 3 --strict ./ring
gcc "$here/nofetch.c" -o nofetch || wrong "gcc failed"
status 0 "$run" -n 3 ./nofetch ./ring # long messages through the rings
[ "$(grep -c ": right" out)" = 3 ] || wrong "without reading others' memory: not all are right"
status 0 ./ring # no launcher: one rank, on Open MPI
status 0 env LD_LIBRARY_PATH="$build/mpir/mpi" ./ring
has out "rank 0 of 1: right"

mpicc -g -O1 -pthread "$here/threads.c" -o threads || wrong "mpicc failed"
for ranks in 1 2 3; do
  status 0 timeout 60 "$run" -n $ranks ./threads
  [ "$(grep -c ": right" out)" = $ranks ] || wrong "threads: $ranks ranks: not all are right"
done
status 0 timeout 60 "$run" -n 2 --strict --eager-limit 0 ./threads
status 69 timeout 60 "$run" -n 2 ./threads dead
has err "deadlock: no rank can continue"
status 69 timeout 60 "$run" --checkpointable -n 2 ./threads dead

status 69 "$run" -n 3 ./bad cycle
has err "deadlock: no rank can continue"
has err "cycle: rank 0 -> rank 1 -> rank 2 -> rank 0"
has err "rank 1 waits in MPI_Recv for rank 2, tag 5, at bad.c:19 in main"
has err "unmatched at rank 1: 4 bytes of rank 0, tag 99"
status 69 "$run" -n 4 ./bad collective
has err "rank 0 waits in MPI_Gather for rank 3, at bad.c:28 in main"
has err "rank 1 waits in MPI_Recv for rank 0, tag 8"
status 69 "$run" -n 2 ./bad kinds # what one operation sends another does not take
has err "rank 1 waits in MPI_Reduce for rank 0"
has err "unmatched at rank 1: 4 bytes of rank 0, of MPI_Bcast"
status 69 "$run" -n 2 ./bad prints # into a file: a line is there when it is printed
[ "$(grep -c "has come here" out)" = 2 ] || wrong "what was printed before the deadlock is lost"
status 0 timeout 60 "$run" -n 2 ./bad child
has out "1 child has failed"
has err "which rank 1 has forked"
status 0 bash -c "ulimit -S -f 4; '$run' -n 2 ./bad none"
status 1 bash -c "ulimit -f 4; '$run' -n 2 ./bad none"
has err "hard limit of their size"
status 1 "$run" -n 2 ./bad late
has err "MPI_Barrier was called after MPI_Finalize"
status 1 "$run" -n 2 ./bad twice
has err "MPI_Finalize was called a second time"
status 7 "$run" -n 3 ./bad failures # the first that ends does not silence the others
[ "$(grep -c "has failures" out)" = 3 ] || wrong "a rank that was over did not say all"
status 0 "$run" -n 2 ./bad unsafe
status 69 "$run" -n 2 --strict ./bad unsafe
has err "waits in MPI_Send"
status 69 "$run" -n 2 ./bad large
status 69 "$run" -n 2 ./bad gone
status 42 "$run" -n 3 ./bad abort
has err "rank 1 has called MPI_Abort with 42"
status 139 "$run" -n 2 ./bad signal
has err "rank 1 was killed by signal 11"
status 3 "$run" -n 2 ./bad exit
has err "without calling MPI_Finalize"
status 64 "$run" -n 2 ./bad refused
has err "MPI_Win_create is not supported here"
has err "help: 'dvm run --native'"
status 15 "$run" -n 2 ./bad truncated
has err "rank 1: MPI_Recv on MPI_COMM_WORLD: MPI_ERR_TRUNCATE"
status 7 "$run" -n 2 ./bad status
status 127 "$run" -n 2 ./missing
has err "cannot run './missing'"
status 2 "$run" -n 0 ./ring
status 2 "$run" -n 2 --eager-limit x ./ring
status 2 "$run" --native ./ring
finish
