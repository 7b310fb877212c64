/** Configuration lines for shells and other programs that show the running timer; the documentation contains them too. */
export const promptSnippets = {
  bash: [
    'tt_timer() {',
    `  { read -r tt_line < "\${XDG_STATE_HOME:-$HOME/.local/state}/tt/timer"; } 2>/dev/null || tt_line=`,
    '}',
    `PROMPT_COMMAND="tt_timer\${PROMPT_COMMAND:+; $PROMPT_COMMAND}"`,
    `PS1='\${tt_line:+[$tt_line] }'"$PS1"`,
  ],
  zsh: [
    'tt_timer() {',
    `  { read -r tt_line < "\${XDG_STATE_HOME:-$HOME/.local/state}/tt/timer"; } 2>/dev/null || tt_line=`,
    '}',
    'precmd_functions+=(tt_timer)',
    'setopt prompt_subst',
    `PROMPT='\${tt_line:+[\${tt_line//\\%/%%}] }'"$PROMPT"`,
  ],
  tmux: [
    'set -g status-interval 30',
    'set -g status-right-length 80',
    `set -g status-right '#(tt status --cached -q --template "{label} {duration} {notes}" | sed "s/#/####/g") %H:%M'`,
  ],
  starship: [
    '[custom.tt]',
    `command = "tt status --cached -q --template '{label} {duration}'"`,
    'when = true',
    "format = '[$output]($style) '",
  ],
} as const
