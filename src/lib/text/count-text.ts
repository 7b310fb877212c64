/** Returns a number with its noun: "1 change", "1,204 entries". The plural adds an s unless it is given. */
export function countText(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? singular : plural}`
}
