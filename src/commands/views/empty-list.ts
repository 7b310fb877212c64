/** Returns the message for an empty list: "No projects. `tt start Project/Task` creates one." */
export function emptyList(things: string, command: string, effect: string): string {
  return `No ${things}. \`${command}\` ${effect}.`
}
