# Two nodes, which are network namespaces with a cable between and names of their own; mpirun reaches the other one as it would by ssh.  Sourced with BUILD
# and SOURCE as arguments.
build=$(cd "$1" && pwd) source=$(cd "$2" && pwd)
BIN=$build/mpir PROGRAMS=$build
. "$source/test/integration/mpir/lib.sh"
need_restart
cd "$WORK" || exit 1
T=$$
node() { # NAME: a process that is the node
  unshare --net --uts sh -c "hostname $1 && exec sleep 100000" & NODE=$!
  STARTED+=("$NODE")
  wait_for 10 eval "[ \"\$(nsenter -t $NODE --uts hostname)\" = $1 ]"
}
node na && NA=$NODE && node nb && NB=$NODE &&
  nsenter -t $NA --net ip link add va type veth peer name vb netns $NB &&
  nsenter -t $NA --net sh -c "ip addr add 10.78.0.1/24 dev va; ip link set va up; ip link set lo up" &&
  nsenter -t $NB --net sh -c "ip addr add 10.78.0.2/24 dev vb; ip link set vb up; ip link set lo up" ||
  { echo "skipped: cannot make nodes of network namespaces"; exit 77; }
# Two more, nc and nd, on a bridge of the first one's.  Fails where there are no bridges.
more_nodes() {
  local i=3 n
  nsenter -t $NA --net sh -c "ip link add name br0 type bridge && ip addr del 10.78.0.1/24 dev va && ip addr add 10.78.0.1/24 dev br0 && ip link set va master br0 && ip link set br0 up" || return 1
  for n in nc nd; do
    node $n && nsenter -t $NA --net ip link add v$n type veth peer name w$n netns $NODE || return 1
    nsenter -t $NA --net sh -c "ip link set v$n master br0 && ip link set v$n up"
    nsenter -t $NODE --net sh -c "ip addr add 10.78.0.$i/24 dev w$n; ip link set w$n up; ip link set lo up"
    sed -i "2s/^case \$1 in /&$n) pid=$NODE;; /" reach
    i=$((i + 1))
  done
}
# As ssh: HOST COMMAND, in the folder of a login.
cat > reach <<END
#!/bin/sh
case \$1 in na) pid=$NA;; nb) pid=$NB;; *) echo "no host \$1" >&2; exit 255;; esac
shift
cd / && exec nsenter -t \$pid --net --uts sh -c "\$*"
END
chmod +x reach
MPIRUN="mpirun --mca plm_rsh_agent $WORK/reach -x PACE -x GATE"
at_na() { nsenter -t $NA --net --uts "$@"; }
export OMPI_MCA_btl_tcp_if_include=10.78.0.0/24 PACE=0 GATE="$WORK/gate"
mpicc -g -O1 "$source/test/integration/mpi/exchange.c" -o x$T && mpicc -g "$source/test/integration/mpi/bad.c" -o bad || fail "mpicc failed"
quick=1500 long=100000000

# job NAME RANKS HOSTS PROGRAM...: in the background, at the first node; JOB is its controller.
job() {
  local name=$1 ranks=$2 hosts=$3; shift 3
  : > "$name.out"
  nsenter -t $NA --net --uts "$BIN/dvm-run" --checkpointable -n "$ranks" --name "$name$T" --hosts "$hosts" --launcher "$MPIRUN" "$@" > "$name.out" 2> "$name.err" &
  JOB=$!
  STARTED+=("$JOB")
}
again() { : > "$1.err"; : > "$1.out"; nsenter -t $NA --net --uts "$BIN/dvm-restart" --launcher "$MPIRUN" "${@:2}" "$IMAGE" > "$1.out" 2> "$1.err" & JOB=$!; STARTED+=("$JOB"); }
save() { IMAGE=$(at_na "$BIN/dvm-checkpoint" "$@" 2> checkpoint.err) || { cat checkpoint.err >&2; return 1; }; }
steps_of() { sed -n 's/^step //p' "$1.out" | tail -n 1 | tr -d '\r'; }
is_beyond() { local n; n=$(steps_of "$1"); [ "${n:-0}" -gt "$2" ]; }
goes_on() { local n; n=$(steps_of "$1"); wait_for 60 is_beyond "$1" "${n:-0}" || fail "$1 does not go on: $(cat "$1.err")"; }
ended() { local s; wait "$JOB"; s=$?; [ "$s" = "$1" ] || { cat "$2.err" >&2; fail "$2: status $s, not $1"; }; }
result_of() { grep result "$1.out" | tr -d '\r'; }
ranks() { pgrep -x -r R,S,D,T,t "x$T"; }
no_ranks() { [ -z "$(ranks)" ]; }
all_gone() { wait_for 30 no_ranks || fail "$1: ranks are left: $(ranks)"; }
proxy_of() { sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f2; }
on_node() { local p; for p in $(ranks); do [ "$(readlink "/proc/$p/ns/net")" = "$(readlink "/proc/$1/ns/net")" ] && echo "$p"; done; }
below() { local p; for p in $(cat "/proc/$1/task/$1/children"); do echo "$p"; below "$p"; done; }
mpirun_of() { local p; for p in $(below "$1"); do [ "$(cat "/proc/$p/comm")" = mpirun ] && echo "$p" && return; done; }
