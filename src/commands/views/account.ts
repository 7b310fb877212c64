import type { AccountJson } from '../../records/shapes/accounts.js'
import type { Style, View } from '../../ui/view.js'

/** The account that is signed in. Contains the location of the secrets, never the secrets. */
export type AccountRecord = AccountJson

const orNone = (text: string | null, none: string) => text ?? none

export const accountView: View<AccountRecord> = {
  columns: [
    { key: 'profile', title: 'Profile' },
    { key: 'company', title: 'Company', text: (row) => orNone(row.company, 'not known') },
    { key: 'base_url', title: 'Service', text: serviceText },
    { key: 'method', title: 'Signed in by', text: methodText },
    { key: 'scope', title: 'Scopes', text: (row) => orNone(row.scope, 'all') },
    { key: 'expires_at', title: 'Token until', text: (row) => orNone(row.expires_at, 'no known expiry') },
    { key: 'secrets', title: 'Secrets in', text: (row) => orNone(row.secrets, 'not needed') },
  ],
  json: (row) => ({ ...row }),
  empty: 'Not signed in.',
}

function serviceText({ base_url: address }: AccountRecord, style: Style): string {
  return address === null ? 'this machine' : (style.link?.(address, address) ?? address)
}

function methodText({ method, signed_in: signedIn }: AccountRecord): string {
  if (!signedIn) return 'not signed in: the sign-in has expired'
  const words = { local: 'not needed', token: 'TT_TOKEN', oauth: 'OAuth', key: 'legacy key' }
  return words[method]
}
