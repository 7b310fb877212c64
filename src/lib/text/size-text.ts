const units = ['KB', 'MB', 'GB', 'TB']

/** Returns a size in its largest unit, a power of 1,024: "92 KB", "312 MB", "77.4 GB". KB and MB are rounded up. */
export function sizeText(bytes: number): string {
  const power = Math.max(1, Math.min(units.length, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const size = bytes / 1024 ** power
  return `${power > 2 ? size.toFixed(1) : Math.ceil(size)} ${units[power - 1]}`
}
