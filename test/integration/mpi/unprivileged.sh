#!/usr/bin/env bash
# unprivileged.sh BUILD SOURCE: jobs, and sets of processes, of a user without any capability are saved, killed and restarted, in a pid namespace;
# and a job that has lost both replicas of a rank goes on by itself.  Run as root it becomes such a user first.
build=$(cd "$1" && pwd) source=$(cd "$2" && pwd)
BIN=$build/mpir PROGRAMS=$build
. "$source/test/integration/mpir/lib.sh"
cd "$WORK" || exit 1
mpicc -g -O1 "$source/test/integration/mpi/exchange.c" -o exchange || fail "mpicc failed"
become=()
if [ "$(id -u)" = 0 ]; then
  become=(setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all)
  # What is built may lie where that user cannot look.
  mkdir -p bin/mpi && cp "$BIN"/dvm-{run,checkpoint,restart} "$BIN/libdvmcr.so" bin && cp "$BIN"/mpi/lib*.so* bin/mpi || fail "nothing to copy"
  BIN=$WORK/bin
  chown -R 65534:65534 "$WORK"
fi
"${become[@]}" unshare -Urpf true 2> /dev/null || { echo "skipped: such users cannot have namespaces here"; exit 77; }
export HOME=$WORK
T=$$ # names of jobs are the whole host's

# goes NAME TEXT COMMAND...: runs, until it has said TEXT
goes() {
  local name=$1 text=$2; shift 2
  : > "$name.out"
  : > "$name.err"
  [ ${#become[@]} = 0 ] || chown 65534 "$name.out" "$name.err" # the restart opens them again
  "${become[@]}" "$@" > "$name.out" 2> "$name.err" &
  PID=$!
  STARTED+=("$PID")
  wait_for 30 has "$text" "$name.out" || { cat "$name.err" >&2; fail "$name: it does not start"; }
}
# again NAME EXPECTED: killed, and restarted to its end
again() {
  IMAGE=$("${become[@]}" "$BIN/dvm-checkpoint" --kill "$PID" 2> "$1.save") || { cat "$1.save" >&2; fail "$1: no checkpoint"; }
  wait "$PID"
  "${become[@]}" "$BIN/dvm-restart" "$IMAGE" 2> "$1.again" < /dev/null || { cat "$1.again" >&2; fail "$1: the restart ends with $?"; }
  cmp "$2" "$1.out" >&2 || fail "$1: another output"
  note "$1: $(cat "$1.again")"
}

PACE=1000 "$BIN/dvm-run" -n 2 ./exchange 600 > job.expected || fail "no result"
goes job "step 50" env PACE=1000 "$BIN/dvm-run" --checkpointable -n 2 --name "u$T" ./exchange 600
again job job.expected

printf 'first\nlast\n' > set.expected
goes set first "$BIN/dvm-run" --checkpointable sh -c 'echo first; sleep 2; echo last'
again set set.expected

goes twice "step 150" env PACE=3000 "$BIN/dvm-run" --replicate --checkpointable --checkpoint-every 1 -n 2 --name "r$T" ./exchange 2000
saved() { ls "$DVMCR_DIR/r$T"-*.ckpt > /dev/null 2>&1; }
wait_for 30 saved || fail "twice: no snapshot"
replicas() { pgrep -P "$PID" -x exchange; for p in $(pgrep -P "$PID"); do pgrep -P "$p" -x exchange; done; }
kill -9 $(replicas)
wait "$PID" || { cat twice.err >&2; fail "twice: status $?"; }
"$BIN/dvm-run" -n 2 ./exchange 2000 | sort -s -u -n -k 2 > twice.expected
diff twice.expected <(sort -s -u -n -k 2 twice.out) >&2 || fail "twice: another output" # what was printed since the snapshot comes again
has "printed since the snapshot is printed again" twice.err || fail "twice: it is not told"
has "goes on from its last snapshot" twice.err || fail "twice: it did not go on by itself"
note "twice: $(tail -n 1 twice.err)"
