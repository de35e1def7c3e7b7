#!/usr/bin/env bash
# survives.sh BUILD SOURCE: a program executed in parallel under 'dvm run': on our message layer and on mpirun's, saved, killed and restarted in the
# middle, with replicas that die.  Each result is that of the sequential run.
build=$(cd "$1" && pwd) source=$(cd "$2" && pwd)
BIN=$build/mpir PROGRAMS=$build
. "$source/test/integration/mpir/lib.sh"
need_restart
cd "$WORK" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset DVM_OPTIONS
steps=30 T=-$$ # names of jobs are the whole host's, where this test may run twice
"$build/driver/dvmcc" -fdvm=parallel -g -O2 "$source/test/integration/parallel/heat.c" -o heat || fail "dvmcc failed"
"$("$build/driver/dvmcc" --dvm-print-clang)" -O2 -Wno-unknown-pragmas "$source/test/integration/parallel/heat.c" -o plain || fail "clang failed"
./plain $steps plain.data > plain.out || fail "the sequential run failed"

# same NAME: its output and file are those of the sequential run.
same() {
  cmp -s plain.out "$1.out" || { diff plain.out "$1.out" | head >&2; cat "$1.err" >&2; fail "$1: other output than the sequential run"; }
  cmp -s plain.data "$1.data" || fail "$1: another file than the sequential run"
}
# run NAME COMMAND...
run() {
  local name=$1; shift
  timeout 100 "$@" ./heat $steps "$name.data" > "$name.out" 2> "$name.err" || { cat "$name.err" >&2; fail "$name: status $?: $*"; }
  same "$name"
}

run alone env
run native "$BIN/dvm-run" --native -n 2
for n in 1 2 4; do run "layer$n" "$BIN/dvm-run" -n $n; done
run grid env DVM_OPTIONS=grid=2x2 "$BIN/dvm-run" -n 4
run poison env DVM_OPTIONS=poison=1 "$BIN/dvm-run" -n 3
note "the same result on any number of ranks"

# begin NAME OPTION... : in the background, slow until there is a file 'gate'; JOB is its controller.
pace=20
begin() {
  local name=$1; shift
  rm -f gate
  : > "$name.out"
  PACE=$pace "$BIN/dvm-run" --checkpointable "$@" ./heat $steps "$name.data" > "$name.out" 2> "$name.err" &
  JOB=$!
  STARTED+=("$JOB")
}
is_beyond() { [ "$(wc -l < "$1.out")" -gt "$2" ]; }
ended() { local s; wait "$JOB"; s=$?; [ "$s" = "$1" ] || { cat "$2.err" >&2; fail "$2: status $s, not $1"; }; }
# interrupted NAME WHAT: saved and killed after some steps; then to its end.  What was printed twice, after the checkpoint and before the end, is not there.
interrupted() {
  local name=$1 what=$2
  wait_for 60 is_beyond "$name" 3 || fail "$name does not begin: $(cat "$name.err")"
  IMAGE=$("$BIN/dvm-checkpoint" --kill "$what" 2> checkpoint.err) || { cat checkpoint.err >&2; fail "$name cannot be saved"; }
  ended 137 "$name"
  local done; done=$(wc -l < "$name.out")
  [ "$done" -lt $steps ] || fail "$name ended before it was saved"
  : > gate
  "$BIN/dvm-restart" "$IMAGE" > "$name.rest" 2>> "$name.err" &
  JOB=$!
  STARTED+=("$JOB")
  ended 0 "$name"
  cat "$name.rest" >> "$name.out"
  same "$name"
  rm -rf "$IMAGE"
}
begin saved -n 4 --name "saved$T"
interrupted saved "saved$T"
export DVM_OPTIONS=grid=2x2:patience=0.4 # ranks wait for longer, and are saved so: neither that nor the pause is a fault
pace=900
begin grid_saved -n 4 --name "grid$T"
interrupted grid_saved "grid$T"
unset DVM_OPTIONS
pace=20
begin single
interrupted single $JOB
note "saved, killed and restarted"

# Replicas: the process of a rank dies, its shadow goes on.  A rank that waits for longer than 'patience' tells rank 0: both replicas at the same call.
open_gate() { wait_for 60 is_beyond "$1" 2 && : > gate; }
replicas() { # KILLS PACE PATIENCE
  rm -f gate
  : > "replica$1.out"
  open_gate "replica$1" &
  STARTED+=($!)
  run "replica$1" env PACE=$2 DVM_OPTIONS=patience=$3 DVM_REPLICA_KILL="$1" "$BIN/dvm-run" --replicate --check -n 2
  wait $!
  grep -q "was killed by signal 9" "replica$1.err" || fail "nobody died at $1: $(cat "replica$1.err")"
}
replicas 0.0@150 10 5
replicas 1.0@90 900 0.4
replicas 0.0@300,1.0@200 10 5
note "a replica dies"
