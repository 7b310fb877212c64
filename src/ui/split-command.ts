/** The words of a command in an environment variable, split at spaces outside quotes. No shell has a say in it. */
export function splitCommand(command: string): string[] {
  const args = command.match(/"[^"]*"|'[^']*'|\S+/g) ?? []
  return args.map((word) => word.replace(/^(["'])(.*)\1$/, '$2'))
}
