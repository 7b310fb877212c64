# Completes tt in bash 3.2 and later. Does not need the package bash-completion.
#
# The typed text is never evaluated: the line is split into words by the rules of quoting only. `tt __complete` prints the
# candidates for the last word. The inserted text is quoted again.

_tt() {
  local line=${COMP_LINE:0:COMP_POINT} char i
  # The current word without its quotes, its open quote, and the beginning of it that bash does not replace: bash inserts
  # after the last quote and after the last character of COMP_WORDBREAKS.
  local word='' quote='' fixed='' in_word=''
  local -a words
  words=()
  for ((i = 0; i < ${#line}; i++)); do
    char=${line:i:1}
    case $quote$char in
      [[:space:]])
        [[ -n $in_word ]] && words+=("$word")
        word='' fixed='' in_word=''
        continue
        ;;
      \'\' | \"\")
        quote='' fixed=$word
        ;;
      \\)
        i=$((i + 1))
        word+=${line:i:1}
        ;;
      \"\\)
        i=$((i + 1))
        case ${line:i:1} in
          [\$\`\"\\]) ;;
          *) word+=\\ ;;
        esac
        word+=${line:i:1}
        ;;
      \' | \")
        quote=$char fixed=$word
        ;;
      *)
        # Of the characters in COMP_WORDBREAKS, bash replaces these two together with the text after them.
        [[ -z $quote && $char == [@\$] && $COMP_WORDBREAKS == *"$char"* ]] && fixed=$word
        word+=$char
        [[ -z $quote && $char != [@\$] && $COMP_WORDBREAKS == *"$char"* ]] && fixed=$word
        ;;
    esac
    in_word=1
  done
  words+=("$word")

  local candidate value shared='' count=0
  local -a listing
  listing=()
  COMPREPLY=()
  while IFS= read -r candidate; do
    case $candidate in
      *$'\t'*)
        value=${candidate%%$'\t'*}
        # The text before the place of insertion cannot be changed.
        [[ $value == "$fixed"* ]] || continue
        listing+=("$value  ${candidate#*$'\t'}")
        _tt_quote "${value:${#fixed}}" "$quote"
        ;;
      files) compopt -o default 2>/dev/null ;;
      open) compopt -o nospace 2>/dev/null ;;
    esac
  done < <(command tt __complete -- "${words[@]:1}" 2>/dev/null)
  compopt -o nosort 2>/dev/null

  count=${#COMPREPLY[@]}
  ((count > 1)) || return 0
  if [[ ${COMP_TYPE:-} == 63 ]]; then
    # bash only lists the candidates now and inserts nothing: they get their descriptions.
    COMPREPLY=()
    for candidate in "${listing[@]}"; do
      COMPREPLY+=("${candidate:0:$((${COLUMNS:-80} - 1))}")
    done
    return 0
  fi
  # bash inserts the common prefix of all candidates. If that is shorter than the typed text, or ends with the backslash
  # of a character that differs, one more candidate without a common prefix prevents the insertion.
  shared=${COMPREPLY[0]}
  for value in "${COMPREPLY[@]}"; do
    while [[ $value != "$shared"* ]]; do shared=${shared%?}; done
  done
  value=${shared##*[!\\]}
  if ((${#shared} < ${#word} - ${#fixed} || ${#value} % 2)); then
    COMPREPLY+=(' ')
  fi
}

# Adds the word $1 to COMPREPLY, quoted for its place inside the open quote $2, so that bash neither splits nor evaluates it.
_tt_quote() {
  local quoted='' char i
  for ((i = 0; i < ${#1}; i++)); do
    char=${1:i:1}
    case $2 in
      \') [[ $char == \' ]] && char="'\\''" ;;
      \")
        case $char in
          [\$\`\"\\]) char=\\$char ;;
          '!') char='"\!"' ;; # Inside the quotes, the backslash would remain.
        esac
        ;;
      *)
        case $char in
          [][\ \"\'\\\$\`\;\&\|\<\>\(\)\{\}*?!#~^=]) char=\\$char ;;
        esac
        ;;
    esac
    quoted+=$char
  done
  # bash mistakes a quote at the beginning for the open one, and a quote at the end for the closing one.
  if [[ -n $2 ]]; then
    [[ $quoted == "$2"* ]] && quoted=$2$quoted
    [[ $quoted == *"$2" ]] && quoted+=$2
  fi
  COMPREPLY+=("$quoted")
}

complete -F _tt tt
