import { rmSync } from 'node:fs'
import { openCredentialStore, tokenOf } from '../api-client/auth/credentials/credentials.js'
import {
  type LoginResult,
  type LoginTarget,
  loginWithBrowser,
  loginWithKey,
  profileNameFor,
} from '../api-client/auth/login.js'
import { displayUrl, readBaseUrl } from '../api-client/http/base-url.js'
import { scopes } from '../api-client/types.js'
import type { Context } from '../cli/context.js'
import type { Input, Options } from '../cli/input.js'
import type { DirectoryFile } from '../config/directory-file.js'
import { failedLoginPath } from '../config/paths.js'
import {
  type CredentialStorage,
  checkProfileName,
  type Profiles,
  profileNamed,
  readProfiles,
  type StoredProfile,
} from '../config/profiles.js'
import { TtError } from '../lib/errors.js'
import { writePrivateFile } from '../lib/private-file.js'
import type { commands } from '../program/declarations/account.js'
import { createBrowser } from '../ui/browser.js'
import { escapeLines } from '../ui/text.js'
import { confirmSameAccount, pendingOfProfile, sendPending } from './shared/account/account-switch.js'
import { learnCapabilities } from './shared/account/learn-capabilities.js'
import { createSignInDialog } from './shared/prompts/sign-in-dialog.js'
import { readSecret } from './shared/standard-input.js'
import { type AccountRecord, accountView } from './views/account.js'

type LoginOptions = Options<typeof commands.login>

export const view = accountView
export const messageReplacesValue = true

export async function run(ctx: Context, { options }: Input<typeof commands.login>): Promise<AccountRecord> {
  // Read before the sign-in, so that warnings about a damaged file come first.
  const { directory } = ctx.config
  const { target, result } = await rememberingFailure(ctx, async () => {
    const { target, previous } = await resolveTarget(ctx, options)
    const result = options.key
      ? await runKeyLogin(ctx, options, target)
      : await runBrowserLogin(ctx, options, target, previous)
    return { target, result }
  })
  printResult(ctx, target, result, directory)
  const signedIn = ctx.forProfile(target.profile)
  await sendPending(signedIn, result.settings.state)
  const { baseUrl, insecureHttp } = target
  await learnCapabilities(signedIn, { baseUrl, insecureHttp, token: () => tokenOf(result.credentials) })
  return recordOf(target, result)
}

/** Runs a sign-in. After a failed one, the next change in the local workspace warns that it is not at the service. */
async function rememberingFailure<Result>({ config: { paths } }: Context, login: () => Promise<Result>) {
  const path = failedLoginPath(paths)
  try {
    const result = await login()
    rmSync(path, { force: true })
    return result
  } catch (error) {
    if (readProfiles(paths).current === undefined) writePrivateFile(path, '')
    throw error
  }
}

/**
 * Returns the service, the profile name and a verified store for the secrets; `previous` is the stored profile of that
 * name, if it belongs to the same service.
 */
async function resolveTarget(
  ctx: Context,
  options: LoginOptions,
): Promise<{ target: LoginTarget; previous: StoredProfile | undefined }> {
  const requested = options.profile ?? (ctx.host.env.TT_PROFILE || undefined)
  if (requested !== undefined) checkProfileName(requested)
  const stored = readProfiles(ctx.config.paths)
  const { baseUrl, insecureHttp } = await resolveBaseUrl(ctx, options, stored, requested)
  const address = displayUrl(baseUrl)
  const profile = requested ?? profileAt(address, stored) ?? profileNameFor(baseUrl)
  const existing = profileNamed(stored, profile)
  if (existing && existing.base_url !== address) await confirmMove(ctx, profile, existing, address)
  const previous = existing?.base_url === address ? existing : undefined
  const authUrl = readBaseUrl(
    options.authUrl ?? (ctx.host.env.TT_AUTH_URL || previous?.auth_url) ?? baseUrl.origin,
    insecureHttp,
  )
  const { storage, store } = await openVerifiedStore(ctx, profile, options.insecureStorage === true)
  return {
    target: {
      ...ctx.requestOptions(),
      ...{ profile, insecureHttp, store, storage },
      baseUrl: address,
      authUrl: displayUrl(authUrl),
      paths: ctx.config.paths,
      // With the same client state, pending changes would be sent to the new account.
      ...(previous
        ? { checkAccount: (api, identity) => confirmSameAccount(ctx, previous, { api, identity }) }
        : {}),
    },
    previous,
  }
}

