#!/usr/bin/env bash
# debugger.sh BUILD SOURCE: what a debugger of MPI programs finds in the process that has started the job, and the variables of the ranks before and after a
# checkpoint: the four cases of the design's table 5.2.
build=$(cd "$1" && pwd) source=$(cd "$2" && pwd)
BIN=$build/mpir PROGRAMS=$build
. "$source/test/integration/mpir/lib.sh"
need_restart
cd "$WORK" || exit 1
mpicc -g -O1 "$source/test/integration/mpi/exchange.c" -o exchange || fail "mpicc failed"
long=100000000

debug() { # NAME COMMAND...: gdb; output in NAME.gdb
  local name=$1 arguments=(); shift
  for c in "$@"; do arguments+=(-ex "$c"); done
  timeout -k 5 60 gdb -nx -q -batch -iex "set debuginfod enabled off" -iex "set pagination off" "${arguments[@]}" > "$name.gdb" 2>&1 < /dev/null
}
expect() { has "$2" "$1.gdb" || { cat "$1.gdb" >&2; fail "$1: no '$2'"; }; }

# Started under a debugger: the ranks are held in MPI_Init until it has seen the table.
debug start "file $BIN/dvm-run" "set args -n 3 ./exchange 50" "set breakpoint pending on" "break main" run "set variable MPIR_being_debugged = 1" \
  "break MPIR_Breakpoint" continue "print MPIR_proctable_size" "print MPIR_debug_state" "print MPIR_checkpointable" \
  "python print('TABLE', *[int(gdb.parse_and_eval('(int)((long*)MPIR_proctable)[%d]' % (3 * i + 2)) & 0x7fffffff) for i in range(3)])" \
  "print (char *)((char **)MPIR_proctable)[1]" "shell sleep 0.3; echo SAID" continue
expect start "= 3$"
expect start "\"$WORK/exchange\""
expect start "^step 0"
expect start "exited normally"
grep -n "^SAID\|^step 0" start.gdb | sort -n | head -n 1 | grep -q SAID || fail "a rank ran before the debugger let it: $(cat start.gdb)"

# STATE line and whether a thread waits, of each rank.
cat > look.py <<'P'
import gdb
def number(name):
    return int(gdb.parse_and_eval('*(int *)&' + name))
def waits():
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        frame = gdb.newest_frame()
        while frame is not None:
            if frame.name() == 'MPIR_checkpoint_debugger_breakpoint':
                return True
            frame = frame.older()
    return False
print('STATE checkpointable=%d with=%d gate=%d waiting=%d' % (number('MPIR_checkpointable'), number('MPIR_debug_with_checkpoint'), number('MPIR_checkpoint_debug_gate'), waits()))
P
state() { # TEXT: of all ranks
  local p
  for p in "${RANK[@]}"; do
    debug state "attach $p" "source look.py"
    grep -q "^STATE checkpointable=1 $1$" state.gdb || { cat state.gdb >&2; fail "rank process $p: '$(grep ^STATE state.gdb)', not '$1'"; }
  done
  note "$1"
}
release() { # as a debugger that does not come back
  local p
  for p in "${RANK[@]}"; do
    debug release "attach $p" "set variable *(int *)&MPIR_debug_with_checkpoint = 0" "set variable *(int *)&MPIR_checkpoint_debug_gate = 1"
  done
}
ranks() { read -r -a RANK < "/proc/$JOB/task/$JOB/children"; }
steps_of() { sed -n 's/^step //p' job.out | tail -n 1; }
is_beyond() { local n; n=$(steps_of); [ "${n:-0}" -gt "$1" ]; }
goes_on() { local n; n=$(steps_of); wait_for 30 is_beyond "${n:-0}" || fail "the job does not go on: $(cat job.err)"; }
# With its ranks: while one is dying it still has its number, and may still write.
end_job() { # [SIGNAL]
  local p
  kill "$@" "$JOB"; wait "$JOB" 2> /dev/null
  for p in "${RANK[@]}"; do wait_for 30 gone "$p" || fail "rank process $p does not end with its job"; done
}
run_again() { : > job.err; "$BIN/dvm-restart" "$@" "$IMAGE" 2> job.err & JOB=$!; STARTED+=("$JOB"); }
all_there() { [ "$(grep -c "^MPIR_debug_info) $(uname -n):" job.err)" = 2 ]; }

