import type { ValueSource } from '../../cli/option-values.js'
import type { TrustedProxies } from '../../service/http/client-address.js'

// Parsers of values that the service checks, which only tt serve and tt admin load.

/** Parses the public URL of a service. */
export async function publicUrl(typed: string, { name }: ValueSource): Promise<string> {
  const { validatePublicUrl } = await import('../../service/oauth/issuer.js')
  return validatePublicUrl(typed, name)
}

/** Parses trusted proxies; an option without a word is one proxy. */
export async function trustedProxies(typed: string | true, { name }: ValueSource): Promise<TrustedProxies> {
  const { parseTrustedProxies } = await import('../../service/http/client-address.js')
  return parseTrustedProxies(typed === true ? '1' : typed, name)
}

/** Parses the URL of an OpenID provider. */
export async function issuer(typed: string, { name }: ValueSource): Promise<URL> {
  const { parseIssuer } = await import('../../service/oauth/identity-provider/identity-provider.js')
  return parseIssuer(typed, name)
}
