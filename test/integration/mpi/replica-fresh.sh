#!/usr/bin/env bash
# replica-fresh.sh BUILD SOURCE: mains on one host and shadows on another; a rank that has lost a replica gets a fresh one there, so that it outlives the next loss.
. "$(dirname "$0")/nodes.sh"
for name in replicas writes nature late; do
  mpicc -g -O1 "$source/test/integration/mpi/$name.c" -o "$name$T" || fail "mpicc failed"
done
export DVMCR_DIR="$WORK/images"
ranks() { pgrep -r R,S,D,T,t -f "^\./[a-z]*$T"; }
ours() { pgrep -r R,S,D,T,t -f "(^\./[a-z]*$T)|(dvm-proxy .*[a-z]$T)"; }
none_left() { [ -z "$(ours)" ]; }
twice() { # NAME RANKS WORDS...: in the background; JOB is the command.
  local name=$1 ranks=$2; shift 2
  : > "$name.out"
  nsenter -t $NA --net --uts "$BIN/dvm-run" --replicate --placement nodes $OPTIONS -n "$ranks" --hosts "$HOSTS" --launcher "$MPIRUN" "$@" > "$name.out" 2> "$name.err" < /dev/null &
  JOB=$!
  STARTED+=("$JOB")
}
OPTIONS= HOSTS=na,nb
same() { sort "$1.out" | cmp -s - "expected$2" || fail "$1: other output: $(sort "$1.out" | diff - "expected$2" | head -5) $(cat "$1.err")"; }
over() { local s; wait "$JOB"; s=$?; [ "$s" = "$1" ] || fail "$2: status $s, not $1: $(cat "$2.err")"; wait_for 30 none_left || fail "$2: left: $(ours)"; }
is_round() { [ "$(grep -c "round $2 done" "$1.out")" -ge 1 ]; }
there() { on_node "$1" | wc -l; }
has_all() { [ "$(there $NA)" = "$1" ] && [ "$(there $NB)" = "$1" ]; }
runs() { wait_for 60 is_round "$1" 5 && wait_for 60 has_all "$2" || fail "$1 does not run: $(cat "$1.err")"; }
# Of rank R the process at that node.
rank_at() { local p; for p in $(on_node "$1"); do tr '\0' '\n' < "/proc/$p/environ" | grep -qx "DVM_MPI_RANK=$2" && echo "$p"; done; }
# lose NAME NODE RANK RANKS: its process there dies, and there is another one soon, which may be the only one from then on.
lose() {
  local p n m
  m=$(grep -c "has a fresh replica" "$1.err")
  p=$(rank_at "$2" "$3")
  n=$(grep -c "^dvm run: note: of the" "$1.err")
  [ -n "$p" ] && kill -9 "$p" || fail "$1: rank $3 has no process there"
  wait_for 30 eval "[ \"\$(grep -c '^dvm run: note: of the' $1.err)\" -gt $n ]" || fail "$1: not noticed: $(cat "$1.err")"
  wait_for 60 eval "[ \"\$(grep -c 'has a fresh replica' $1.err)\" -gt $m ]" && wait_for 60 has_all "$4" || fail "$1: there is no fresh replica of rank $3: $(cat "$1.err")"
}

"$BIN/dvm-run" -n 3 ./replicas$T 400 | sort > expected3
: > gate
twice main 3 ./replicas$T 400 1 300000 "$WORK/gate" # a main, then the shadow that has taken over, then the main that has
runs main 3
lose main $NA 1 3
lose main $NB 1 3
lose main $NA 1 3
rm gate
over 0 main
same main 3
note "one rank, three times"

# One that follows; of two ranks in both sets.
: > gate
twice both 3 ./replicas$T 400 1 300000 "$WORK/gate"
runs both 3
lose both $NB 2 3
lose both $NA 0 3
lose both $NA 2 3
lose both $NB 0 3
rm gate
over 0 both
same both 3
note "two ranks, in both sets"

