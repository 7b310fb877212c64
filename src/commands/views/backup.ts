import { statSync } from 'node:fs'
import type { Contents, WorkspaceContents } from '../../backup/contents.js'
import { countText } from '../../lib/text/words.js'
import type { BackupJson } from '../../records/shapes/accounts.js'
import type { View } from '../../ui/view.js'

/** A backup in JSON. */
export type BackupRecord = BackupJson

export const backupView: View<BackupRecord> = {
  columns: [
    { key: 'file', title: 'File' },
    { key: 'bytes', title: 'Bytes', align: 'right', isFigure: true },
    { key: 'entries', title: 'Entries', align: 'right', isFigure: true },
    { key: 'days', title: 'Days', align: 'right', isFigure: true },
    { key: 'expenses', title: 'Expenses', align: 'right', isFigure: true },
    { key: 'pending', title: 'Pending', align: 'right', isFigure: true },
  ],
  json: (record) => ({ ...record }),
  empty: '',
}

export function toBackupRecord({
  file,
  createdAt,
  contents: { workspace, states, hasSettings, hasAliases },
}: {
  file: string
  createdAt: Date
  contents: Contents
}): BackupRecord {
  return {
    file,
    bytes: statSync(file).size,
    created_at: createdAt.toISOString(),
    entries: workspace?.entries ?? 0,
    days: workspace?.days ?? 0,
    first_day: workspace?.firstDay ?? null,
    last_day: workspace?.lastDay ?? null,
    expenses: workspace?.expenses ?? 0,
    pending: states.reduce((sum, { pending }) => sum + pending, 0),
    settings: hasSettings,
    aliases: hasAliases,
    profiles: states.map(({ profile, stateKey, pending }) => ({
      profile: profile ?? null,
      state: stateKey,
      pending,
    })),
  }
}

/** Returns the contents in words: "1,204 entries on 310 days (2024-01-02 to 2026-11-20), settings". */
export function contentsText({ workspace, states, profiles, hasSettings, hasAliases }: Contents): string {
  const pending = states.reduce((sum, state) => sum + state.pending, 0)
  const parts = [
    workspace && workspaceText(workspace),
    profiles.length > 0 && countText(profiles.length, 'profile'),
    pending > 0 && countText(pending, 'pending change'),
    hasSettings && 'settings',
    hasAliases && 'aliases',
  ].filter((part) => typeof part === 'string')
  return parts.length === 0 ? 'no data' : parts.join(', ')
}

/** Returns the contents of a workspace in words. `hasBrackets`: whether the period is in brackets. */
export function workspaceText(
  { entries, days, firstDay, lastDay, expenses }: WorkspaceContents,
  hasBrackets = true,
): string {
  const span = firstDay === lastDay ? firstDay : `${firstDay} to ${lastDay}`
  const period = span === null ? '' : hasBrackets ? ` (${span})` : `, ${span}`
  const spent = expenses === 0 ? '' : `, ${countText(expenses, 'expense')}`
  return `${countText(entries, 'entry', 'entries')} on ${countText(days, 'day')}${period}${spent}`
}
