# The table of options that take a value agrees with the one of the clang in use.
. "$(dirname "$0")/lib.sh"

options=$(llvm-config-19 --includedir)/clang/Driver/Options.inc
[ -f "$options" ] || { echo "FAILED: no $options (libclang-19-dev)"; exit 1; }
# A row: OPTION(prefix_N, "-name", id, Kind, group, alias, alias arguments, flags, visibility, number of values, ..
# Of the prefixes, 1 is '-', 3 is '--', 4 is both; 2 and 5 belong to other drivers.
awk -F', *' '/^OPTION\(/ && ($9 ~ /DefaultVis|ClangOption/) && $4 ~ /^(Separate|JoinedOrSeparate|JoinedAndSeparate|MultiArg)$/ {
  prefix = substr($1, 8); name = $2; gsub(/"|^"-+/, "", name); sub(/^-+/, "", name)
  n = $4 == "MultiArg" ? $10 : 1
  if (name == "Xarch_" || name == "Xopenmp-target=") next   # their names go on: treated apart
  if (prefix == "prefix_1" || prefix == "prefix_4") print "-" name, n
  if (prefix == "prefix_3" || prefix == "prefix_4") print "--" name, n
}' "$options" | LC_ALL=C sort -u >clangs
grep -o 'X("[^"]*", [0-9]*)' "$source/driver/separate.inc" | sed 's/X("\(.*\)", \(.*\))/\1 \2/' >ours
[ "$(wc -l <clangs)" -gt 100 ] || wrong "clang's table was not understood"
diff clangs ours || wrong "the tables differ ('<' clang's, '>' ours)"
cut -d' ' -f1 ours | LC_ALL=C sort -c || wrong "driver/separate.inc is not sorted"
finish
