import { ExpiredSignInError } from '../api/failures.js'
import { TtError } from '../errors.js'
import type { QueuedChange, Said } from './change.js'

/** The message about a change that is saved and not sent yet, from the error, or a sentence, that says why. */
export function kept(why: TtError | string): string {
  if (why instanceof ExpiredSignInError)
    return `Saved locally: your sign-in has expired. Run \`${why.login}\` to send it.`
  const reason = typeof why === 'string' ? why : why.message
  return `Saved locally: ${reason.replace(/^T(?=he )/, 't')} Run \`tt sync\` to send it.`
}

/** What is told of a change that was set aside: what is wrong with it, and what can be done. */
export function toldAside(change: QueuedChange): string {
  const { op, kind, record, said } = change
  const verb = { create: 'A new', update: 'A change of', delete: 'The deletion of' }[op]
  const what = op === 'create' ? `${verb} ${kind} (${record})` : `${verb} ${kind} ${record}`
  return `${what} was set aside. ${sentence(said)} ${wayOut(change)}`
}

function wayOut({ seq, state }: QueuedChange): string {
  const again = state === 'conflict' ? 'sends what was typed all the same' : 'sends it again'
  return `\`tt sync retry ${seq}\` ${again}, \`tt sync discard ${seq}\` drops it.`
}

/** The failure of a command whose change the service refused; `isKept` when it was set aside. */
export function refusal(change: QueuedChange, isKept: boolean): TtError {
  const { said, record, op } = change
  const status = said?.status
  const editing = op === 'create' ? `\`tt edit ${record}\` changes it, ` : ''
  return new TtError(
    'rejected',
    `The service refused the change${status === undefined ? '' : ` (${status})`}: ${sentence(said)}`,
    {
      ...(isKept ? { hint: `It is set aside: ${editing}${wayOut(change)}` } : {}),
      ...(status === undefined ? {} : { status }),
    },
  )
}

/** The service's own words may end like none. */
function sentence(said: Said | null): string {
  return (said?.message ?? '').replace(/[^.!?…]$/, '$&.')
}