/** Returns the base URL of the service, and whether it may use unencrypted HTTP to another machine. */
async function resolveBaseUrl(
  ctx: Context,
  options: LoginOptions,
  stored: Profiles,
  requested: string | undefined,
): Promise<{ baseUrl: URL; insecureHttp: boolean }> {
  const requestedProfile = requested === undefined ? undefined : profileNamed(stored, requested)
  const currentProfile = stored.current === undefined ? undefined : profileNamed(stored, stored.current)
  const address =
    options.baseUrl ??
    (ctx.host.env.TT_BASE_URL || requestedProfile?.base_url) ??
    (await promptForAddress(ctx, currentProfile?.base_url))
  // Unencrypted HTTP is allowed for one address, and not for another one.
  const known = requestedProfile ?? currentProfile
  const insecureHttp = options.insecureHttp ?? (address === known?.base_url && known?.insecure_http === true)
  return { baseUrl: readBaseUrl(address, insecureHttp), insecureHttp }
}

/** Returns the name of a profile for this address, preferably the current one; undefined if there is none. */
function profileAt(address: string, { profiles, current }: Profiles): string | undefined {
  const names = Object.keys(profiles).filter((name) => profiles[name]?.base_url === address)
  return names.find((name) => name === current) ?? names[0]
}

/**
 * Returns the address that the user types. Without a terminal, returns `suggestion`, or throws TtError `usage`.
 *
 * @param suggestion the address of the current profile
 */
async function promptForAddress(ctx: Context, suggestion: string | undefined): Promise<string> {
  const prompts = await ctx.terminal.prompts()
  if (prompts) return prompts.text('Address of the service (ends in /api/v1):', { suggestion })
  if (suggestion !== undefined) return suggestion
  throw missingError('address of the service', '--base-url https://HOST/api/v1')
}

/** Confirms that a profile changes to another service. Throws TtError `interrupted` if the user declines. */
async function confirmMove(ctx: Context, profile: string, from: StoredProfile, to: string): Promise<void> {
  const pending = await pendingOfProfile(ctx, from.state)
  const owner = `The profile "${profile}" belongs to ${from.base_url}.`
  const facts = pending === undefined ? owner : `${pending} ${owner}`
  if (await ctx.terminal.confirm(`Use it for ${to} from now on?`, facts)) return
  throw new TtError('interrupted', 'The sign-in was cancelled.', {
    hint: 'Choose another name with --profile.',
  })
}

/** Opens a store and verifies that it works, before the sign-in. Uses a file only with the user's consent. */
async function openVerifiedStore(ctx: Context, profile: string, insecure: boolean) {
  const open = async (storage: CredentialStorage) => {
    const store = await openCredentialStore(storage, profile, ctx.config.paths, {
      isAttended: ctx.terminal.isInteractive,
    })
    await store.verify()
    return { storage, store }
  }
  if (insecure) return open('file')
  try {
    return await open('keychain')
  } catch (error) {
    const prompts = await ctx.terminal.prompts()
    if (!prompts || !(error instanceof TtError)) throw error
    ctx.terminal.warn(error.message)
    if (await prompts.confirm('Store the secrets in a file instead, readable only by you?'))
      return open('file')
    throw new TtError(error.code, 'The sign-in was cancelled: no storage for the secrets.', {
      hint: error.hint,
      nextStep: error.nextStep,
      cause: error,
    })
  }
}

