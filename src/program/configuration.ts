import type { Invocation } from '../cli/command.js'
import { ownOptionGroups } from '../cli/declaration.js'
import { resolvePath } from '../cli/file-paths.js'
import { longName } from '../cli/read-input.js'
import { ConfigFileError, readJsonFile } from '../config/config-file.js'
import type { Environment } from '../config/paths.js'
import { TtError } from '../lib/errors.js'
import { isObject } from '../lib/is-object.js'
import { nearestNames, suggestionText } from '../lib/text/nearest-names.js'
import { commands } from './declarations/service.js'

/** An option of a command that was not typed. */
export interface UntypedOption {
  /** The long name, such as `--public-url`. */
  flag: string
  /** The name of its value, such as `publicUrl`. */
  key: string
  /** Whether it takes a value. */
  takesValue: boolean
  /** Whether there is a form `--no-…` as well. */
  canBeNegated: boolean
}

interface Configured {
  value: string | boolean
  /** Where the value comes from, as the subject of a message: `TT_PORT`, or `"port" in service.json`. */
  source: string
}

export interface ConfigurationHost {
  env: Environment
  cwd(): string | undefined
}

const fileFlag = '--config'

/** The options of `tt serve`. An environment variable and a configuration file can set each of them. */
const serviceFlags = ownOptionGroups(commands.serve)
  .flatMap(({ options }) => options.map(({ flags }) => longName(flags).replace(/^--no-/, '--')))
  .filter((flag) => flag !== fileFlag)

/** Returns the environment variable that sets an option: TT_PUBLIC_URL for `--public-url`. */
export function variableOf(flag: string): string {
  return `TT_${flag.slice('--'.length).replaceAll('-', '_').toUpperCase()}`
}

/**
 * Returns the invocation with the values of options that were not typed: from environment variables, or else from the
 * file of `--config`. Commands other than `tt serve` accept the same file and use only the options they have. Messages
 * name the variable, or the key and the file, of such an option.
 *
 * Throws TtError `usage` for an invalid value or file, naming the variable, or the file with its key.
 */
export function withConfiguration(
  invocation: Invocation,
  untyped: readonly UntypedOption[],
  host: ConfigurationHost,
): Invocation {
  const { args, options } = invocation.input
  const inEnvironment = (option: UntypedOption) => fromEnvironment(option, host.env)
  const fileOption = untyped.find(({ flag }) => flag === fileFlag)
  const file = fileOption ? inEnvironment(fileOption)?.value : options.config
  const inFile = typeof file === 'string' ? readConfiguration(resolvePath(host, file), file) : () => undefined
  const values = { ...options }
  const sources = new Map<string, string>()
  for (const option of untyped.filter(({ flag }) => serviceFlags.includes(flag))) {
    const found = inEnvironment(option) ?? inFile(option)
    if (!found) continue
    values[option.key] = found.value
    sources.set(option.flag, found.source)
  }
  const nameOption = (flag: string) => sources.get(flag) ?? flag
  return { ...invocation, input: { args, options: values }, nameOption }
}

function fromEnvironment(option: UntypedOption, env: Environment): Configured | undefined {
  const source = variableOf(option.flag)
  const text = env[source]
  return text === undefined || text === '' ? undefined : { value: parseValue(option, text, source), source }
}

/** Reads the file and returns a function that finds the value of an option in it. */
function readConfiguration(path: string, name: string): (option: UntypedOption) => Configured | undefined {
  const values = readObject(path, name)
  const names = serviceFlags.map((flag) => flag.slice('--'.length))
  for (const [key, value] of Object.entries(values)) {
    if (!names.includes(key)) {
      const candidates = nearestNames(key, names)
      throw new TtError('usage', `${name}: there is no option "${key}".${suggestionText(candidates)}`, {
        hint: 'The keys are the options of `tt serve` without hyphens in front, such as "public-url".',
        candidates,
      })
    }
    if (!['string', 'number', 'boolean'].includes(typeof value)) {
      throw new TtError('usage', `${name}: "${key}" must be a text, a number, true or false.`)
    }
  }
  return (option) => {
    const key = option.flag.slice('--'.length)
    if (!Object.hasOwn(values, key)) return undefined
    const source = `"${key}" in ${name}`
    return { value: parseValue(option, String(values[key]), source), source }
  }
}

function readObject(path: string, name: string): Record<string, unknown> {
  const value = readFile(path, name)
  if (isObject(value)) return value
  const problem =
    value === undefined ? `There is no configuration file ${name}.` : `${name} is not a JSON object.`
  throw new TtError('usage', problem, {
    hint: 'Write the options of `tt serve` as JSON, such as {"database": "sqlite:team.db", "port": 8320}.',
  })
}

function readFile(path: string, name: string): unknown {
  try {
    return readJsonFile(path)
  } catch (error) {
    if (error instanceof ConfigFileError)
      throw new TtError('usage', `${name} ${error.message}.`, { cause: error })
    throw error
  }
}

/** Returns the value of an option as the command line has it. */
function parseValue(
  { takesValue, canBeNegated }: UntypedOption,
  text: string,
  source: string,
): string | boolean {
  const flag = /^(?:(true|yes)|false|no)$/i.exec(text)
  // The value of an option that can be negated may be omitted.
  if (takesValue) return flag && canBeNegated ? flag[1] !== undefined : text
  if (flag) return flag[1] !== undefined
  throw new TtError('usage', `${source} must be true or false, not "${text}".`)
}