# The commands of the controller.
"$BIN/dvm-run" --checkpointable -n 2 --name job-$$ ./exchange $long > job.out 2> job.err & JOB=$!
STARTED+=("$JOB")
wait_for 30 is_beyond 50 || fail "it does not start"
debug commands "attach $JOB" "print *(char **)&MPIR_checkpoint_command" "print *(char **)&MPIR_restart_command" "print *(char **)&MPIR_checkpoint_listing_command" \
  "print *(char **)&MPIR_controller_hostname" "print *(int *)&MPIR_checkpointable" "print *(int *)&MPIR_proctable_size"
for text in "\"$BIN/dvm-checkpoint --crdebug --hnp-jobid $JOB\"" "\"$BIN/dvm-restart --crdebug\"" "\"$BIN/dvm-checkpoint -l --crdebug $DVMCR_DIR\"" "\"$(uname -n)\"" "= 1$" "= 2$"; do
  expect commands "$text"
done

# 1: no debugger, no debugger.
ranks
state "with=0 gate=0 waiting=0"
IMAGE=$("$BIN/dvm-checkpoint" --crdebug --hnp-jobid "$JOB" 2> handle) || fail "the checkpoint command fails: $(cat handle)"
[ "$(sed -n 's/^MPIR_checkpoint_handle) //p' handle)" = "$IMAGE" ] || fail "no handle: $(cat handle)"
[ "$("$BIN/dvm-checkpoint" -l --crdebug)" = "MPIR_checkpoint_handle) $IMAGE" ] || fail "the handle is not listed"
state "with=0 gate=1 waiting=0"
goes_on
end_job
run_again
goes_on
ranks
state "with=0 gate=1 waiting=0"
end_job

# 2: no debugger, debugger.
run_again --crdebug
wait_for 30 all_there || fail "no line for each rank: $(cat job.err)"
ranks
for p in "${RANK[@]}"; do has "^MPIR_debug_info) $(uname -n):$p$" job.err || fail "no line of process $p: $(cat job.err)"; done
state "with=1 gate=0 waiting=1"
n=$(steps_of)
release
goes_on

# 3 and 4: a debugger holds a rank, or all; a mixed job.  The same image with and without one afterwards.
hold() { # RANK...: as a debugger does it: hold signal to each stopped thread, then detach
  local p
  for p; do
    debug hold "attach $p" "set variable *(int *)&MPIR_debug_with_checkpoint = 1" "set variable *(int *)&MPIR_checkpoint_debug_gate = 0" \
      "python [__import__('ctypes').CDLL(None).syscall(234, $p, t.ptid[1], int(gdb.parse_and_eval('*(int *)&MPIR_checkpoint_hold_signal'))) for t in gdb.selected_inferior().threads() if t.ptid[1] != int(gdb.parse_and_eval('*(int *)&MPIR_checkpoint_helper_tid'))]"
  done
}
for chosen in 0 1 "0 1"; do
  for k in $chosen; do hold "${RANK[k]}"; done
  checkpoint --crdebug job-$$ || fail "no checkpoint of held ranks ($chosen)"
  end_job
  run_again --crdebug
  wait_for 30 all_there || fail "held $chosen: no line for each rank: $(cat job.err)"
  ranks
  state "with=1 gate=0 waiting=1"
  end_job -9
  run_again
  goes_on
  ranks
  state "with=0 gate=1 waiting=0"
done
end_job
echo "all as expected"
