# What README.md shows is what happens: each '$ command' of its console block is run, and gives the lines below it.
. "$(dirname "$0")/lib.sh"
awk '/^```console/ {inside = 1; next} /^```/ {inside = 0} inside' "$source/README.md" >shown
grep -c '^\$ ' shown | grep -qvx 0 || wrong "README.md shows no command"
# In a copy of samples/.  Output by the line, as on a terminal; times differ from run to run.
cp -r "$source/samples" .
PATH=$build/driver:$PATH
# mpirun for root, and for more ranks than processors.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
seconds='s/ in [0-9.]* s;/ in N s;/'
while IFS= read -r line; do
  case $line in
  '$ '*)
    printf '%s\n' "$line"
    timeout 60 stdbuf -oL bash -c "${line#\$ }" 2>&1
    [ $? != 124 ] || { echo "stopped after a minute; what ran:"; ps -eo pid,ppid,stat,wchan:24,args --forest; } | cut -c 1-150
    ;;
  esac
done <shown | sed "$seconds" >happened
sed "$seconds" shown | diff - happened || wrong "README.md ('<') is not what happens ('>')"
finish