# Both mains are gone; what rank 0 sends then rank 1 has not taken when rank 0 has a fresh replica again, in whose set it is not.
twice late 2 ./late$T "$WORK/send" "$WORK/take"
wait_for 60 eval "[ \"\$(grep -c 'is there' late.out)\" = 2 ]" && wait_for 60 has_all 2 || fail "late does not run: $(cat late.err)"
kill -9 "$(rank_at $NA 0)" "$(rank_at $NA 1)"
wait_for 30 has "of the mains rank 0" late.err && wait_for 30 has "of the mains rank 1" late.err || fail "late: not noticed: $(cat late.err)"
: > send
wait_for 60 has "rank 0 has a fresh replica" late.err || fail "late: rank 0 has none: $(cat late.err)"
: > take
wait_for 60 has "rank 1 has a fresh replica" late.err || fail "late: rank 1 has none: $(cat late.err)"
kill -9 "$(rank_at $NB 1)"
wait_for 60 has "sum 290" late.out || { kill "$JOB"; fail "late: the fresh replica of rank 1 does not go on: $(cat late.err)"; }
over 0 late
note "what was sent and not taken"
kills() { at_na python3 "$source/test/integration/mpi/kills.py" --hosts na,nb --launcher "$MPIRUN" --jobs 1 "$@" || fail "a kill was not outlived"; }
kills --making --share 8 --ranks 2 "$BIN/dvm-run" replicas$T 1
kills --again --kills 4 --ranks 2,3 "$BIN/dvm-run" replicas$T 1
kills --again --kills 2 --ranks 2 "$BIN/dvm-run" writes$T both
kills --again --kills 4 --ranks 2,3 "$BIN/dvm-run" writes$T files # which are flushed and closed after who wrote them before is gone
kills --again --kills 2 --ranks 2 "$BIN/dvm-run" nature$T
note "kills at internal points"

# A proxy, and all of its host with it; then mpirun of the other set.
proxy_at() { local p; for p in $(pgrep -f "dvm-proxy node .* set"); do [ "$(readlink "/proc/$p/ns/net")" = "$(readlink "/proc/$1/ns/net")" ] && [ "$(cat "/proc/$p/comm")" = dvm-proxy ] && echo "$p"; done; }
: > gate
twice set 3 ./replicas$T 400 1 300000 "$WORK/gate"
runs set 3
for node in $NA $NB $NA; do
  n=$(grep -c "has a fresh replica" set.err)
  kill -9 "$(proxy_at $node)" || fail "set: no proxy"
  wait_for 60 eval "[ \"\$(grep -c 'has a fresh replica' set.err)\" = $((n + 3)) ]" && wait_for 30 has_all 3 || fail "set: it has not come back: $(cat set.err)"
done
rm gate
over 0 set
same set 3
note "a set that was lost"

# A host of two: what is left of its set goes on without it, on the other one.
if more_nodes; then
  HOSTS=na,nc,nb,nd
  : > gate
  twice host 3 ./replicas$T 400 1 300000 "$WORK/gate"
  wait_for 60 is_round host 5 || fail "host does not run: $(cat host.err)"
  NC=$(sed -n 's/.*nc) pid=\([0-9]*\).*/\1/p' reach)
  sed -i '2s/^case $1 in /&nc) exit 255;; /' reach
  kill -9 $(proxy_at $NC) $(on_node $NC)
  wait_for 90 eval "[ \"\$(grep -c 'has a fresh replica' host.err)\" = 3 ]" || fail "host: its set has not come back: $(cat host.err)"
  [ -z "$(on_node $NC)" ] && [ "$(there $NA)" = 3 ] || fail "host: not on the host that is left"
  rm gate
  over 0 host
  same host 3
  HOSTS=na,nb
  sed -i '2s/nc) exit 255;; //' reach
  note "a host that was lost"
fi

# What cannot be saved.
DVMCR_DIR=/dev/null/none twice refused 2 ./replicas$T 400 1 10000
wait_for 60 is_round refused 5 || fail "refused does not run: $(cat refused.err)"
kill -9 "$(rank_at $NA 1)"
wait_for 60 has "note: rank 1 goes on without a fresh replica" refused.err || fail "refused: not told: $(cat refused.err)"
over 0 refused
"$BIN/dvm-run" -n 2 ./replicas$T 400 | sort > expected2
same refused 2
note "what cannot be saved"
echo "all as expected"
