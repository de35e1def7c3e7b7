#!/usr/bin/env bash
# snapshots.sh BUILD SOURCE: jobs that are saved, killed and restarted, whatever moves in them at that time; and what goes wrong with it.
build=$(cd "$1" && pwd) source=$(cd "$2" && pwd)
BIN=$build/mpir PROGRAMS=$build
. "$source/test/integration/mpir/lib.sh"
need_restart
cd "$WORK" || exit 1
here=$source/test/integration/mpi
mpicc -g -O1 "$here/exchange.c" -o exchange && mpicc -g "$here/bad.c" -o bad || fail "mpicc failed"
quick=1000 long=100000000
T=-$$ # names of jobs are the whole host's, where this test may run twice

# job NAME RANKS [OPTION...] -- PROGRAM...: in the background; JOB is its controller, RANKS its ranks' processes.
job() {
  local name=$1 ranks=$2; shift 2
  local options=()
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  : > "$name.out" # what an earlier one has said must not be taken for its word
  "$BIN/dvm-run" --checkpointable -n "$ranks" --name "$name$T" "${options[@]}" "$@" > "$name.out" 2> "$name.err" &
  JOB=$!
  STARTED+=("$JOB")
}
steps_of() { sed -n 's/^step //p' "$1.out" | tail -n 1; }
is_beyond() { local n; n=$(steps_of "$1"); [ "${n:-0}" -gt "$2" ]; }
# goes_on NAME: it has made progress since.
goes_on() { local n; n=$(steps_of "$1"); wait_for 30 is_beyond "$1" "${n:-0}" || fail "$1 does not go on: $(cat "$1.err")"; }
ranks() { read -r -a RANK < "/proc/$JOB/task/$JOB/children"; }
# below PID: the ranks among its descendants
below() {
  local child
  for child in $(cat "/proc/$1/task/$1/children"); do
    [ "$(cat "/proc/$child/comm")" = exchange ] && echo "$child"
    below "$child"
  done
}
# ended STATUS NAME
ended() { local s; wait "$JOB"; s=$?; [ "$s" = "$1" ] || { cat "$2.err" >&2; fail "$2: status $s, not $1"; }; }
again() { : > "$1.err"; "$BIN/dvm-restart" "${@:2}" "$IMAGE" 2> "$1.err" & JOB=$!; STARTED+=("$JOB"); }
no_ranks_left() { local p; for p in "${RANK[@]}"; do wait_for 10 gone "$p" || fail "process $p is left"; done; }
fails() {
  local text=$1; shift
  "$@" > fails.out 2> fails.err && fail "no error from: $*"
  grep -q -e "$text" fails.err || { cat fails.err >&2; fail "'$text' is not the message of: $*"; }
}
listed() { "$BIN/dvm-checkpoint" -l | wc -l; }
nothing_left() { [ "$(listed)" = "$1" ] && [ "$(ls "$DVMCR_DIR" | wc -l)" = "$1" ] || fail "left: $(ls "$DVMCR_DIR")"; }
clear_images() { rm -rf "$DVMCR_DIR"; mkdir "$DVMCR_DIR"; }

# Chains: as many results as Open MPI has.
for n in 1 2 3 5 8; do
  "$BIN/dvm-run" -n $n ./exchange $quick > whole.out || fail "$n ranks: no result"
  grep result whole.out > expected
  if [ $n -lt 4 ]; then
    mpirun --allow-run-as-root --oversubscribe -n $n ./exchange $quick 2> /dev/null | grep result > native
    cmp -s expected native || fail "$n ranks: Open MPI has another result"
  fi
  rm -f gate
  PACE=3000 GATE=$WORK/gate job chain $n -- ./exchange $quick
  for cycle in 1 2 3; do
    at=$((quick * cycle / 5))
    wait_for 60 is_beyond chain $at || fail "$n ranks: does not come to step $at: $(cat chain.err)"
    ranks
    checkpoint --kill chain$T || fail "$n ranks, cycle $cycle"
    ended 137 chain
    no_ranks_left
    grep -v " note: " chain.err && fail "an ended job complains: $(cat chain.err)"
    again chain
  done
  : > gate
  ended 0 chain
  grep result chain.out | cmp -s - expected || fail "$n ranks: another result: $(tail -n 1 chain.out)"
done
cmp -s whole.out chain.out || fail "the output is not that of a whole run"
nothing_left 15
note "chains of 1 to 8 ranks"
clear_images

