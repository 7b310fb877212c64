import { existsSync, readFileSync } from 'node:fs'
import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import { TtError } from '../lib/errors.js'
import type { commands } from '../program/declarations/maintenance.js'

interface Script {
  file: string
  /** The installation instruction after "Put it". */
  instruction: string
}

const scripts: Readonly<Record<Input<typeof commands.completion>['args']['shell'], Script>> = {
  bash: {
    file: 'tt.bash',
    instruction:
      'where bash looks for it: tt completion bash > ~/.local/share/bash-completion/completions/tt\n' +
      'Without the package bash-completion, store it anywhere and add to ~/.bashrc: source PATH',
  },
  zsh: {
    file: '_tt',
    instruction:
      'into a directory of $fpath, under the name _tt: tt completion zsh > ~/.zfunc/_tt\n' +
      'If the directory is new, add to ~/.zshrc: fpath=(~/.zfunc $fpath); autoload -Uz compinit && compinit',
  },
  fish: {
    file: 'tt.fish',
    instruction: 'where fish looks for it: tt completion fish > ~/.config/fish/completions/tt.fish',
  },
  powershell: {
    file: 'tt.ps1',
    instruction:
      'anywhere, such as: tt completion powershell > ~/tt.ps1\nThen add to the file that $PROFILE names: . ~/tt.ps1',
  },
}

interface CompletionScript {
  shell: string
  script: string
}

export const text = (printed: unknown) => (typeof printed === 'string' ? [printed] : undefined)

/**
 * Returns the completion script of a shell, under --json as an object, and prints installation instructions on stderr.
 */
export async function run(
  ctx: Context,
  { args: { shell } }: Input<typeof commands.completion>,
): Promise<string | CompletionScript> {
  const script = scripts[shell]
  ctx.terminal.message(`Put it ${script.instruction}`)
  const content = readScript(script.file)
  return ctx.options.json ? { shell, script: content } : content
}

function readScript(file: string): string {
  // One level up in the package, two levels up in the source tree.
  const places = ['..', '../..'].map((above) => new URL(`${above}/completions/${file}`, import.meta.url))
  const place = places.find((url) => existsSync(url))
  if (place) return readFileSync(place, 'utf8')
  throw new TtError('failure', `The completion script ${file} is missing.`, {
    hint: 'Reinstall tt.',
  })
}
