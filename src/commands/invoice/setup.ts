import type { Context } from '../../cli/context.js'
import { checkSetting, settingNamed } from '../../config/settings/setting-table.js'
import { changeValues } from '../../config/settings/settings-file.js'
import { errorMessage, TtError } from '../../lib/errors.js'
import { taxCategories } from '../../lib/invoice-words.js'
import type { Prompts } from '../../ui/prompts.js'
import { missingSettings, settingsOfClient } from './terms.js'

/** The settings that are prompted for, in this order; the others are optional and rare. */
const partyKeys = ['name', 'street', 'postal_code', 'city', 'country', 'vat_id'] as const
const ownKeys = ['sender.tax_id', 'sender.email', 'tax', 'due', 'iban'] as const

/** Prompts for the settings of invoices that are missing, of the user and of a client. Throws TtError `usage` without a terminal. */
export async function setUp(ctx: Context, typedClient: string | undefined): Promise<void> {
  const settings = await ctx.config.settings()
  const client =
    typedClient === undefined ? undefined : (await (await ctx.expenses()).names.findClient(typedClient)).name
  const own = client === undefined ? {} : settingsOfClient(settings, client)
  const missing = missingSettings(settings, client)
  const prompts = await ctx.terminal.prompts()
  if (!prompts) {
    throw new TtError(
      'usage',
      `Cannot prompt for the settings of invoices. ${ctx.terminal.cannotPromptReason}`,
      {
        hint:
          missing.length === 0
            ? 'Nothing is missing. `tt config list` shows the settings invoice.* and client.*.'
            : `Set them with \`tt config set\`: ${missing.join(', ')}.`,
      },
    )
  }
  const names = [
    ...partyKeys
      .filter((key) => settings.invoice[`sender.${key}`] === undefined)
      .map((key) => `invoice.sender.${key}`),
    ...ownKeys.filter((key) => settings.invoice[key] === undefined).map((key) => `invoice.${key}`),
    ...(client === undefined ? [] : partyKeys.filter((key) => own[key] === undefined)).map(
      (key) => `client.${client}.${key}`,
    ),
  ]
  let count = 0
  const store = async (name: string, value: string) => {
    await changeValues(ctx.config.paths, (values) => {
      values[name] = value
    })
    count++
  }
  for (const name of names) {
    const value = await promptFor(prompts, name, missing.includes(name) ? undefined : { isOptional: true })
    if (value !== '') await store(name, value)
    if (name === 'invoice.tax' && Number(value) === 0 && settings.invoice.tax_category === undefined)
      for (const [other, text] of await promptForCategory(prompts)) await store(other, text)
  }
  const saved =
    count === 0 ? 'Nothing was missing' : `Saved ${count === 1 ? 'a setting' : `${count} settings`}`
  ctx.terminal.message(`${saved}. \`tt config list\` shows the settings invoice.* and client.*.`)
}

/** Prompts for the value of a setting until it is valid; empty for an optional one that is skipped. */
async function promptFor(
  prompts: Prompts,
  name: string,
  { isOptional = false }: { isOptional?: boolean } = {},
): Promise<string> {
  const { description = name, example = '' } = settingNamed(name)?.setting ?? {}
  const hint = isOptional ? `such as ${example}; Enter to skip` : `such as ${example}`
  const value = await prompts.text(`${name} – ${description} (${hint}):`, {
    isOptional,
    findProblem: (line) => (isOptional && line.trim() === '' ? undefined : problemOf(name, line)),
  })
  return value.trim()
}

function problemOf(name: string, value: string): string | undefined {
  try {
    checkSetting(name, value)
    return undefined
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    return errorMessage(error)
  }
}

/** Prompts why there is no tax. */
async function promptForCategory(prompts: Prompts): Promise<[name: string, value: string][]> {
  const choices = taxCategories
    .filter((category) => category !== 'standard')
    .map((category) => ({ name: category.replace('_', ' '), value: category }))
  const category = await prompts.select('invoice.tax_category – why there is no tax:', choices)
  const reason = await promptFor(prompts, 'invoice.tax_reason', { isOptional: true })
  return [
    ['invoice.tax_category', category],
    ...(reason === '' ? [] : [['invoice.tax_reason', reason] as [string, string]]),
  ]
}
