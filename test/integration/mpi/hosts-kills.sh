#!/usr/bin/env bash
# hosts-kills.sh BUILD SOURCE: everything that can die in a job on two nodes, while it runs, is saved and is restarted.
. "$(dirname "$0")/nodes.sh"

: > gate
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
note "kills while it runs, of what leads"

# Nobody is left who could remove what Open MPI has in /dev/shm.
job both 4 na,nb ./x$T $long
wait_for 60 is_beyond both 20 || fail "both do not run: $(cat both.err)"
jobid() { tr '\0' '\n' < "/proc/$1/environ" | sed -n 's/^OMPI_MCA_ess_base_jobid=//p'; }
near=$(proxy_of "$(on_node $NA | head -n 1)") far=$(proxy_of "$(on_node $NB | head -n 1)")
segments="vader_segment.*.$(printf %x "$(jobid "$near")").*"
[ "$segments" != "vader_segment.*.0.*" ] || fail "no number of Open MPI's job"
kill -9 "$near" "$far" "$(mpirun_of $JOB)"
wait $JOB
all_gone "kill of proxies and mpirun"
wait_for 10 eval '[ -z "$(find /dev/shm -name "$segments")" ]' || fail "left: $(find /dev/shm -name "$segments")"
note "kills of proxies together with mpirun"

# Others die while a snapshot is taken, and while one is restarted: what leads stands at the point meanwhile.  The job ends with its reason, there is no
# half snapshot, and the one before can be restarted.
stands_still() { grep -q "^State:.T" "/proc/$1/status"; }
victim_of() { # VICTIM CONTROLLER
  case $1 in
    rank) on_node $NB | head -n 1 ;;
    near) on_node $NA | head -n 1 ;; # a rank beside the controller
    proxy) proxy_of "$(on_node $NB | head -n 1)" ;;
    mpirun) mpirun_of "$2" ;;
  esac
}
job whole 4 na,nb ./x$T $long
wait_for 60 is_beyond whole 20 || fail "does not run: $(cat whole.err)"
save --kill whole$T || fail "no snapshot"
ended 137 whole
all_gone "killed with its snapshot"
WHOLE=$IMAGE
images=$(ls "$DVMCR_DIR")
for point in job-stands job-copied job-sealed; do
  for victim in rank near proxy mpirun; do
    again during --name "during$T"
    wait_for 60 is_beyond during 0 || fail "$victim at $point: no restart: $(cat during.err)"
    DVM_FAULT=stop:$point nsenter -t $NA --net --uts "$BIN/dvm-checkpoint" "during$T" > taken 2> taken.err & taker=$!
    STARTED+=("$taker")
    wait_for 30 stands_still $taker || fail "$victim at $point: not there: $(cat taken.err)"
    p=$(victim_of $victim $JOB)
    kill -9 "$p" || fail "$victim at $point: nobody to kill"
    kill -CONT $taker
    wait_for 30 gone $taker || fail "$victim at $point: the checkpoint does not end"
    wait $taker; taken=$?
    [ $taken != 0 ] || [ $point != job-stands ] || fail "$victim at $point: a snapshot of a job that is not whole"
    [ $taken = 0 ] || [ -s taken.err ] || fail "$victim at $point: no reason"
    wait_for 30 gone $JOB || fail "$victim at $point: the job does not end"
    wait $JOB && fail "$victim at $point: the job ended well"
    [ -s during.err ] || fail "$victim at $point: the job says nothing"
    all_gone "$victim at $point"
    [ $taken = 0 ] && "$BIN/dvm-checkpoint" inspect "$(head -n 1 taken)" > /dev/null 2>&1 && rm -rf "$(head -n 1 taken)"
    wait_for 10 eval '[ "$(ls "$DVMCR_DIR")" = "$images" ]' || fail "$victim at $point leaves: $(ls "$DVMCR_DIR")"
  done
done
note "kills while it is saved"
for victim in rank near proxy mpirun; do
  : > broken.err
  DVM_FAULT=stop:job-restored nsenter -t $NA --net --uts "$BIN/dvm-restart" --launcher "$MPIRUN" "$WHOLE" > broken.out 2> broken.err & JOB=$!
  STARTED+=("$JOB")
  wait_for 60 stands_still $JOB || fail "$victim: no restart: $(cat broken.err)"
  p=$(victim_of $victim $JOB)
  kill -9 "$p" || fail "$victim in a restart: nobody to kill"
  kill -CONT $JOB
  wait_for 30 gone $JOB || fail "$victim in a restart: it does not end"
  wait $JOB && fail "$victim in a restart: the job ended well"
  [ -s broken.err ] || fail "$victim in a restart: no reason"
  all_gone "$victim in a restart"
done
IMAGE=$WHOLE
again last
wait_for 60 is_beyond last 0 || fail "the snapshot does not survive: $(cat last.err)"
kill $JOB; ended 143 last
all_gone "the last"
echo "all as expected"
