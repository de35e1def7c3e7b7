#!/bin/bash
# Samples on 256 ranks that SimGrid simulates (SMPI): most of them have no element at all.  simulated.sh BUILD SOURCE LIBRARY
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
library=$3
here=$source/test/integration/parallel/simulated
ranks=256
cat >platform.xml <<X
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="all" prefix="n" suffix="" radical="0-$((ranks - 1))" speed="1Gf" bw="12.5GBps" lat="1us"/>
</platform>
X
seq -f n%g 0 $((ranks - 1)) >hosts
cc -fPIC -c "$here/main.c" -o main.o || wrong "main.c does not compile"

# simulate SAMPLE COUNT: with COUNT in place of its number of steps.
simulate() {
  sed -E "s/^#define (STEPS|CYCLES) [0-9]+/#define \1 $2/" "$source/samples/$1.c" >"$1.c"
  status 0 cc -w -O1 "$1.c" -o plain -lm
  status 0 ./plain
  cp out right
  status 0 "$dvmcc" -fdvm=parallel -fPIC -O2 -c "$1.c" -o "$1.o"
  status 0 objcopy --redefine-sym main=dvm_program_main "$1.o"
  status 0 c++ -shared -o "$1.so" main.o "$1.o" "$library" -lsimgrid -lm -ldl -lpthread
  status 0 env DVM_MPI_JOB=simulated smpirun -np $ranks -platform platform.xml -hostfile hosts --cfg=smpi/simulate-computation:no \
    --cfg=smpi/privatization:dlopen --cfg=contexts/stack-size:1024 --log=root.thres:warning "./$1.so"
  cmp -s out right || { wrong "$1 prints on $ranks ranks:"; diff right out | head; }
}
simulate jacobi 5
simulate sor 2
simulate redblack 4
simulate cg 5
simulate gauss 0
simulate adi 1
finish