# What a snapshot is, and that the job goes on after it; a second restart, while the first runs, in a namespace.
rm -f gate
PACE=1000 GATE=$WORK/gate job copy 3 -- ./exchange $quick clock
wait_for 30 is_beyond copy 100
checkpoint copy$T || fail "no checkpoint"
goes_on copy
: > gate
"$BIN/dvm-checkpoint" -l > list
has "copy$T-1.ckpt  (job copy$T of 3 ranks)" list || fail "not listed as a job: $(cat list)"
"$BIN/dvm-checkpoint" inspect --no-backtraces "$IMAGE" > inspect || fail "no inspect"
has "^job copy$T: 3 ranks" inspect && has "rank 2: process" inspect || fail "inspect: $(head -n 20 inspect)"
has "messages under way" inspect || fail "inspect tells no messages"
"$BIN/dvm-run" -n 3 ./exchange $quick | grep result > expected
cp -r "$IMAGE" kept.ckpt
ended 0 copy
grep result copy.out | cmp -s - expected || fail "the saved job has another result"
clear_images
job copy 3 -- ./exchange $long
wait_for 30 is_beyond copy 100
checkpoint copy$T
first=$JOB
: > second.err
"$BIN/dvm-restart" --name second$T "$IMAGE" > second.out 2> second.err & second=$!
STARTED+=($second)
asks() { "$BIN/dvm-checkpoint" -o "$1" "$2" > /dev/null 2>&1; }
wait_for 30 asks "$WORK/of-second.ckpt" second$T || fail "the second one cannot be saved: $(cat second.err)"
kill $second; wait $second
[ $? = 143 ] || fail "a signal does not end the second one"
JOB=$first
goes_on copy
kill "$JOB"; wait "$JOB"
clear_images

# From inside, by a signal, again and again.
job inside 2 -- ./exchange $quick ask 100
ended 0 inside
has "^asked: 0 .*inside$T-1.ckpt" inside.err || fail "from inside: $(cat inside.err)"
job beaten 2 --checkpoint-every 1 --checkpoint-signal USR1 --keep 2 -- ./exchange $long
wait_for 30 is_beyond beaten 10
kill -USR1 "$JOB"
wait_for 30 test -e "$DVMCR_DIR/beaten$T-3.ckpt" || fail "no checkpoints again and again: $(cat beaten.err)"
wait_for 30 test ! -e "$DVMCR_DIR/beaten$T-1.ckpt" || fail "all are kept"
kill "$JOB"; wait "$JOB"
clear_images

# Chosen ranks: partial.
job part 4 -- ./exchange $long
wait_for 30 is_beyond part 10
checkpoint --ranks 0,2-3 part$T || fail "no partial checkpoint"
[ "$(ls "$IMAGE")" = "$(printf 'job\nrank-0.ckpt\nrank-2.ckpt\nrank-3.ckpt\nset')" ] || fail "partial: $(ls "$IMAGE")"
fails "is partial" "$BIN/dvm-restart" "$IMAGE"
fails "'--ranks' asks for 4" "$BIN/dvm-checkpoint" --ranks 4 part$T
fails "not 'x'" "$BIN/dvm-checkpoint" --ranks x part$T
goes_on part
ranks

# A rank that cannot be stopped: all go on, nothing is listed.
clear_images
kill -STOP "${RANK[1]}"
wait_for 10 grep -q "State:.T" "/proc/${RANK[1]}/status"
fails "rank 1 (process ${RANK[1]}).*is stopped" "$BIN/dvm-checkpoint" part$T
nothing_left 0
kill -CONT "${RANK[1]}"
goes_on part
# The command dies when all stand, when all have copied, before the name is given.
for fault in job-stands job-copied job-sealed; do
  DVM_FAULT=$fault "$BIN/dvm-checkpoint" part$T > /dev/null 2>&1 && fail "$fault: no fault"
  goes_on part
  nothing_left 0
done
checkpoint part$T || fail "no checkpoint after the faults"
# A rank is killed: the job ends, and says so.
kill -9 "${RANK[2]}"
ended 137 part
has "rank 2 was killed by signal 9" part.err || fail "killed: $(cat part.err)"
no_ranks_left
# The restart dies before they run; then without the fault.
DVM_FAULT=job-restored "$BIN/dvm-restart" "$IMAGE" > /dev/null 2>&1 && fail "job-restored: no fault"
no_ranks_left
again part
goes_on part
ranks
kill -9 "$JOB"; wait "$JOB" 2> /dev/null
no_ranks_left
again part --namespace
goes_on part
read -r -d '' -a RANK < <(below "$JOB")
kill -9 "$JOB"; wait "$JOB" 2> /dev/null
no_ranks_left
again part --namespace
goes_on part
checkpoint -o "$WORK/apart.ckpt" part$T || fail "no checkpoint of a job in a namespace: $(cat checkpoint.err)"
kill -9 "$(below "$JOB" | head -n 1)"
ended 137 part
has "was killed by signal 9" part.err || fail "killed in a namespace: $(cat part.err)"
note "faults"

# A rank, or what writes its image, dies while it is saved.
for case in "writer-killed" "image-half-written" "image-half-written --no-fork"; do
  read -r fault option <<< "$case"
  clear_images
  job dying 3 -- sh -c "[ \$OMPI_COMM_WORLD_RANK = 1 ] && export DVM_FAULT=$fault; exec ./exchange $long"
  wait_for 30 is_beyond dying 10
  fails "no checkpoint of the job dying$T: rank 1" "$BIN/dvm-checkpoint" $option dying$T
  nothing_left 0
  if [ "$option" ]; then
    ended 137 dying
    has "rank 1 was killed by signal 9" dying.err || fail "$(cat dying.err)"
  else
    goes_on dying
    kill "$JOB"; wait "$JOB"
  fi
