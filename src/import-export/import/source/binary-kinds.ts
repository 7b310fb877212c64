/** What a file is instead of text, with an article, and what the user can do. */
export interface BinaryKind {
  title: string
  hint: string
}

const extract = 'Extract it, and import the files in it.'
const exportAsText = 'Export the entries as CSV instead.'

const kinds: readonly (BinaryKind & { bytes: readonly number[] })[] = [
  {
    bytes: [0x50, 0x4b, 0x03, 0x04],
    title: 'a ZIP archive or an Excel workbook',
    hint: 'Extract the archive, or save the workbook as CSV (UTF-8).',
  },
  { bytes: [0x50, 0x4b, 0x05, 0x06], title: 'an empty ZIP archive', hint: 'Export the entries again.' },
  { bytes: [0x1f, 0x8b], title: 'a gzip archive', hint: extract },
  { bytes: [0x42, 0x5a, 0x68], title: 'a bzip2 archive', hint: extract },
  { bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a], title: 'an xz archive', hint: extract },
  { bytes: [0x37, 0x7a, 0xbc, 0xaf], title: 'a 7z archive', hint: extract },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], title: 'a Zstandard archive', hint: extract },
  { bytes: [0x25, 0x50, 0x44, 0x46], title: 'a PDF document', hint: exportAsText },
  {
    bytes: [0xd0, 0xcf, 0x11, 0xe0],
    title: 'a document of an older office program, such as Excel',
    hint: 'Save it as CSV (UTF-8).',
  },
  { bytes: [...Buffer.from('SQLite format 3')], title: 'an SQLite database', hint: exportAsText },
]

/** Returns what a file that begins with these bytes is; undefined if it may be text. */
export function binaryKind(start: Buffer): BinaryKind | undefined {
  return kinds.find(({ bytes }) => bytes.every((byte, index) => start[index] === byte))
}
