#!/usr/bin/env bash
# bindings.sh BUILD SOURCE: programs of mpif90 (with mpif.h's constants, the module mpi and the module mpi_f08) and of mpicxx, which bring Debian's libraries of Open
# MPI's bindings with them: as on Open MPI itself.
. "$(dirname "$0")/../driver/lib.sh"
here=$source/test/integration/mpi
run=$build/mpir/dvm-run
unset LD_LIBRARY_PATH
mpif90 --version > /dev/null 2>&1 || { echo "skipped: there is no mpif90"; exit 77; }
mpif90 -ffree-line-length-none -g "$here/fortran.f90" -o fortran && mpif90 -g "$here/f08.f90" -o f08 && mpif90 -g "$here/stuck.f90" -o stuck && mpicxx "$here/cxx.cc" -o cxx ||
  wrong "cannot be compiled"

all_right() { # PROGRAM RANKS COMMAND...
  local program=$1 ranks=$2
  shift 2
  status 0 timeout 60 "$@" -n "$ranks" "./$program"
  [ "$(grep -c ": right" out)" = "$ranks" ] || { wrong "$program, $ranks ranks: not all are right"; cat out; }
}
for program in fortran f08 cxx; do
  for ranks in 1 2 3; do
    all_right $program $ranks "$run"
  done
  all_right $program 2 mpirun --allow-run-as-root --oversubscribe
  all_right $program 2 "$run" --strict --eager-limit 0
done
# A deadlock is told where the program is, not where its binding is.
status 69 timeout 60 "$run" -n 2 ./stuck
has err "rank 0 waits in MPI_Recv for rank 1, tag 4, at stuck.f90:9 in wait_for"
status 3 timeout 60 "$run" -n 2 ./stuck abort
finish