done

# No room.
mkdir small
trap 'umount "$WORK/small" 2> /dev/null; cleanup' EXIT
if mount -t tmpfs -o size=1m none small 2> /dev/null; then
  job full 3 -- ./exchange $long
  wait_for 30 is_beyond full 10
  fails "rank . (process [0-9]*): .*the disk is full" "$BIN/dvm-checkpoint" -o small/ full$T
  [ -z "$(ls -A small)" ] || fail "the full disk is not cleaned"
  goes_on full
  kill "$JOB"; wait "$JOB"
  umount small
fi

# Damage.
clear_images
job good 3 -- ./exchange $long
wait_for 30 is_beyond good 10
checkpoint --kill --compress good$T
ended 137 good
wrecked() { rm -rf "$DVMCR_DIR/bad.ckpt"; cp -r "$IMAGE" "$DVMCR_DIR/bad.ckpt"; }
wrecked; rm "$DVMCR_DIR/bad.ckpt/rank-1.ckpt"
fails "image 'rank-1.ckpt' of rank 1: No such file" "$BIN/dvm-restart" "$DVMCR_DIR/bad.ckpt"
wrecked; printf x | dd of="$DVMCR_DIR/bad.ckpt/rank-2.ckpt" bs=1 seek=30000 conv=notrunc 2> /dev/null
fails "rank 2 is not the one that was saved" "$BIN/dvm-restart" "$DVMCR_DIR/bad.ckpt"
wrecked; sed -i 's/^ranks 3/ranks 4/' "$DVMCR_DIR/bad.ckpt/job"
fails "checksum is wrong" "$BIN/dvm-restart" "$DVMCR_DIR/bad.ckpt"
wrecked; rm "$DVMCR_DIR/bad.ckpt/set"
fails "cannot" "$BIN/dvm-restart" "$DVMCR_DIR/bad.ckpt"
[ "$(listed)" = 1 ] || fail "a damaged snapshot is listed: $("$BIN/dvm-checkpoint" -l)"
again good
goes_on good
kill "$JOB"; wait "$JOB"

# A thread's number that is free when it is looked at, and taken when it is needed.
clear_images
job taken 2 -- ./exchange $long
wait_for 30 is_beyond taken 10
ranks
thread=$(ls "/proc/${RANK[0]}/task" | sort -n | tail -n 1)
checkpoint --kill taken$T
ended 137 taken
no_ranks_left
python3 - "$thread" << 'P' & taker=$!
import os, sys, time
number = int(sys.argv[1])
while True:
    with open("/proc/sys/kernel/ns_last_pid", "w") as f:
        f.write(str(number - 1))
    child = os.fork()
    if not child:
        time.sleep(0.004 if os.getpid() == number else 0)
        os._exit(0)
    os.waitpid(child, 0)
    time.sleep(0.004)
P
STARTED+=($taker)
for try in 1 2 3 4 5 6; do
  again taken
  goes_on taken
  kill "$JOB"; wait "$JOB"
done
kill $taker; wait $taker 2> /dev/null

# Names and moments.
fails "there is no job 'nobody'" "$BIN/dvm-checkpoint" nobody
mkfifo late
job early 2 -- ./exchange $quick early
wait_for 30 has "rank 1 waits" early.err
fails "rank 1 (process [0-9]*) has not called MPI_Init yet" "$BIN/dvm-checkpoint" early$T
fails "there is already a job with the name 'early$T'" "$BIN/dvm-run" --checkpointable -n 2 --name early$T ./exchange 1
"$BIN/dvm-run" -n 2 --name plain$T ./exchange $long > plain.out 2> plain.err & plain=$!
STARTED+=($plain)
wait_for 30 is_beyond plain 10
fails "not checkpointable" "$BIN/dvm-checkpoint" plain$T
fails "not checkpointable" "$BIN/dvm-checkpoint" $plain
kill $plain; wait $plain
: > late
ended 0 early
clear_images
job late 3 -- ./exchange $quick late
wait_for 60 has "rank 2 is late" late.err && wait_for 60 has "rank 0 is late" late.err
one_has_ended() { ranks; [ ${#RANK[@]} = 2 ]; }
wait_for 30 one_has_ended
checkpoint --kill "$JOB" || fail "no checkpoint after the end of a rank: $(cat checkpoint.err)"
ended 137 late
has "^rank 1 ended" "$IMAGE/job" || fail "the ended rank is not noted: $(cat "$IMAGE/job")"
again late
wait_for 30 one_has_ended
(exec 9> late; wait_for 60 gone "$JOB") # both open it
ended 0 late
has "late 0" late.out && has "late 2" late.out || fail "the late ones say nothing: $(tail -n 3 late.out)"
echo "all as expected"
