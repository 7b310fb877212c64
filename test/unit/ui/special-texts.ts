import type { CalendarEvent, Column, Style, View } from '../../../src/ui/view.js'

export interface Note {
  id: number
  day: string
  notes: string | null
}

/** Values that programs often print incorrectly. */
export const specialTexts: Record<string, string> = {
  'plain words': 'Design review',
  quotes: 'the "final" version, \'really\'',
  commas: 'a, b,c',
  newlines: 'first\nsecond\r\nthird\rfourth',
  tabs: 'a\tb',
  backslashes: 'C:\\new\\table',
  pipes: 'a|b `code` <b>bold</b>',
  emoji: 'tea 🍵 with 👩‍👩‍👧‍👦 and 🇩🇪 1️⃣',
  'Chinese, Japanese, Korean': '設計レビュー 검토',
  'right to left with points': 'בְּרֵאשִׁית سَلَامٌ',
  'combining marks': 'cafe\u0301 हिन्दी',
  'an escape sequence': '\u001b[2J\u001b]0;owned\u0007 \u009b31m',
  'a colour sequence': '\u001b[31mred',
  'a direction override': 'abc\u202edef',
  noncharacters: '\ufdd0\ufdd1x',
  'a formula': '=HYPERLINK("http://x","y")',
  'a formula with at': '@SUM(A1)',
  'a formula with minus': '-2+3',
  'a negative number': '-12.50',
  'a leading tab': '\t=1',
  'blank edges': '  padded  ',
  nothing: '',
}

/** Text of a service that controls a terminal or reorders adjacent text. */
export const hostileTexts: Record<string, string> = {
  'OSC 52 (clipboard)': 'a\u001b]52;c;cm0gLXJm\u0007b',
  'OSC 8 (link)': 'a\u001b]8;;https://evil.example\u001b\\b\u001b]8;;\u001b\\',
  'CSI 2 J (erase)': 'a\u001b[2Jb',
  'CSI m (colour)': 'a\u001b[31mb',
  'C1 CSI': 'a\u009b2Jb',
  'C1 OSC': 'a\u009d52;c;cm0gLXJm\u009cb',
  backspace: 'safe\b\b\b\bevil',
  'carriage return': 'safe\revil',
  DEL: 'a\u007fb',
  'bidi override': 'a\u202ebc',
  'bidi isolate': 'a\u2066b\u2069c',
}
/** Control characters and bidi controls, except for newline, tab and CRLF. */
export const unsafeCharacter = /\r(?!\n)|[^\P{Cc}\t\r\n]|[\u202a-\u202e\u2066-\u2069]/u

export const noteView: View<Note> = {
  columns: [
    { key: 'id', title: 'ID', align: 'right' },
    { key: 'day', title: 'Day' },
    { key: 'notes', title: 'Notes', canShrink: true },
  ],
  json: (note) => ({ ...note, chars: note.notes?.length ?? null }),
  empty: 'No notes.',
}

export const specialNotes: Note[] = Object.values(specialTexts).map((notes, index) => ({
  id: index + 1,
  day: '2024-05-06',
  notes,
}))

export const tea: CalendarEvent = {
  uid: 'time-entry-7@tt',
  start: new Date('2024-03-31T00:30:00.900Z'),
  end: new Date('2024-03-31T01:54:00Z'),
  stamp: new Date('2024-04-02T08:00:00Z'),
  created: new Date('2024-04-01T08:00:00Z'),
  modified: new Date('2024-04-02T08:00:00Z'),
  summary: 'Acme / Website / Design',
  description: 'Tea, cakes; and\ntalk',
  categories: ['Acme', 'Tea, cakes'],
  isTentative: false,
}

/** A style that marks text with legible characters. */
export const taggedStyle: Style = {
  bold: (text) => `<b>${text}</b>`,
  dim: (text) => `<dim>${text}</dim>`,
  red: (text) => `<red>${text}</red>`,
  green: (text) => `<green>${text}</green>`,
  yellow: (text) => `<yellow>${text}</yellow>`,
  cyan: (text) => `<cyan>${text}</cyan>`,
}

/** Returns a view of records with string values under these keys. */
export function stringsView(keys: string[], column: Partial<Column<Record<string, string>>> = {}) {
  const view: View<Record<string, string>> = {
    columns: keys.map((key) => ({ key, title: key, ...column })),
    json: (row) => ({ ...row }),
    empty: 'Nothing.',
  }
  return view
}

/** Joins all chunks of an output. */
export async function joinChunks(chunks: Iterable<string> | AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const chunk of chunks) text += chunk
  return text
}

/** Returns the value of a TSV field, independently of the writer. */
export function unescapeField(field: string): string {
  const letters: Record<string, string> = { t: '\t', n: '\n', r: '\r', '\\': '\\' }
  const escapes = /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]+)\}|(.))/g
  return field.replace(escapes, (_, two, four, more, letter) =>
    letter === undefined
      ? String.fromCodePoint(Number.parseInt(two ?? four ?? more, 16))
      : (letters[letter] ?? '?'),
  )
}
