# What the completion offers.
. "$(dirname "$0")/lib.sh"
. "$source/driver/completion/dvm.bash"

# offers 'line' word...: the completion of its last word holds these words.
offers() {
  local -a COMP_WORDS
  local COMP_CWORD word
  read -r -a COMP_WORDS <<<"$1"
  [[ $1 == *" " ]] && COMP_WORDS+=("")
  [[ ${COMP_WORDS[0]} == dvm ]] && COMP_WORDS[0]=$dvm
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  if [ "${COMP_WORDS[0]}" = "$dvm" ]; then _dvm; else "_${COMP_WORDS[0]}"; fi
  for word in "${@:2}"; do
    [[ " ${COMPREPLY[*]} " == *" $word "* ]] || wrong "'$1' does not offer '$word' but: ${COMPREPLY[*]}"
  done
}
touch prog.c
offers "dvm " check help version
offers "dvm ch" check
offers "dvm help che" check
offers "dvm help dvm-shadow-s" dvm-shadow-stale
offers "dvm help dia" diagnostics
offers "dvm check pro" prog.c
offers "dvm check -fdvm" -fdvm=check -fdvm=off
touch prog.fdv
offers "dvm check prog.f" prog.fdv
offers "dvmfc prog.f" prog.fdv
offers "dvmfc -fdvm=par" -fdvm=parallel -fdvm=parallel,trace
offers "dvmfc -ff" -ffixed-form -ffree-form
offers "dvm fix --in" --in-place
offers "dvm fix --comp" --compile-commands
offers "dvm fix pro" prog.c
offers "dvm check prog.c -- pr" prog.c
offers "dvm profile --" --json --html --output --keep
offers "dvm trace " info dump stat config prog.c
offers "dvm checkpoint ins" inspect
offers "dvm checkpoint co" copy compact
offers "dvm checkpoint --s" --strict --save-files --stats
offers "dvm restart --re" --restore-files
for command in record compare diff trace profile run debug checkpoint restart; do # those of the parts that were built
  "$dvm" help "$command" >/dev/null 2>&1 || continue
  COMP_WORDS=("$dvm" "$command" -); COMP_CWORD=2; _dvm
  [ "${#COMPREPLY[@]}" -ge 5 ] || wrong "'dvm $command -' offers only: ${COMPREPLY[*]}"
  for option in "${COMPREPLY[@]}"; do # each that is offered is one
    case $command in trace) "$dvm" trace info "$option" ;; *) "$dvm" "$command" "$option" ;; esac >out 2>err </dev/null
    ! grep -q "unknown option" err || wrong "'dvm $command' has no option '$option': $(cat err)"
  done
done
offers "dvm compare --flags -O0 -O2 --" --make --second-cc --level --tolerance --exact --accept --partial
lacks_word=" ${COMPREPLY[*]} "
[[ $lacks_word != *" --bisect "* ]] || wrong "'--bisect' is offered with '--flags'"
offers "dvmcc -fd" -fdvm=check -fdvm=off
offers "dvmcc -fdvm = o" off
offers "dvmcc --dvm-p" --dvm-print-clang --dvm-print-runtime --dvm-print-plugin
offers "dvmcc pr" prog.c
# Each of our own options that is offered is one.
COMP_WORDS=(dvmcc -); COMP_CWORD=1; _dvmcc
for option in "${COMPREPLY[@]}"; do
  case $option in --dvm-*) "$dvmcc" "$option" >/dev/null || wrong "$option is no option" ;; esac
done
finish
