#!/usr/bin/env bash
# kills.sh BUILD SOURCE [KILLS [SEED]]: replicas are ended at their internal points; the run outlives it, with the same result.
. "$(dirname "$0")/../driver/lib.sh"
here=$source/test/integration/mpi
kills=${3:-300}
mpicc -g -O1 "$here/replicas.c" -o replicas && mpicc -g -O1 "$here/writes.c" -o writes && mpicc -g -O1 "$here/nature.c" -o nature && mpicc -g -O1 "$here/asked.c" -o asked || wrong "mpicc failed"
python3 "$here/kills.py" --kills $((kills / 6)) --seed "${4:-1}" --ranks 2,3 "$build/mpir/dvm-run" ./writes files || wrong "files: a kill was not outlived"
python3 "$here/kills.py" --kills $((kills / 6)) --seed "${4:-1}" --ranks 2,3 "$build/mpir/dvm-run" ./writes descriptors || wrong "descriptors: a kill was not outlived"
python3 "$here/kills.py" --kills $((kills / 6)) --seed "${4:-1}" --ranks 2,3 "$build/mpir/dvm-run" ./writes both || wrong "read and written: a kill was not outlived"
python3 "$here/kills.py" --kills $((kills / 6)) --seed "${4:-1}" --ranks 2,3 "$build/mpir/dvm-run" ./nature || wrong "surroundings: a kill was not outlived"
python3 "$here/kills.py" --kills $((kills / 6)) --seed "${4:-1}" --ranks 2,3 "$build/mpir/dvm-run" ./asked 6 || wrong "questions for files: a kill was not outlived"
python3 "$here/kills.py" --kills $((kills - kills / 2)) --seed "${4:-1}" --ranks 2,3,4,5 --protocols shared,shared,receiver-forwarding,sender-forwarding \
  "$build/mpir/dvm-run" ./replicas 1 || wrong "a kill was not outlived"
finish
