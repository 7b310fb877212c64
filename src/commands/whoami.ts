import type { Company } from '../api-client/types.js'
import type { Context } from '../cli/context.js'
import { hintText } from '../cli/next-step-text.js'
import { TtError } from '../lib/errors.js'
import { type AccountRecord, accountView } from './views/account.js'

export const allowsUnreadableSettings = true
export const view = accountView

export async function run(ctx: Context): Promise<AccountRecord> {
  const { profile } = ctx.config
  const record: AccountRecord = {
    profile: profile.name,
    base_url: profile.baseUrl ?? null,
    auth_url: null,
    method: profile.method,
    company: null,
    company_id: null,
    client_id: null,
    scope: null,
    expires_at: null,
    secrets: profile.token === undefined ? null : 'TT_TOKEN',
    signed_in: true,
  }
  const { company, isRejected } = await companyOf(ctx)
  const known = company ? { company: company.name, company_id: company.id } : {}
  const account = await storedAccount(ctx)
  return { ...record, ...account, ...known, ...(isRejected ? { signed_in: false } : {}) }
}

/** Returns the stored fields of the account. Call it after the request, which may refresh the tokens. */
async function storedAccount(ctx: Context): Promise<Partial<AccountRecord>> {
  const account = await ctx.account()
  if (!account) return {}
  const { settings } = account.profile
  const credentials = await account.credentials()
  const oauth = credentials?.method === 'oauth' ? credentials : undefined
  return {
    auth_url: settings.auth_url,
    method: settings.method,
    client_id: settings.client_id ?? null,
    scope: oauth?.scope ?? settings.scope ?? null,
    expires_at: oauth?.expires_at ?? null,
    secrets: account.store.location,
    signed_in: credentials !== undefined && oauth?.access_token !== '',
  }
}

/**
 * Returns the company. Warns and returns none when the service is unreachable, rejects the sign-in (`isRejected`) or
 * denies the scope.
 */
async function companyOf(ctx: Context): Promise<{ company?: Company; isRejected?: boolean }> {
  try {
    return { company: await (await ctx.api()).getCompany() }
  } catch (error) {
    const expected = ['unreachable', 'unauthenticated', 'insufficient_scope']
    if (!(error instanceof TtError) || !expected.includes(error.code)) throw error
    const hint = hintText(error)
    ctx.terminal.warn(`${error.message}${hint ? `\n${hint}` : ''}`)
    return { isRejected: error.code === 'unauthenticated' }
  }
}
