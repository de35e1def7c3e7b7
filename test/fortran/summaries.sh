#!/bin/bash
# Nests of DO loops are proved when they are entered: summaries.sh BUILD SOURCE
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for level in -O0 -O2; do
  for program in jacobi.f sor.f redblack.f90; do
    "$1/driver/dvmfc" $level "$2/samples/$program" -o "$work/program"
    DVM_OPTIONS=stats=1 "$work/program" > /dev/null 2> "$work/said"
    # Those that are executed in the loop over time: all but the first one.
    if grep 'stats: .* run [0-9]* times, .* accesses;' "$work/said" | grep -v 'proved at entry'; then
      echo "a nest of $program is judged access by access at $level"
      exit 1
    fi
    grep -q 'proved at entry [0-9]* times' "$work/said" || { echo "no nest of $program is proved at $level"; exit 1; }
  done
  # Arrays behind descriptors, dummy arguments.
  "$1/driver/dvmfc" $level "$2/test/fortran/allocated-nests.f90" -o "$work/program"
  DVM_OPTIONS=stats=1 "$work/program" > /dev/null 2> "$work/said" || { cat "$work/said"; echo "arrays behind descriptors: not silent at $level"; exit 1; }
  one=$(grep -n '! one by one' "$2/test/fortran/allocated-nests.f90" | cut -d: -f1)
  if grep 'stats: .* run [0-9]* times*, .* accesses;' "$work/said" | grep -v "f90:$one run" | grep -v 'proved at entry'; then
    echo "a nest over arrays behind descriptors is judged access by access at $level"
    exit 1
  fi
  [ "$(grep -c 'proved at entry [0-9]' "$work/said")" -ge 7 ] || { cat "$work/said"; exit 1; }
done
# What rows without checks store leaves the descriptors as they are: they are read before the rows.
"$1/driver/dvmfc" -O2 -S -emit-llvm "$2/test/fortran/descriptors.f90" -o "$work/rows.ll" -J "$work"
sed -n '/^[^ ]*stretch:/,/^  br /p' "$work/rows.ll" > "$work/turn.ll"
grep -q 'load float' "$work/turn.ll" || { echo "no row is executed without checks"; exit 1; }
if grep 'load .*@_QMfieldsE' "$work/turn.ll"; then
  echo "descriptors are read in each turn of a row"
  exit 1
fi
# Rows are judged before their first turn where arrays are dummy arguments of assumed shape, and results of reductions dummy arguments, too.
"$1/driver/dvmfc" -O2 -S -emit-llvm "$2/test/fortran/right/shapes.f90" -o "$work/shapes.ll" -J "$work"
for procedure in smooth:stretch:2 largest:stretch:1 scaled:turns:1 folded:turns:1; do
  IFS=: read -r name question rows <<< "$procedure"
  sed -n "/^define .*@_QMshapesP$name(/,/^}/p" "$work/shapes.ll" > "$work/procedure.ll"
  asked=$(grep -c "@__dvmrt_$question(" "$work/procedure.ll" || true)
  [ "$asked" -eq "$rows" ] || { echo "rows of $name are judged access by access: $asked questions"; exit 1; }
done
# Comparing texts, and searching through them, writes nothing.
cat > "$work/texts.f90" << 'END'
logical function same(a, b)
  character(*) :: a, b
  same = a == b .or. index(a, b) > 0 .or. len_trim(a) == scan(b, 'xyz') + verify(b, a)
end function
END
"$1/driver/dvmfc" -O2 -S -emit-llvm "$work/texts.f90" -o "$work/texts.ll"
grep -q '@_FortranACharacterCompareScalar1(' "$work/texts.ll"
if grep -E '@__dvmrt_(foreign|handed|given)' "$work/texts.ll"; then
  echo "texts that are compared count as written"
  exit 1
fi
# Innermost loops of plain procedures are asked about before their first turn, also where they fill local arrays.
"$1/driver/dvmfc" -O2 -S -emit-llvm "$2/test/fortran/right/rows.f90" -o "$work/plain.ll" -J "$work"
for procedure in folded:3 scaled:1; do
  sed -n "/^define .*@_QMlinesP${procedure%:*}(/,/^}/p" "$work/plain.ll" > "$work/procedure.ll"
  asked=$(grep -c '@__dvmrt_certain(' "$work/procedure.ll")
  [ "$asked" -ge "${procedure#*:}" ] && grep -q 'stretch[^ ]*:' "$work/procedure.ll" ||
    { echo "loops of ${procedure%:*} are judged access by access: $asked questions"; exit 1; }
done
# Extents of sections in the parallel loops of ranks are constant where the text says so: the sum of 27 elements has no loop.
"$1/driver/dvmfc" -fdvm=parallel -O2 -S -emit-llvm "$2/samples/jacobi3d.f90" -o "$work/ranks.ll"
sed -n '/^define .*@_QQmain()/,/^}/p' "$work/ranks.ll" | grep -c 'fadd ' > "$work/sums"
[ "$(cat "$work/sums")" -ge 26 ] || { echo "the section's extents are not constant: $(cat "$work/sums") sums"; exit 1; }
# Nests outside of parallel loops ask once for all that they touch, also where loops have few turns and where procedures are called.
"$1/driver/dvmfc" -O2 -S -emit-llvm "$2/test/fortran/right/nests.f90" -o "$work/nests.ll" -J "$work"
for of in invert sweep main; do
  sed -n "/^define .*$of/,/^}/p" "$work/nests.ll" | grep -q 'call .*__dvmrt_sure' || { echo "$of asks about each element"; exit 1; }
done
# .. of matrices with a leading dimension, whose bounds are dummy arguments.
"$1/driver/dvmfc" -O2 -S -emit-llvm "$2/test/fortran/right/matrices.f90" -o "$work/matrices.ll" -J "$work"
for of in product; do
  sed -n "/^define .*@_QMmatricesP$of(/,/^}/p" "$work/matrices.ll" | grep -q 'call .*__dvmrt_sure' || { echo "$of asks row by row"; exit 1; }
done
