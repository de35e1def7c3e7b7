# Completion of dvm, dvmcc and dvmfc for bash.  The commands are asked of dvm itself, so that they fit the installation.

_dvm_commands() {
  "$1" help 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p'
}

# Of a command: what its usage has, and what begins a line of its list.
_dvm_options() {
  if [[ "$2 ${COMP_WORDS[*]}" == "compare "*" --flags "* ]]; then "$1" compare --flags --help; else "$1" help "$2"; fi 2>/dev/null | awk '
    /dvm checkpoint [a-z]/ { next } # an action, which has its own
    /^(usage|       dvm)/ { gsub(/[][|]/, " "); for (i = 1; i <= NF; i++) if ($i ~ /^--?[a-z]/) print $i }
    /^  +-/ {
      for (i = 1; i <= NF && $i ~ /^(-|[A-Z])/; i++) {
        sub(/[[=,].*/, "", $i)
        if ($i ~ /^--?[a-z]/) print $i
      }
    }'
}

_dvm_is_behind() { # whether '--' is among the words before the present one
  local i
  for ((i = 2; i < COMP_CWORD; i++)); do
    [ "${COMP_WORDS[i]}" = -- ] && return 0
  done
  return 1
}

_dvm() {
  local word=${COMP_WORDS[COMP_CWORD]} actions=
  COMPREPLY=()
  if [ "$COMP_CWORD" = 2 ] && [ "${COMP_WORDS[1]}" = help ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_dvm_commands "${COMP_WORDS[0]}") diagnostics
      $("${COMP_WORDS[0]}" help diagnostics 2>/dev/null)" -- "$word")
    return
  fi
  if [ "$COMP_CWORD" = 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_dvm_commands "${COMP_WORDS[0]}")" -- "$word")
    return
  fi
  if [ "${COMP_WORDS[1]}" = check ] || [ "${COMP_WORDS[1]}" = fix ]; then
    _dvm_is_behind && { mapfile -t COMPREPLY < <(compgen -f -- "$word"); return; }
    _dvmcc
    [[ ${COMP_WORDS[1]} == fix && $word == --* ]] && mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "--in-place --compile-commands --root" -- "$word")
    return
  fi
  if [[ $word == -* ]] && ! _dvm_is_behind; then
    mapfile -t COMPREPLY < <(compgen -W "$(_dvm_options "${COMP_WORDS[0]}" "${COMP_WORDS[1]}")" -- "$word")
    return
  fi
  if [ "$COMP_CWORD" = 2 ]; then
    case ${COMP_WORDS[1]} in
    trace) actions="info dump stat export verify config" ;;
    checkpoint) actions="inspect compress expand compact copy facts" ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$actions" -- "$word"; compgen -f -- "$word")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -f -- "$word")
}

_dvmcc() {
  local word=${COMP_WORDS[COMP_CWORD]} i start
  COMPREPLY=()
  # '=' is a word of its own where COMP_WORDBREAKS has it: then only what follows it may be answered.
  if [ "$word" = "=" ] || [ "${COMP_WORDS[COMP_CWORD-1]}" = "=" ]; then
    start=$((COMP_CWORD - 1))
    [ "$word" = "=" ] && word=
    [ "${COMP_WORDS[start]}" = "=" ] && start=$((start - 1))
    [ "${COMP_WORDS[start]}" = -fdvm ] && mapfile -t COMPREPLY < <(compgen -W "check trace parallel off" -- "$word")
    return
  fi
  case $word in
  -*)
    mapfile -t COMPREPLY < <(compgen -W "-fdvm=check -fdvm=trace -fdvm=parallel -fdvm=off -Wno-dvm-undeclared-private -Rdvm
      -Werror=dvm-undeclared-private -Wno-dvm-unchecked --dvm-help --dvm-version --dvm-print-clang --dvm-print-plugin
      --dvm-print-runtime -c -g -o -O0 -O1 -O2 -O3 -I -D -L -l -Wall -Wextra -Werror -std=c11 -shared -fPIC" -- "$word")
    ;;
  *)
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    ;;
  esac
}

_dvmfc() { # what follows '-fdvm=' alone is the same
  local word=${COMP_WORDS[COMP_CWORD]}
  case $word in
  -*)
    mapfile -t COMPREPLY < <(compgen -W "-fdvm=check -fdvm=trace -fdvm=parallel -fdvm=parallel,trace -fdvm=off -Werror=dvm-unjudged
      -Wno-error=dvm-unjudged --dvm-help --dvm-version --dvm-print-flang --dvm-print-plugin --dvm-print-runtime -ffixed-form
      -ffree-form -ffixed-line-length=132 -fno-automatic -cpp -module-dir -c -g -o -O0 -O1 -O2 -O3 -I -J -D -L -l -shared -fPIC" -- "$word")
    ;;
  *)
    _dvmcc
    ;;
  esac
}

complete -o filenames -F _dvm dvm
complete -o filenames -F _dvmcc dvmcc
complete -o filenames -F _dvmfc dvmfc
