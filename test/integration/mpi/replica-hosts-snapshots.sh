#!/usr/bin/env bash
# replica-hosts-snapshots.sh BUILD SOURCE [TRIALS [SEED]]: mains on one host, shadows on another, and snapshots: a job that has lost both replicas of a rank goes on from the last one by itself, prints once, and
# outlives the next loss.  With TRIALS, so many runs instead, saved each second, in which ranks, proxies and mpirun die at random.
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
open_gate() { local i; for ((i = 0; i < 1500; i++)); do is_through && { rm -f gate; return; }; [ -e gate ] || : > gate; sleep 0.05; done; fail "$1 does not end: $(grep -v ^told "$1.err")"; }
: > gate
"$BIN/dvm-run" -n 3 ./paced$T 60 gate 0 2> told.all | sort > expected
sort told.all > told
rm -f gate

# Of mains and shadows some, or all of a rank, or a whole host; then what is left goes on.
trial() { # NAME
  local i n=$((RANDOM % 4 + 1)) p
  OPTIONS="--checkpoint-every 1 --keep 2 $([ $((RANDOM % 3)) = 0 ] && echo --check)" twice "$1" 3 ./paced$T 60 "$WORK/gate" $((RANDOM % 40 + 20))
  wait_for 60 eval '[ "$(ls saved | grep -c "job-$JOB-.*ckpt$")" -ge 1 ] || is_through' || fail "$1: no snapshot: $(grep -v ^told "$1.err")"
  for ((i = 0; i < n; i++)); do
    sleep "$((RANDOM % 3)).$((RANDOM % 10))"
    p=$(ranks | shuf -n 1 --random-source=<(yes "$RANDOM"))
    [ -n "$p" ] || continue
    case $((RANDOM % 6)) in
      0) kill -9 "$(proxy_of "$p")" 2> /dev/null ;;
      1 | 2) lose_both $((RANDOM % 3)) 2> /dev/null ;;
      *) kill -9 "$p" 2> /dev/null ;;
    esac
  done
  open_gate "$1"
  over 0 "$1"
  same "$1"
  rm -rf saved/*
}
if [ "${3:-0}" -gt 0 ]; then
  RANDOM=${4:-1}
  for ((k = 1; k <= $3; k++)); do
    trial "trial$k"
    echo "trial $k: $(grep -c 'takes* over' "trial$k.err") takeovers, $(grep -c 'has a fresh' "trial$k.err") made anew, $(grep -c 'goes on from' "trial$k.err") went back"
  done
  exit 0
fi

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

# Before it is saved a main was lost and made anew: its set has one that follows.  Then that set is saved again, now as ranks lead it that were followers.
twice mixed 3 ./paced$T 60 "$WORK/gate" 5
stands mixed
wait_for 30 has_all 3 || fail "mixed: not all are there"
kill -9 "$(rank_at $NA 1)"
refreshed mixed 1
take
lose_both 2
goes_back mixed 1
refreshed mixed 4
take
lose_both 1
goes_back mixed 2
open_gate mixed
over 0 mixed
same mixed
note "goes back to where one followed"

# A set that lacks a rank is not saved; nor does a rank come back.
OPTIONS="--refresh off" twice shadows 3 ./paced$T 60 "$WORK/gate" 5
stands shadows
wait_for 30 has_all 3 || fail "shadows: not all are there"
kill -9 "$(rank_at $NA 1)"
wait_for 30 has "takes over" shadows.err || fail "shadows: not told: $(cat shadows.err)"
take
kill -9 "$(rank_at $NB 1)"
goes_back shadows 1
open_gate shadows
over 0 shadows
same shadows
note "shadows are saved"

# By the clock, and a host's loss: the others take its place.
OPTIONS="--checkpoint-every 1 --keep 2" twice clock 3 ./paced$T 60 "$WORK/gate" 5
stands clock
wait_for 60 eval '[ "$(ls saved | grep -c "job-$JOB-.*ckpt$")" = 2 ]' || fail "clock: no snapshots: $(grep -v ^told clock.err)"
kill -9 "$(proxy_of "$(rank_at $NA 1)")"
wait_for 60 has "take over" clock.err || fail "clock: not told: $(cat clock.err)"
kill -9 "$(rank_at $NB 2)"
goes_back clock 1
refreshed clock 3
open_gate clock
over 0 clock
same clock
note "by the clock, behind a lost proxy"

# What ends it.
twice none 3 ./paced$T 60 "$WORK/gate" 5
stands none
wait_for 30 has_all 3 || fail "none: not all are there"
lose_both 1
over 68 none
has "goes on from" none.err && fail "none: goes back without a snapshot"
twice crash 3 ./paced$T 60 "$WORK/gate" 2 33
stands crash
take
open_gate crash
over 68 crash
has "which is not restarted again" crash.err || fail "crash: $(grep -v ^told crash.err)"
twice killed 3 ./paced$T 60 "$WORK/gate" 5
stands killed
take --kill
over 137 killed
at_na "$BIN/dvm-restart" "$IMAGE" > again.out 2> again.err && fail "restarted by hand"
has "'dvm restart' cannot restart its snapshots" again.err || fail "restarted by hand: $(cat again.err)"
echo | at_na "$BIN/dvm-run" --replicate --placement nodes --checkpointable --hosts na,nb -n 2 ./paced$T 3 gate 0 > input.out 2> input.err
[ $? = 2 ] && has "needs an empty standard input" input.err || fail "input: $(cat input.err)"
note "what ends it"
echo "all as expected"