async function runBrowserLogin(
  ctx: Context,
  options: LoginOptions,
  target: LoginTarget,
  previous: StoredProfile | undefined,
): Promise<LoginResult> {
  const { env } = ctx.host
  const prompts = await ctx.terminal.prompts()
  const clientId =
    options.clientId ?? (env.TT_CLIENT_ID || previous?.client_id) ?? (await prompts?.text('Client ID:'))
  if (!clientId) throw missingError('client ID', '--client-id ID')
  // A stored secret is sent only to the same client and address.
  const isSameClient = previous?.client_id === clientId && previous.auth_url === target.authUrl
  const clientSecret = await clientSecretFor(ctx, options, target, isSameClient)
  return loginWithBrowser(target, {
    clientId,
    clientSecret,
    scope: options.scope ?? previous?.scope ?? scopes.join(' '),
    redirectUri: options.redirectUri,
    dialog: createSignInDialog({
      print: (text) => void ctx.host.stderr.write(escapeLines(text)),
      prompts,
      openBrowser: options.browser === false ? undefined : createBrowser(env),
    }),
    signal: ctx.host.interruption(),
    clock: ctx.host.now,
  })
}

/** Returns the client secret, from the store for the same client; null for a client without one. */
async function clientSecretFor(
  ctx: Context,
  options: LoginOptions,
  { store }: LoginTarget,
  isSameClient: boolean,
): Promise<string | null> {
  if (options.clientSecretStdin) return readSecret(ctx.host.stdin, 'client secret', '--client-secret-stdin')
  const { TT_CLIENT_SECRET: fromEnvironment } = ctx.host.env
  if (fromEnvironment !== undefined) return fromEnvironment || null
  if (isSameClient) {
    const stored = await store.read().catch(() => undefined)
    if (stored?.method === 'oauth') return stored.client_secret
  }
  const prompts = await ctx.terminal.prompts()
  if (!prompts) throw missingError('client secret', '--client-secret-stdin < FILE')
  return (await prompts.secret('Client secret (empty for none):')) || null
}

async function runKeyLogin(ctx: Context, options: LoginOptions, target: LoginTarget): Promise<LoginResult> {
  ctx.terminal.warn(
    'Prefer OAuth (`tt login` without --key): it has scopes, is revocable, never shows your password to tt, ' +
      'and supports identity providers.',
  )
  const prompts = await ctx.terminal.prompts()
  const email = options.email ?? (await prompts?.text('Email:'))
  if (email === undefined) throw missingError('email', '--email ADDRESS')
  const password = options.passwordStdin
    ? await readSecret(ctx.host.stdin, 'password', '--password-stdin')
    : await prompts?.secret('Password:')
  if (!password) throw missingError('password', '--password-stdin < FILE')
  return loginWithKey(target, { email, password })
}

function missingError(value: string, option: string): TtError {
  return new TtError('usage', `The ${value} is missing.`, {
    hint: `Add ${option}, or run \`tt login\` in a terminal.`,
  })
}

/** Prints the account, so that the user notices a wrong one, and warns if another profile takes precedence. */
function printResult(
  ctx: Context,
  target: LoginTarget,
  { company, user }: LoginResult,
  directory: DirectoryFile | undefined,
) {
  const account = `${company.name} (company ${company.id}) at ${target.baseUrl}`
  ctx.terminal.message(
    `Signed in to ${account}${user === undefined ? '. The service does not name the user.' : ` as ${user}.`} ` +
      `The profile is "${target.profile}"; its secrets are in ${target.store.location}.`,
  )
  const { TT_BASE_URL: address, TT_TOKEN: token, TT_PROFILE: profile } = ctx.host.env
  const { profile: ofDirectory, path } = directory ?? {}
  if (address && token)
    ctx.terminal.warn('TT_BASE_URL and TT_TOKEN take precedence: unset them to use this profile.')
  else if (profile) {
    if (profile !== target.profile) ctx.terminal.warn(`TT_PROFILE takes precedence here: it is "${profile}".`)
  } else if (ofDirectory !== undefined && ofDirectory !== target.profile)
    ctx.terminal.warn(`Here, ${path} names the profile "${ofDirectory}", which takes precedence.`)
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
