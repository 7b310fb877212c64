import type { Paths } from '../../../config/paths.js'
import type { CredentialStore } from './credentials.js'
import { openFileCredentials } from './file-credentials.js'

/**
 * Opens the credential store of a profile: the keychain of the system, or a file that only its owner can read. The user
 * chooses between them; there is no fallback.
 *
 * @param isAttended whether a user can unlock the keychain, which then has more time to respond
 */
export async function openCredentialStore(
  kind: 'keychain' | 'file',
  profile: string,
  paths: Paths,
  { isAttended = false }: { isAttended?: boolean } = {},
): Promise<CredentialStore> {
  if (kind === 'file') return openFileCredentials(profile, paths)
  const { openKeychain } = await import('./keychain.js')
  return openKeychain(profile, { isAttended })
}
