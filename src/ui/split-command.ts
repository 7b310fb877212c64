/** Splits the command in an environment variable at spaces outside quotes, without a shell. */
export function splitCommand(command: string): string[] {
  const args = command.match(/"[^"]*"|'[^']*'|\S+/g) ?? []
  return args.map((word) => word.replace(/^(["'])(.*)\1$/, '$2'))
}
