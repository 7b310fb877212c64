import { existsSync } from 'node:fs'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the editor commands to try, in order: `VISUAL`, else `EDITOR`, else those of the system. They are split at
 * spaces outside quotes, unless the whole text is the path of a file. No shell is involved.
 */
export function editorCommands({ VISUAL, EDITOR }: Environment, platform = process.platform): string[][] {
  const command = [VISUAL, EDITOR].find((value) => value?.trim())?.trim()
  if (command !== undefined) return [existsSync(command) ? [command] : splitCommand(command)]
  return platform === 'win32' ? [['notepad']] : [['editor'], ['nano'], ['vi']]
}

/**
 * Returns the pager commands to try, in order: `TT_PAGER`, else `PAGER`, else less, else more. An empty command and
 * `cat` disable the pager.
 */
export function pagerCommands({ TT_PAGER, PAGER }: Environment): string[][] {
  const command = TT_PAGER ?? PAGER
  if (command === undefined) return [['less'], ['more']]
  const args = splitCommand(command)
  return args.length === 0 || (args.length === 1 && args[0] === 'cat') ? [] : [args]
}

/** Splits the command in an environment variable at spaces outside quotes, without a shell. */
export function splitCommand(command: string): string[] {
  const args = command.match(/"[^"]*"|'[^']*'|\S+/g) ?? []
  return args.map((word) => word.replace(/^(["'])(.*)\1$/, '$2'))
}
