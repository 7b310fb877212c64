import { isAbsolute, resolve } from 'node:path'
import type { Context } from '../context.js'

/** The word with which the program delivers in the background, and is not a command. */
const deliverWord = '__deliver'

/**
 * Starts a process that sends the pending changes of the profile. Returns false if that is not possible. It belongs to no
 * terminal, and receives the profile and its address, so that nothing is sent elsewhere if they change.
 */
export function startDelivery({ host, config }: Context): boolean {
  const { name, stateKey, baseUrl } = config.profile
  if (baseUrl === undefined) return false
  const { TT_PROFILE: _profile, TT_BASE_URL: _url, ...env } = host.env
  const absolute = Object.fromEntries(
    pathVariables.flatMap((variable) => {
      const path = env[variable]
      return path && !isAbsolute(path) ? [[variable, resolve(host.cwd() ?? '/', path)]] : []
    }),
  )
  return host.startDetached?.([deliverWord, name, stateKey, baseUrl], { ...env, ...absolute }) === true
}

/** Variables with paths that may be relative: the process has another working directory. */
const pathVariables = ['TT_HOME', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']
