# Completes tt in bash 3.2 and later. It needs nothing else, such as the package bash-completion.
#
# The line is taken apart here, by the rules of quoting alone: what was typed is never evaluated. The words go to
# `tt __complete`, which answers what may stand at the cursor; what is inserted of it is quoted again.

_tt() {
  local line=${COMP_LINE:0:COMP_POINT} char i
  # The word being read without its quotes, the quote that is open in it, and how much of it bash will leave as it is:
  # it inserts after the last quote and after the last character of COMP_WORDBREAKS.
  local word='' quote='' kept='' begun=''
  local -a words
  words=()
  for ((i = 0; i < ${#line}; i++)); do
    char=${line:i:1}
    case $quote$char in
      [[:space:]])
        [[ -n $begun ]] && words+=("$word")
        word='' kept='' begun=''
        continue
        ;;
      \'\' | \"\")
        quote='' kept=$word
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
        quote=$char kept=$word
        ;;
      *)
        # bash leaves the others behind, but takes these two into what it completes.
        [[ -z $quote && $char == [@\$] && $COMP_WORDBREAKS == *"$char"* ]] && kept=$word
        word+=$char
        [[ -z $quote && $char != [@\$] && $COMP_WORDBREAKS == *"$char"* ]] && kept=$word
        ;;
    esac
    begun=1
  done
  words+=("$word")

  local answer value shared='' count=0
  local -a told
  told=()
  COMPREPLY=()
  while IFS= read -r answer; do
    case $answer in
      *$'\t'*)
        value=${answer%%$'\t'*}
        # What stands before the place of insertion cannot be changed.
        [[ $value == "$kept"* ]] || continue
        told+=("$value  ${answer#*$'\t'}")
        _tt_quote "${value:${#kept}}" "$quote"
        ;;
      files) compopt -o default 2>/dev/null ;;
      open) compopt -o nospace 2>/dev/null ;;
    esac
  done < <(command tt __complete -- "${words[@]:1}" 2>/dev/null)
  compopt -o nosort 2>/dev/null

  count=${#COMPREPLY[@]}
  ((count > 1)) || return 0
  if [[ ${COMP_TYPE:-} == 63 ]]; then
    # Nothing is inserted now: they are being listed, each with what it is.
    COMPREPLY=()
    for answer in "${told[@]}"; do
      COMPREPLY+=("${answer:0:$((${COLUMNS:-80} - 1))}")
    done
    return 0
  fi
  # bash inserts what all have in common. Where that is less than what was typed, or ends with the backslash of a
  # character that they do not share, something that shares nothing has it insert nothing.
  shared=${COMPREPLY[0]}
  for value in "${COMPREPLY[@]}"; do
    while [[ $value != "$shared"* ]]; do shared=${shared%?}; done
  done
  value=${shared##*[!\\]}
  if ((${#shared} < ${#word} - ${#kept} || ${#value} % 2)); then
    COMPREPLY+=(' ')
  fi
}

# Adds a word to COMPREPLY, quoted so that it is one word and nothing in it is run or replaced: $1 within the quotes $2.
_tt_quote() {
  local quoted='' char i
  for ((i = 0; i < ${#1}; i++)); do
    char=${1:i:1}
    case $2 in
      \') [[ $char == \' ]] && char="'\\''" ;;
      \")
        case $char in
          [\$\`\"\\]) char=\\$char ;;
          '!') char='"\!"' ;; # A backslash within the quotes would stay.
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
  # bash takes a quote at the beginning for the one that is there already, and one at the end for the one it would add.
  if [[ -n $2 ]]; then
    [[ $quoted == "$2"* ]] && quoted=$2$quoted
    [[ $quoted == *"$2" ]] && quoted+=$2
  fi
  COMPREPLY+=("$quoted")
}

complete -F _tt tt
