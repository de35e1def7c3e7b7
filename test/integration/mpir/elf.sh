#!/bin/bash
# elf.sh BIN PROGRAMS: other tools take an image for what it is, an ELF core file: elfutils, binutils and gdb, which must show all
# threads with the program's own frames, thread-local variables and vector registers.
BIN=$1 PROGRAMS=$2
. "$(dirname "$0")/lib.sh"
export LC_ALL=C

start run "$PROGRAMS/mpir_mix" 4 1000000 "$WORK/file"
wait_for 20 has ready "$WORK/run.err" || fail "it does not start"
pause 100
checkpoint "$PID" && plain=$IMAGE && checkpoint --all-files "$PID" && whole=$IMAGE || fail "no checkpoint"
kill_process "$PID"
threads=6 # main, four, the checkpointer's own

for image in "$plain" "$whole"; do
  if command -v eu-readelf > /dev/null; then
    eu-readelf -h -l -n "$image" > "$WORK/eu" 2> "$WORK/eu.err" || fail "eu-readelf: $(cat "$WORK/eu.err")"
    [ -s "$WORK/eu.err" ] && fail "eu-readelf: $(cat "$WORK/eu.err")"
    has "CORE (Core file)" "$WORK/eu" && [ "$(grep -c PRSTATUS "$WORK/eu")" = $threads ] || fail "eu-readelf does not see $threads threads"
    has "$PROGRAMS/mpir_mix" "$WORK/eu" && has SYSINFO_EHDR "$WORK/eu" || fail "eu-readelf sees no mapped files or no auxv"
  fi
  if command -v readelf > /dev/null; then
    readelf -W -h -l -n "$image" > "$WORK/re" 2> "$WORK/re.err" || fail "readelf: $(cat "$WORK/re.err")"
    [ -s "$WORK/re.err" ] && fail "readelf: $(cat "$WORK/re.err")"
    [ "$(grep -c NT_PRSTATUS "$WORK/re")" = $threads ] && [ "$(grep -c NT_X86_XSTATE "$WORK/re")" = $((threads - 1)) ] ||
      fail "readelf does not see the threads' registers"
    [ "$(grep -c 'Unknown note type: (0x44564d0' "$WORK/re")" = 13 ] || fail "readelf does not see our notes"
  fi
  if command -v gdb > /dev/null; then
    timeout -k 5 60 gdb -nx -q -batch -iex "set debuginfod enabled off" -iex "set pagination off" -ex "thread apply all bt" \
      -ex "thread apply all print thread_hash" -ex "print threads" -ex "print shared_sum" -ex "print \$ymm0" -ex "info sharedlibrary" \
      -ex "print *mapped" "$PROGRAMS/mpir_mix" "$image" > "$WORK/gdb" 2>&1 < /dev/null
    [ "$(grep -c ' in worker \| worker (' "$WORK/gdb")" = 4 ] || { cat "$WORK/gdb" >&2; fail "gdb does not show four workers"; }
    [ "$(grep -c '^\$[0-9]* = [1-9][0-9]\{10,\}$' "$WORK/gdb")" -ge 5 ] || { cat "$WORK/gdb" >&2; fail "gdb does not read the threads' variables"; }
    has "^\$[0-9]* = 4$" "$WORK/gdb" && has "v8_float" "$WORK/gdb" && has "libdvmcr.so" "$WORK/gdb" || { cat "$WORK/gdb" >&2; fail "gdb"; }
    has "collect" "$WORK/gdb" || fail "gdb does not show the main thread's place"
    grep -i "warning: \(core\|section\|.*corrupt\)" "$WORK/gdb" && fail "gdb complains"
  fi
  note "$(stat -c %s "$image") bytes, $(du -k "$image" | cut -f 1) KiB on disk"
done
