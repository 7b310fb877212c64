import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import { TtError } from '../lib/errors.js'
import { nearestNames, nearestNamesText } from '../lib/text/nearest-names.js'
import type { commands } from '../program/declarations/schema.js'

/**
 * Returns the JSON Schema of the output of a command, or of all by their names. Throws TtError `usage` for an unknown
 * command, and for one without JSON.
 */
export async function run(
  _: Context,
  { args: { command: words }, options }: Input<typeof commands.schema>,
): Promise<Record<string, unknown>> {
  const { schemaDocument, schemaNames } = await import('../records/shapes/documents.js')
  const isLine = options.line === true
  const documents = (names: readonly string[]) =>
    names.flatMap((name) => {
      const document = schemaDocument(name, { ofLine: isLine })
      return document ? [[name, document] as const] : []
    })
  if (words.length === 0) return Object.fromEntries(documents(schemaNames))
  const name = words.join(' ')
  const [found] = documents([name])
  if (found) return found[1]
  const ofSubcommands = documents(schemaNames.filter((each) => each.startsWith(`${name} `)))
  if (ofSubcommands.length > 0) return Object.fromEntries(ofSubcommands)
  if (isLine && schemaNames.includes(name)) {
    throw new TtError('usage', `\`tt ${name}\` does not print lines of JSON.`, { hint: 'Omit --line.' })
  }
  throw new TtError('usage', `There is no schema "${name}".${nearestNamesText(name, schemaNames)}`, {
    hint: 'Run `tt schema` for all schemas. Commands that print no JSON have none.',
    candidates: nearestNames(name, schemaNames),
  })
}
