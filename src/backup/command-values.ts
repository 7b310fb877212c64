import { readFileSync, writeFileSync } from 'node:fs'
import { isShellExpansion } from '../config/alias-expansion.js'
import { type Aliases, readAliases } from '../config/aliases.js'
import { parseJson } from '../config/config-file.js'
import type { Paths } from '../config/paths.js'
import { isPathOrCommand } from '../config/settings/setting-table.js'
import { storedValues } from '../config/settings/stored-values.js'
import { TtError } from '../lib/errors.js'
import { aliasesName, type BackupFiles, settingsName } from './backup-files.js'

/**
 * A setting that is a path or a command, or a shell alias, whose value in a backup differs from the current one. Someone
 * else's backup could make `tt` write to files of the user or run programs with it.
 */
export interface CommandValue {
  kind: 'setting' | 'alias'
  name: string
  /** The value in the backup; undefined if it has none. */
  restored: string | undefined
  current: string | undefined
}

/** Returns these values of an extracted backup. */
export function commandValues(paths: Paths, files: BackupFiles): CommandValue[] {
  return parts.flatMap((part) => differences(part, paths, files))
}

/** Replaces these values in the extracted files by the current ones. */
export function keepCommandValues(paths: Paths, files: BackupFiles) {
  for (const part of parts) {
    const values = differences(part, paths, files)
    if (values.length === 0) continue
    const saved = Object.entries(readObject(files, part.name) ?? {})
    const others = saved.filter(([name]) => !values.some((value) => value.name === name))
    const kept = values.flatMap(({ name, current }) => (current === undefined ? [] : [[name, current]]))
    const text = JSON.stringify(Object.fromEntries([...others, ...kept]), null, 2)
    writeFileSync(files.paths.get(part.name) as string, `${text}\n`, { mode: 0o600, flush: true })
  }
}

/** A file that can have such values. */
interface Part {
  kind: CommandValue['kind']
  /** Its name in a backup. */
  name: string
  /** Returns the current values; none if they cannot be read, as the restore replaces them. */
  current(paths: Paths): Record<string, unknown>
  isCommand(name: string, value: string | undefined): boolean
}

const parts: readonly Part[] = [
  {
    kind: 'setting',
    name: settingsName,
    current: (paths) => readable(() => storedValues(paths)),
    isCommand: isPathOrCommand,
  },
  {
    kind: 'alias',
    name: aliasesName,
    current: (paths) => readable<Aliases>(() => readAliases(paths)),
    isCommand: (_, value) => value !== undefined && isShellExpansion(value),
  },
]

function differences(part: Part, paths: Paths, files: BackupFiles): CommandValue[] {
  const saved = readObject(files, part.name)
  if (!saved) return []
  const now = part.current(paths)
  return [...new Set([...Object.keys(saved), ...Object.keys(now)])].flatMap((name) => {
    const [restored, current] = [textOf(saved, name), textOf(now, name)]
    const isCommand = part.isCommand(name, restored) || part.isCommand(name, current)
    return isCommand && restored !== current ? { kind: part.kind, name, restored, current } : []
  })
}

const textOf = (values: Record<string, unknown>, name: string) =>
  Object.hasOwn(values, name) ? String(values[name]) : undefined

/** Returns a JSON object of the backup, which has been checked. */
function readObject({ paths }: BackupFiles, name: string): Record<string, unknown> | undefined {
  const path = paths.get(name)
  return path === undefined ? undefined : (parseJson(readFileSync(path, 'utf8')) as Record<string, unknown>)
}

function readable<Value extends Record<string, unknown>>(read: () => Value | undefined) {
  try {
    return read() ?? {}
  } catch (error) {
    if (error instanceof TtError) return {}
    throw error
  }
}
