import { formatDescriptions } from '../ui/formats/formats.js'
import type { OptionSet } from './declaration.js'

/** The options of every command (design, section 3). */
export const commonOptions = {
  '--json': 'print the result as JSON',
  '--jq <expression>': 'filter the JSON with a jq expression (implies --json)',
  '--profile <name>': 'use this profile ("local" is the local workspace)',
  '--no-input': 'never prompt; fail if input is needed',
  '-q, --quiet': 'print only errors to stderr',
  '--debug': 'print HTTP requests, timings and stack traces',
  '--no-color': 'disable colour',
  '--yes': 'skip confirmation prompts',
  '--no-hooks': 'do not run hooks',
  '--wait': 'return when the service has stored the change',
} as const

export const versionOption = ['-V, --version', 'print the version'] as const

export const helpFlags = '-h, --help'

export const commonTitle = 'Common options'

const printOptions = Object.fromEntries(
  Object.entries(formatDescriptions).map(([name, what]) => [`--${name}`, `print ${what}`]),
) as { readonly [Name in keyof typeof formatDescriptions as `--${Name}`]: string }

/** The output formats of commands that print records, except `--json`, which every command has. */
export const formatOptions = {
  ...printOptions,
  '--fields <keys>': 'print only these JSON keys, in this order (comma-separated)',
  '--raw': { description: 'do not escape text that looks like a formula', needs: '--csv' },
} as const satisfies OptionSet
