import { displayUrl, readBaseUrl } from '../api/base-url.js'
import { scopes } from '../api/types.js'
import { openCredentialStore } from '../auth/credentials/open-store.js'
import {
  type LoginResult,
  type LoginTarget,
  loginWithBrowser,
  loginWithKey,
  profileNameFor,
} from '../auth/login.js'
import type { Context } from '../cli/context.js'
import { hintText } from '../cli/next-step.js'
import type { DirectoryFile } from '../config/directory-file.js'
import { checkProfileName, profileNamed, readProfiles, type StoredProfile } from '../config/profiles.js'
import { TtError } from '../lib/errors.js'
import { createBrowser } from '../ui/browser.js'
import { escapeLines } from '../ui/text.js'
import { confirmSameAccount, pendingOfProfile, sendPending } from './shared/account-switch.js'
import { readSecret } from './shared/standard-input.js'
import { type AccountRecord, accountView } from './views/account.js'

export interface LoginOptions {
  profile?: string
  baseUrl?: string
  authUrl?: string
  clientId?: string
  clientSecretStdin?: boolean
  scope?: string
  redirectUri?: string
  /** false with --no-browser */
  browser?: boolean
  key?: boolean
  email?: string
  passwordStdin?: boolean
  insecureStorage?: boolean
  insecureHttp?: boolean
}

export const view = accountView
export const quietOnTerminal = true

export async function run(ctx: Context, options: LoginOptions): Promise<AccountRecord> {
  checkOptions(options)
  // Read before anybody signs in: one that is damaged is told of then, not when all is done.
  const { directory } = ctx
  const { target, before } = await resolveTarget(ctx, options)
  const loggedIn = options.key
    ? await loginByKey(ctx, options, target)
    : await loginInBrowser(ctx, options, target, before)
  printResult(ctx, target, loggedIn, directory)
  await sendPending(ctx, target.profile, loggedIn.settings.state)
  return recordOf(target, loggedIn)
}

function checkOptions(options: LoginOptions) {
  const forKey = options.email !== undefined || options.passwordStdin
  const forBrowser =
    options.clientId !== undefined || options.clientSecretStdin || options.redirectUri !== undefined
  if (options.key && (forBrowser || options.scope !== undefined)) {
    throw new TtError(
      'usage',
      '--key signs in with email and password: it has no client, scope or redirect URI.',
      {
        hint: 'Leave --key out to sign in with OAuth.',
      },
    )
  }
  if (!options.key && forKey) {
    throw new TtError('usage', '--email and --password-stdin belong to --key.', {
      hint: 'Add --key to sign in with a legacy key; without it the password is typed in the browser alone.',
    })
  }
}

/** Where to sign in, what the profile is called, and a place for its secrets that is proved to work. */
async function resolveTarget(
  ctx: Context,
  options: LoginOptions,
): Promise<{ target: LoginTarget; before: StoredProfile | undefined }> {
  const { env } = ctx.host
  const { profiles, current } = readProfiles(ctx.paths)
  const named = options.profile ?? (env.TT_PROFILE || undefined)
  if (named !== undefined) checkProfileName(named)
  const known = named === undefined ? undefined : profileNamed({ profiles }, named)
  const inUse = current === undefined ? undefined : profileNamed({ profiles }, current)
  const typedAddress =
    options.baseUrl ?? (env.TT_BASE_URL || known?.base_url) ?? (await askForAddress(ctx, inUse?.base_url))
  // It was allowed for one address, not for whatever address the profile is moved to.
  const allowed = known ?? inUse
  const insecureHttp =
    options.insecureHttp ?? (typedAddress === allowed?.base_url && allowed?.insecure_http === true)
  const baseUrl = readBaseUrl(typedAddress, insecureHttp)
  const address = displayUrl(baseUrl)
  const sameAddress =
    inUse?.base_url === address
      ? current
      : Object.keys(profiles).find((name) => profiles[name]?.base_url === address)
  const profile = named ?? sameAddress ?? profileNameFor(baseUrl)
  const existing = profileNamed({ profiles }, profile)
  if (existing && existing.base_url !== address) await confirmMove(ctx, profile, existing, address)
  const before = existing?.base_url === address ? existing : undefined
  const authUrl = readBaseUrl(
    options.authUrl ?? (env.TT_AUTH_URL || before?.auth_url) ?? baseUrl.origin,
    insecureHttp,
  )
  const { storage, store } = await openProvenStore(ctx, profile, options.insecureStorage === true)
  return {
    target: {
      ...ctx.requests(),
      ...{ profile, insecureHttp, store, storage },
      baseUrl: address,
      authUrl: displayUrl(authUrl),
      paths: ctx.paths,
      // Where the client state stays the same, what waits in it would be delivered to whoever signs in now.
      ...(before ? { checkAccount: (api) => confirmSameAccount(ctx, before.state, api) } : {}),
    },
    before,
  }
}

/** @param suggestion the address of the current profile */
async function askForAddress(ctx: Context, suggestion: string | undefined): Promise<string> {
  const prompts = await ctx.prompts()
  if (prompts) return prompts.text('Address of the service (ends in /api/v1):', { suggestion })
  if (suggestion !== undefined) return suggestion
  throw missingError('address of the service', '--base-url https://HOST/api/v1')
}

async function confirmMove(ctx: Context, profile: string, from: StoredProfile, to: string): Promise<void> {
  const pending = await pendingOfProfile(ctx, from.state)
  const owner = `The profile "${profile}" belongs to ${from.base_url}.`
  const facts = pending === undefined ? owner : `${pending} ${owner}`
  if (await ctx.confirm(`Use it for ${to} from now on?`, facts)) return
  throw new TtError('interrupted', 'Nobody was signed in.', {
    hint: 'Choose another name with --profile.',
  })
}

