/** Whether these names are a pattern of client/project/task: three at most; only the client may be empty. */
export function isPattern(names: readonly string[]): boolean {
  return names.length <= 3 && !names.slice(names.length > 1 ? 1 : 0).includes('')
}
