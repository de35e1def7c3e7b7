#!/bin/bash
# tree.sh BIN PROGRAMS: processes with children are saved as one set and restarted as they were; all or none.
BIN=$1 PROGRAMS=$2
. "$(dirname "$0")/lib.sh"
need_restart

has_image() { [ -f "$IMAGE/set" ] || { ls -l "$IMAGE" >&2; fail "$1: no set"; }; }
nothing_left() { [ -z "$(ls -A "$DVMCR_DIR")" ] || fail "$1: left in the folder: $(ls -A "$DVMCR_DIR")"; }

# The numbers of all processes of the set are free: who lost its parent is waited for by the system's first process, in its own time.
numbers_free() {
  local line
  while read -r line; do
    set -- $line
    case $1 in member | ended) [ ! -e "/proc/$2" ] || return 1 ;; esac
  done < "$IMAGE/set"
}
await_free() { wait_for 60 numbers_free || fail "the processes of the set do not end"; }

# again NAME WHAT OPTION...: restarts IMAGE and awaits its end.
again() {
  local name=$1 what=$2 status; shift 2
  restart "again" "$@"
  wait "$WAITER"
  status=$?
  [ $status = 0 ] || { cat "$WORK/again.err" "$WORK/$name.err" >&2; fail "$name, $what: status $status"; }
}

# All that processes share.
start tree "$PROGRAMS/mpir_tree" "$WORK/go" "$WORK/log"
wait_for 20 has ready "$WORK/tree.err" || { cat "$WORK/tree.err" >&2; fail "tree does not start"; }
checkpoint --kill "$PID" || fail "tree: no checkpoint"
wait "$PID" 2> /dev/null
has_image tree
[ "$(ls "$IMAGE" | wc -l)" = 4 ] || fail "tree: not three images and a list"
touch "$WORK/go"
for how in "" --namespace --lazy; do
  : > "$WORK/tree.out"
  again tree "restarted $how" $how
  grep -q "as before" "$WORK/tree.out" || { cat "$WORK/again.err" "$WORK/tree.err" >&2; fail "tree $how: not as before"; }
  note "tree, restarted $how"
done

# What is damaged or missing anywhere is refused, and nothing runs.
for file in "$IMAGE"/*; do
  cp -a "$IMAGE" "$WORK/broken"
  truncate -s -1 "$WORK/broken/${file##*/}"
  "$BIN/dvm-restart" "$WORK/broken" > "$WORK/broken.out" 2>&1 && fail "a set with a cut ${file##*/} is restarted"
  rm "$WORK/broken/${file##*/}"
  "$BIN/dvm-restart" "$WORK/broken" > "$WORK/broken.out" 2>&1 && fail "a set without ${file##*/} is restarted"
  rm -r "$WORK/broken"
  note "refused without ${file##*/}: $(head -c 150 "$WORK/broken.out")"
done
rm -r "$IMAGE"

# A shell's pipeline, again and again.
program='for ((i = 0; i < 150; i++)); do echo $i; sleep 0.005; done | while read a; do echo $((a * 2)); done | awk "{ s += \$1; print s }"'
expected=$(for ((s = 0, i = 0; i < 150; i++)); do echo $((s += 2 * i)); done)
start pipeline bash -c "$program"
WAITER=$PID
for link in 1 2 3; do
  wait_for 20 eval '[ "$(cat /proc/$PID/task/$PID/children | wc -w)" = 3 ]' || { cat "$WORK"/pipeline*.err >&2; ps -ef --forest | tail -15 >&2; fail "pipeline $link: not three children of $PID"; }
  checkpoint --kill "$PID" || fail "pipeline $link: no checkpoint"
  wait "$WAITER" 2> /dev/null
  await_free
  restart pipeline$link
  [ "$link" = 3 ] || wait_for 20 runs_again || { cat "$WORK/pipeline$link.err" >&2; fail "pipeline $link does not run again"; }
done
wait "$WAITER" || { cat "$WORK/pipeline3.err" >&2; fail "pipeline: status $?"; }
[ "$(cat "$WORK/pipeline.out")" = "$expected" ] || fail "pipeline: the result differs"
note "pipeline, three times"

# Asked for by one of the processes itself.
start lead "$PROGRAMS/mpir_lead" "$WORK/lead.set" "$WORK/lead.alone"
wait "$PID" 2> /dev/null
[ -s "$WORK/lead.set" ] || { cat "$WORK/lead.err" >&2; fail "lead: not saved"; }
IMAGE=$(cat "$WORK/lead.set")
has_image lead
await_free
again lead "asked for by itself"
grep -q "as before" "$WORK/lead.out" || { cat "$WORK/lead.err" >&2; fail "lead: not as before"; }
note "a set that a process has asked for itself"

# make, and python's worker processes with queues, locks and connections.
mkdir "$WORK/make"
cat > "$WORK/make/Makefile" << 'M'
all: a1 a2 a3 a4
	cat $^ | sort | cksum
a%:
	for i in $$(seq 1 40); do echo $@ $$i; sleep 0.01; done > $@.tmp
	mv $@.tmp $@
M
cat > "$WORK/workers.py" << 'P'
import hashlib, multiprocessing, sys
def work(n):
    h = hashlib.sha256()
    for i in range(60000): h.update(b"%d" % (i * n))
    return h.hexdigest()
def child(queue, connection):
    for i in range(10):
        queue.put((i, work(i)))
        connection.send(i)
if __name__ == "__main__":
    ours, theirs = multiprocessing.Pipe()
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=child, args=(queue, theirs))
    process.start()
    print("ready", file=sys.stderr, flush=True)
    with multiprocessing.Pool(2) as pool:
        pooled = pool.map(work, range(30), chunksize=2)
    queued = [queue.get() for i in range(10)]
    sent = [ours.recv() for i in range(10)]
    process.join()
    print(hashlib.sha256(repr((pooled, queued, sent)).encode()).hexdigest(), flush=True)
P

# works NAME CONDITION COMMAND...: saved when CONDITION holds, restarted, its result is that of an undisturbed run.
works() {
  local name=$1 condition=$2; shift 2
  "$@" > "$WORK/$name.expected" 2> /dev/null || fail "$name: the undisturbed run fails"
  rm -f "$WORK/make/"a?
  start "$name" "$@"
  wait_for 20 eval "$condition" || fail "$name does not come to work"
  checkpoint --kill "$PID" || fail "$name: no checkpoint"
  wait "$PID" 2> /dev/null
  has_image "$name"
  again "$name" restarted
  cmp "$WORK/$name.out" "$WORK/$name.expected" || fail "$name: the result differs"
  note "$name: $(ls "$IMAGE" | grep -c ckpt) processes, $(grep -c ^share "$IMAGE/set") open files in common"
}
command -v make > /dev/null && works make '[ -s "$WORK/make/a1" ]' make -s -j2 -C "$WORK/make"
[ ! -x /usr/bin/python3 ] || works workers 'has ready "$WORK/workers.err" && [ "$(cat /proc/$PID/task/*/children | wc -w)" = 3 ]' \
  /usr/bin/python3 -S "$WORK/workers.py"
exit 0