/** Proves that secrets can be kept before anybody signs in; never takes a file in place of the keychain unasked. */
async function openProvenStore(ctx: Context, profile: string, insecure: boolean) {
  const open = async (storage: LoginTarget['storage']) => {
    const store = await openCredentialStore(storage, profile, ctx.paths, { isAttended: ctx.isInteractive })
    await store.verify()
    return { storage, store }
  }
  if (insecure) return open('file')
  try {
    return await open('keychain')
  } catch (error) {
    const prompts = await ctx.prompts()
    if (!prompts || !(error instanceof TtError)) throw error
    ctx.warn(error.message)
    if (await prompts.confirm('Keep the secrets in a file instead, which you alone can read?'))
      return open('file')
    throw new TtError(error.code, 'Nobody was signed in: there is no place for the secrets.', {
      hint: error.hint,
      nextStep: error.nextStep,
      cause: error,
    })
  }
}

async function loginInBrowser(
  ctx: Context,
  options: LoginOptions,
  target: LoginTarget,
  before: StoredProfile | undefined,
): Promise<LoginResult> {
  const { env } = ctx.host
  const prompts = await ctx.prompts()
  const clientId =
    options.clientId ?? (env.TT_CLIENT_ID || before?.client_id) ?? (await prompts?.text('Client id:'))
  if (clientId === undefined) throw missingError('client id', '--client-id ID')
  // A secret that is kept goes to the client and the address that it was given for, and nowhere else.
  const sameClient = before?.client_id === clientId && before.auth_url === target.authUrl
  const clientSecret = await clientSecretOf(ctx, options, target, sameClient)
  return loginWithBrowser(target, {
    clientId,
    clientSecret,
    scope: options.scope ?? before?.scope ?? scopes.join(' '),
    redirectUri: options.redirectUri,
    openBrowser: options.browser === false ? undefined : createBrowser(env),
    hintOf: hintText,
    promptForUrl: prompts && ((signal) => prompts.text('Pasted address:', { signal })),
    // Not `say`: nobody can sign in without the address, whatever else is to be quiet.
    print: (text) => void ctx.host.stderr.write(escapeLines(text)),
    signal: ctx.host.interruption(),
    clock: ctx.host.now,
  })
}

/** null for a client without one. The secret that is kept serves again, for the same client. */
async function clientSecretOf(
  ctx: Context,
  options: LoginOptions,
  { store }: LoginTarget,
  sameClient: boolean,
): Promise<string | null> {
  if (options.clientSecretStdin) return readSecret(ctx.host.stdin, 'client secret', '--client-secret-stdin')
  const { TT_CLIENT_SECRET: fromEnvironment } = ctx.host.env
  if (fromEnvironment !== undefined) return fromEnvironment || null
  if (sameClient) {
    const stored = await store.read().catch(() => undefined)
    if (stored?.method === 'oauth') return stored.client_secret
  }
  const prompts = await ctx.prompts()
  if (!prompts) throw missingError('client secret', '--client-secret-stdin < FILE')
  return (await prompts.secret('Client secret (Enter alone if it has none):')) || null
}

async function loginByKey(ctx: Context, options: LoginOptions, target: LoginTarget): Promise<LoginResult> {
  ctx.warn(
    'OAuth (`tt login` without --key) is the better way: limited to scopes, revocable by itself, without your password ' +
      'passing through tt, and the only one for anyone who signs in through an identity provider.',
  )
  const prompts = await ctx.prompts()
  const email = options.email ?? (await prompts?.text('Email:'))
  if (email === undefined) throw missingError('email', '--email ADDRESS')
  const password = options.passwordStdin
    ? await readSecret(ctx.host.stdin, 'password', '--password-stdin')
    : await prompts?.secret('Password:')
  if (!password) throw missingError('password', '--password-stdin < FILE')
  return loginWithKey(target, { email, password })
}

function missingError(what: string, option: string): TtError {
  return new TtError('usage', `The ${what} is missing.`, {
    hint: `Add ${option}, or run \`tt login\` in a terminal.`,
  })
}

/** Names the account, so that a sign-in to another one than intended is noticed. */
function printResult(
  ctx: Context,
  target: LoginTarget,
  { company, user }: LoginResult,
  directory: DirectoryFile | undefined,
) {
  const account = `${company.name} (company ${company.id}) at ${target.baseUrl}`
  ctx.message(
    `Signed in to ${account}${user === undefined ? '. The service does not name the user.' : ` as ${user}.`} ` +
      `The profile is "${target.profile}"; its secrets are in ${target.store.location}.`,
  )
  const { TT_BASE_URL: address, TT_TOKEN: token, TT_PROFILE: profile } = ctx.host.env
  const { profile: ofDirectory, path } = directory ?? {}
  if (address && token)
    ctx.warn('TT_BASE_URL and TT_TOKEN are set and go before it: unset them to use this profile.')
  else if (profile) {
    if (profile !== target.profile) ctx.warn(`TT_PROFILE is "${profile}" and goes before it.`)
  } else if (ofDirectory !== undefined && ofDirectory !== target.profile)
    ctx.warn(`Here, ${path} names the profile "${ofDirectory}", which goes before it.`)
}

function recordOf(target: LoginTarget, { settings, company, credentials }: LoginResult): AccountRecord {
  const oauth = credentials.method === 'oauth' ? credentials : undefined
  return {
    profile: target.profile,
    base_url: settings.base_url,
    auth_url: settings.auth_url,
    method: settings.method,
    company: company.name,
    company_id: company.id,
    client_id: settings.client_id ?? null,
    scope: oauth?.scope ?? null,
    expires_at: oauth?.expires_at ?? null,
    secrets: target.store.location,
    signed_in: true,
  }
}
