/** Returns the text with its first letter in upper case. */
export function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** Returns a number with its noun: "1 change", "1,204 entries". The plural adds an s unless it is given. */
export function countText(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? singular : plural}`
}

/** Returns words as a list in a sentence: "client, project and task". */
export function listText(words: readonly string[]): string {
  return joined(words, ' and ')
}

/** Returns "a, b or c". */
export function alternatives(words: readonly string[]): string {
  return joined(words, ' or ')
}

function joined(words: readonly string[], last: string): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(last)
}

/** Returns a figure with separators of thousands: "-1,234.5678", "1,234h 05m". Separates the first number, before its point. */
export function groupDigits(text: string): string {
  return text.replace(/(?<![.,\d])\d{4,}/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ','))
}

/**
 * Returns a share from 0 to 1 as whole percents: "12%". Shares that are neither none nor all are never shown as such: "<1%",
 * ">99%".
 */
export function percentText(share: number): string {
  const percents = Math.round(share * 100)
  if (share > 0 && percents === 0) return '<1%'
  return share < 1 && percents === 100 ? '>99%' : `${percents}%`
}

const units = ['KB', 'MB', 'GB', 'TB']

/** Returns a size in its largest unit, a power of 1,024: "92 KB", "312 MB", "77.4 GB". KB and MB are rounded up. */
export function sizeText(bytes: number): string {
  const power = Math.max(1, Math.min(units.length, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const size = bytes / 1024 ** power
  return `${power > 2 ? size.toFixed(1) : Math.ceil(size)} ${units[power - 1]}`
}

/**
 * Returns the text without the run of a character at its end. A pattern such as /0+$/ takes time in proportion to the
 * square of a run that is followed by something else.
 */
export function trimEnd(text: string, character: string): string {
  let end = text.length
  while (text[end - 1] === character) end--
  return text.slice(0, end)
}
