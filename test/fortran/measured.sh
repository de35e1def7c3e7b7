#!/usr/bin/env bash
# INTERVAL and its kin in 'dvm profile', TRACEOFF in 'dvm record'.
# usage: measured.sh BUILD
set -eu
driver=$1/driver
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fail() {
  echo "FAILED: $1" >&2
  exit 1
}
cat >measured.f <<'X'
      PROGRAM MEASURED
      INTEGER A(8), STEP
CDVM$ DISTRIBUTE A (BLOCK)
      A = 1
CDVM$ INTERVAL
CDVM$ TRACEOFF
      DO 30 STEP = 1, 3
CDVM$ INTERVAL 10 + STEP
CDVM$ PARALLEL (I) ON A(I)
      DO 10 I = 1, 8
CDVM$ INTERVAL 4
      A(I) = A(I) + STEP
CDVM$ END INTERVAL
   10 CONTINUE
      IF (STEP .EQ. 2) THEN
CDVM$ EXITINTERVAL 99, 12
      GO TO 40
      ENDIF
CDVM$ END INTERVAL
   30 CONTINUE
   40 CONTINUE
CDVM$ TRACEON
CDVM$ END INTERVAL
CDVM$ PARALLEL (I) ON A(I)
      DO 20 I = 1, 8
   20 A(I) = A(I) * 2
CDVM$ REMOTE_ACCESS (A(3))
      PRINT *, A(3)
      END
X
"$driver/dvmfc" -g measured.f -o checked && ./checked >out 2>said && [ ! -s said ] || fail "checked: $(cat said)"
[ "$(tr -d ' ' <out)" = 8 ] || fail "checked prints $(cat out)"
"$driver/dvmfc" -g -fdvm=parallel measured.f -o ranks
"$driver/dvm" profile --json --output profile -- mpirun --oversubscribe -n 2 ./ranks >out 2>said || fail "profile: $(cat said)"
python3 - <<'X' || fail "intervals of $(cat profile)"
import json
found = [(i.get('number'), i.get('line'), i.get('parent'), i['executions']) for i in json.load(open('profile'))['intervals'][1:]]
print(found)
assert [(f[0], f[3]) for f in found] == [(None, 1), (11, 1), (12, 1)], found
assert [f[2] for f in found] == [0, 1, 1], found
X
"$driver/dvmfc" -g -fdvm=trace measured.f -o traced
"$driver/dvm" record --level full -o trace.dvmt -- ./traced >out 2>said || fail "record: $(cat said)"
"$driver/dvm" trace dump trace.dvmt >dump || fail 'trace is not shown'
grep -q 'measured.f:24' dump || fail "the loop behind TRACEON is not recorded: $(cat dump)"
! grep -q 'measured.f:9\b' dump || fail "the loop behind TRACEOFF is recorded: $(cat dump)"
for text in 'INTERVAL 1 +' 'EXITINTERVAL 1,' 'TRACEON 5' 'END INTERVAL 3'; do
  sed "s/^CDVM\$ INTERVAL\$/CDVM\$ $text/" measured.f >wrong.f
  if "$driver/dvmfc" -fsyntax-only wrong.f 2>said; then fail "'$text' is accepted"; fi
  grep -q '^wrong.f:5:' said || fail "'$text': $(cat said)"
done
echo 'measured: done'
