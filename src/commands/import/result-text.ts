import type { ImportPreview } from '../../import-export/importer/preview.js'
import { countText, listText } from '../../lib/text/words.js'
import type { ImportResult } from './import-record.js'
import { skippedText } from './preview-text.js'
import type { FileImport } from './read-files.js'

/** Returns the question before the import of files, with the numbers of their entries. */
export function importQuestion(files: readonly { file: FileImport; preview: ImportPreview }[]): string {
  const sum = (action: 'create' | 'update') =>
    files.reduce((total, { preview }) => total + preview.actions[action], 0)
  const [created, updated] = [sum('create'), sum('update')]
  const [only] = files
  const from = only && files.length === 1 ? only.file.name : countText(files.length, 'file')
  const update = `${created > 0 ? ' and update' : 'Update'} ${countText(updated, 'entry', 'entries')}`
  return `${created > 0 ? `Import ${countText(created, 'entry', 'entries')}` : ''}${updated > 0 ? update : ''} from ${from}?`
}

/** Returns what was imported and what was left out. */
export function resultText(
  { name, importer }: FileImport,
  { actions }: ImportPreview,
  { created, updated, pending }: ImportResult,
): string {
  const done = [
    ...(created > 0 || updated === 0 ? [`Imported ${countText(created, 'entry', 'entries')}`] : []),
    ...(updated > 0
      ? [`${created > 0 ? 'updated' : 'Updated'} ${countText(updated, 'entry', 'entries')}`]
      : []),
  ]
  const { skipped } = importer.reading
  const leftOut = [...leftOutParts(actions), ...(skipped.length > 0 ? [skippedText({ skipped })] : [])]
  const rest = leftOut.length > 0 ? `\nNot imported: ${leftOut.join(', ')}.` : ''
  const unsent = pending > 0 ? `\n${countText(pending, 'change')} not sent yet.` : ''
  return `${listText(done)} from ${name}. \`tt undo\` reverts the import.${rest}${unsent}`
}

/** Returns why a file has nothing to import. */
export function nothingText(
  { name, importer, closedCount }: FileImport,
  { actions, entries }: ImportPreview,
): string {
  const { skipped } = importer.reading
  if (entries === 0 && closedCount > 0)
    return `Nothing to import: ${name} contains only entries of the closed period.`
  if (entries === 0) {
    const rows = skipped.length > 0 ? `, except skipped ones: ${skippedText({ skipped })}` : ''
    return `Nothing to import: ${name} contains no entries${rows}.`
  }
  const all = entries === 1 ? 'the only entry' : `all ${entries.toLocaleString('en')} entries`
  if (actions.unchanged === entries)
    return `Nothing to import: ${all} of ${name} ${entries === 1 ? 'was' : 'were'} imported earlier.`
  return `Nothing to import from ${name}: ${leftOutParts(actions).join(', ')}.`
}

function leftOutParts({
  unchanged,
  changed,
  deleted,
  invoiced,
  equal,
  second_timer,
}: ImportPreview['actions']): string[] {
  const parts: [count: number, text: string][] = [
    [unchanged, 'imported earlier'],
    [changed, 'changed in the file (--update updates their entries)'],
    [deleted, 'deleted here after an earlier import (--again imports them again)'],
    [invoiced, 'deleted here, but on an invoice (not imported again before `tt invoice void`)'],
    [equal, 'equal to existing entries'],
    [second_timer, 'without an end while another timer is running (--end-open sets its end)'],
  ]
  return parts.filter(([count]) => count > 0).map(([count, text]) => `${count.toLocaleString('en')} ${text}`)
}
