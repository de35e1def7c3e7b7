# Every id of the checker has a page, every page stands in the index with its kind, and 'dvm help' shows it.
. "$(dirname "$0")/../driver/lib.sh"
folder=$source/docs/diagnostics
sed -n 's/^ *X([A-Z_]*, "\([a-z-]*\)", *\([A-Z]*\).*/\1 \2/p' "$source/runtime/data/ids.h" >ids
grep -oh '"dvm-trace-[a-z]*"' "$source"/driver/trace/*/*.c | sed 's/"dvm-\(.*\)"/\1 ERROR/' | sort -u >>ids
[ -s ids ] || wrong "no ids found in runtime/data/ids.h"
while read -r name kind; do
  page=$folder/dvm-$name.md
  [ -f "$page" ] || { wrong "no page for dvm-$name"; continue; }
  grep -q "^\*${kind,,}\*" "$page" || wrong "the page of dvm-$name does not say that it is an ${kind,,}"
  status 0 "$dvm" help "dvm-$name"
  cmp out "$page" || wrong "'dvm help dvm-$name' is not its page"
  cp out page
  status 0 "$dvm" help "$name"
  cmp out page || wrong "'dvm help $name' is not the page of dvm-$name"
done <ids
for page in "$folder"/dvm-*.md; do
  id=$(basename "$page" .md)
  grep -q "^${id#dvm-} " ids || wrong "$id has a page but is no id"
  has "$folder/README.md" "[$id]($id.md)"
done
[ "$(grep -c '^| \[dvm-' "$folder/README.md")" = "$(wc -l <ids)" ] || wrong "the index has rows that are no id"
finish
