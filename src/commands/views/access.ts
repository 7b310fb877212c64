import { formatDateTime, toRfc3339 } from '../../lib/calendar/time.js'
import type { BrowserSessionJson, IssuedTokenJson } from '../../records/shapes/admin.js'
import type { BrowserSignIn, IssuedToken } from '../../service/accounts/issued-tokens.js'
import type { Column, View } from '../../ui/view.js'
import { emptyList } from './record.js'

const kinds = { key: 'legacy key', admin: 'admin token', oauth: 'application' } as const

/** Tokens without their secrets. */
export const tokenView: View<IssuedToken> = {
  columns: [
    { key: 'id', title: 'ID' },
    { key: 'user', title: 'User', canShrink: true },
    { key: 'kind', title: 'Kind', text: ({ kind }) => kinds[kind] },
    { key: 'name', title: 'Name', canShrink: true },
    {
      key: 'scopes',
      title: 'Scopes',
      text: ({ scopes }) => scopes.join(' '),
      canShrink: true,
      isMinor: true,
    },
    instantColumn('created_at', 'Created', ({ createdAt }) => createdAt),
    instantColumn('used_at', 'Last used', ({ usedAt }) => usedAt),
    instantColumn('expires_at', 'Expires', ({ expiresAt }) => expiresAt),
    instantColumn('revoked_at', 'Revoked', ({ revokedAt }) => revokedAt),
  ],
  json: (token): IssuedTokenJson => ({
    id: token.id,
    user: token.user,
    kind: token.kind,
    name: token.name,
    scopes: token.scopes,
    valid: token.isValid,
    created_at: toRfc3339(token.createdAt),
    used_at: orNull(token.usedAt),
    expires_at: orNull(token.expiresAt),
    revoked_at: orNull(token.revokedAt),
  }),
  empty: emptyList('valid tokens', 'tt admin token list --all', 'includes revoked and expired ones'),
}

export const sessionView: View<BrowserSignIn> = {
  columns: [
    instantColumn('created_at', 'Signed in', ({ createdAt }) => createdAt),
    instantColumn('expires_at', 'Expires', ({ expiresAt }) => expiresAt),
    { key: 'address', title: 'Address', text: ({ address }) => address ?? 'not known' },
    { key: 'browser', title: 'Browser', text: ({ browser }) => browser ?? 'not known', canShrink: true },
  ],
  json: ({ createdAt, expiresAt, address, browser }): BrowserSessionJson => ({
    created_at: toRfc3339(createdAt),
    expires_at: toRfc3339(expiresAt),
    address,
    browser,
  }),
  empty: 'No browser sessions.',
}

function instantColumn<Row>(key: string, title: string, read: (row: Row) => Date | null): Column<Row> {
  return {
    key,
    title,
    text(row) {
      const instant = read(row)
      return instant === null ? '' : formatDateTime(instant)
    },
  }
}

const orNull = (instant: Date | null) => (instant === null ? null : toRfc3339(instant))
