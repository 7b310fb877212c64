import { sendSettings } from '../../config/settings/settings.js'
import { TtError } from '../../lib/errors.js'

/**
 * Whether a command that changes records returns once its changes are saved, while another process sends them
 * (`background`), or when the service has responded (`wait`).
 */
export type SendMode = 'background' | 'wait'

/** Everything that decides the mode of a command. */
export interface SendSituation {
  /** Whether each of the standard streams is a terminal. */
  isTerminal: { stdin(): boolean; stdout(): boolean; stderr(): boolean }
  /** Whether the output is data: `--json`, another format, or a value for a program in this process. */
  hasDataOutput: boolean
  /** False with --no-input. */
  input: boolean
  /** Whether `--wait` was given. */
  wait: boolean
  env: Readonly<Record<string, string | undefined>>
  /** The value of the setting `send`, unchecked. */
  setting: unknown
  /** The ID of this process: the first one of a container ends all others when it ends. */
  pid: number
}

/** Returns the mode of a command. Throws TtError `usage` for another value of TT_SEND. */
export function sendModeOf({
  isTerminal,
  hasDataOutput,
  input,
  wait,
  env,
  setting,
  pid,
}: SendSituation): SendMode {
  const typed = env.TT_SEND || undefined
  if (typed !== undefined && !sendSettings.some((known) => known === typed))
    throw new TtError('usage', `TT_SEND is "${typed}".`, { hint: 'Set it to auto or wait, or unset it.' })
  const isScript = hasDataOutput || !input || wait || Boolean(env.CI) || Boolean(env.TT_TOKEN) || pid === 1
  if (isScript || (typed ?? setting) === 'wait') return 'wait'
  return isTerminal.stderr() && isTerminal.stdout() && isTerminal.stdin() ? 'background' : 'wait'
}
