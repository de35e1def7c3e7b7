#!/usr/bin/env bash
# replica-hosts-snapshots.sh BUILD SOURCE: mains on one host, shadows on another, and snapshots: a job that has lost both replicas of a rank goes on from the last one by itself, prints once, and
# outlives the next loss.
. "$(dirname "$0")/nodes.sh"
mpicc -g -O1 "$source/test/integration/mpi/paced.c" -o "paced$T" || fail "mpicc failed"
mkdir saved
ranks() { pgrep -r R,S,D,T,t -f "^\./[a-z]*$T"; }
ours() { pgrep -r R,S,D,T,t -f "(^\./[a-z]*$T)|(dvm-proxy .*[a-z]$T)"; }
none_left() { [ -z "$(ours)" ]; }
twice() { # NAME RANKS WORDS...: in the background; JOB is the command.
  local name=$1 ranks=$2; shift 2
  : > "$name.out"
  nsenter -t $NA --net --uts "$BIN/dvm-run" --replicate --placement nodes --checkpointable --checkpoint-dir "$WORK/saved" $OPTIONS -n "$ranks" --hosts "$HOSTS" --launcher "$MPIRUN" "$@" > "$name.out" 2> "$name.err" < /dev/null &
  JOB=$!
  STARTED+=("$JOB")
}
OPTIONS= HOSTS=na,nb
told() { grep '^told' "$1"; }
same() { sort "$1.out" | cmp -s - expected || fail "$1: other output: $(sort "$1.out" | diff - expected | head -5) $(grep -v ^told "$1.err")"
  grep "^told" "$1.err" | sort | cmp -s - told || fail "$1: other output: $(grep "^told" "$1.err" | sort | diff - told | head -5)"; }
over() { local s; wait "$JOB"; s=$?; [ "$s" = "$1" ] || fail "$2: status $s, not $1: $(grep -v ^told "$2.err")"; wait_for 30 none_left || fail "$2: left: $(ours)"; }
stands() { wait_for 60 eval "[ \"\$(grep -c 'round 30:' $1.out)\" = 3 ]" || fail "$1 does not run: $(cat "$1.err")"; }
there() { on_node "$1" | wc -l; }
has_all() { [ "$(there $NA)" = "$1" ] && [ "$(there $NB)" = "$1" ]; }
rank_at() { local p; for p in $(on_node "$1"); do tr '\0' '\n' < "/proc/$p/environ" | grep -qx "DVM_MPI_RANK=$2" && echo "$p"; done; }
# Both replicas of a rank at once.
lose_both() { local p; p="$(rank_at $NA "$1") $(rank_at $NB "$1")"; kill -STOP $p; kill -9 $p; }
went_back() { [ "$(grep -c 'goes on from its last snapshot' "$1.err")" = "$2" ]; }
goes_back() { wait_for 60 went_back "$1" "$2" || fail "$1 does not go back: $(grep -v ^told "$1.err")"; }
fresh() { [ "$(grep -c 'has a fresh replica' "$1.err")" -ge "$2" ]; }
refreshed() { wait_for 90 fresh "$1" "$2" && wait_for 30 has_all 3 || fail "$1: no fresh replicas: $(grep -v ^told "$1.err")"; }
take() { IMAGE=$(at_na "$BIN/dvm-checkpoint" "$@" "$JOB" 2> checkpoint.err) || fail "no checkpoint: $(cat checkpoint.err)"; }
is_through() { [ ! -d "/proc/$JOB" ] || [ "$(sed 's/.*) //' "/proc/$JOB/stat" | cut -c1)" = Z ]; }
# Opens the gate, again for each new life.
open_gate() { local i; for ((i = 0; i < 1500; i++)); do is_through && return; [ -e gate ] || : > gate; sleep 0.05; done; fail "$1 does not end: $(grep -v ^told "$1.err")"; }
: > gate
"$BIN/dvm-run" -n 3 ./paced$T 60 gate 0 2> told.all | sort > expected
sort told.all > told
rm -f gate

twice back 3 ./paced$T 60 "$WORK/gate" 5
stands back
wait_for 30 has_all 3 || fail "back: not all are there"
take
lose_both 1
goes_back back 1
refreshed back 3
lose_both 0
goes_back back 2
refreshed back 6
open_gate back
over 0 back
same back
note "goes back twice"
echo "all as expected"
