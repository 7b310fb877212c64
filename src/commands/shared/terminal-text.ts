import type { Context } from '../../cli/context.js'
import { formatFor } from '../../ui/formats/render.js'

/** Lines for a terminal, which a command returns instead of its records. */
export class TerminalText {
  constructor(readonly lines: readonly string[]) {}
}

/** Returns the output for a `TerminalText`; undefined for other values. */
export function terminalText(value: unknown): string[] | undefined {
  return value instanceof TerminalText ? value.lines.map((line) => `${line}\n`) : undefined
}

/** Whether the output of a command is for a person at a terminal: without a format, `--fields` and a calling program. */
export function isForTerminal({ host, options }: Context): boolean {
  if (host.stdout.isTTY !== true || options.usesValue) return false
  return formatFor(options, true) === 'table' && options.fields === undefined
}
