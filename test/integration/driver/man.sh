# The man pages are well formed and speak of every option and command.
. "$(dirname "$0")/lib.sh"

command -v mandoc >/dev/null || { echo "FAILED: mandoc is not installed"; exit 1; }
for page in "$source"/docs/man/*.[13]; do
  mandoc -Tlint -W warning "$page" || wrong "$page"
done
mandoc -Tascii "$source/docs/man/dvmcc.1" | sed 's/.\x08//g' >dvmcc.txt
for option in $("$dvmcc" --dvm-help | grep -o '^  -[a-zA-Z-]*[=a-z-]*' | grep -v NAME | sort -u); do
  case $option in
  -W) continue ;;
  -fdvm=*) has dvmcc.txt "${option#-fdvm=} " ;;
  *) has dvmcc.txt "$option" ;;
  esac
done
# Keys of programs; those of traces and of the debugger are described with their commands.
if [ -e "$("$dvmcc" --dvm-print-runtime)" ] && echo 'int main(void) { return 0; }' | "$dvmcc" -x c - -o prog; then
  for key in $(DVM_OPTIONS=help=1 ./prog | sed 's/=.*//' | grep -vE '^(trace|trace_.*|reference|tolerance)$'); do
    grep -q "^ *$key=" dvmcc.txt || wrong "dvmcc.1 does not describe the key '$key'"
  done
fi
mandoc -Tascii "$source/docs/man/dvm.1" | sed 's/.\x08//g' >dvm.txt
for name in $("$dvm" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
  grep -q "^     $name " dvm.txt || wrong "dvm.1 does not describe '$name'"
done
finish
