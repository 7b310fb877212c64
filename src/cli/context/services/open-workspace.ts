import { existsSync, rmSync } from 'node:fs'
import { clientStatePath, failedLoginPath, workspacePath } from '../../../config/paths.js'
import { localName } from '../../../config/profile.js'
import type { LocalWorkspace } from '../../../service/local-workspace.js'
import type { Context } from '../../context.js'

/** Opens the local workspace. A new one is announced, because time is stored nowhere else. */
export async function openWorkspace({ config, host, terminal, canQueue }: Context): Promise<LocalWorkspace> {
  const { openLocalWorkspace } = await import('../../../service/local-workspace.js')
  const path = workspacePath(config.paths)
  const failedLogin = failedLoginPath(config.paths)
  if (canQueue && existsSync(failedLogin)) {
    rmSync(failedLogin, { force: true })
    terminal.warn(
      'The last sign-in failed: this change is stored in the local workspace on this machine, not at the service. ' +
        'To use the service, run `tt login` again.',
    )
  }
  const workspace = await openLocalWorkspace(path, host.now, async () => {
    const { checkWorkspaceExists } = await import('../../../cache/lost-workspace.js')
    await checkWorkspaceExists(path, clientStatePath(config.paths, localName))
  })
  if (workspace.isNew) {
    terminal.warn(
      `Your time is stored on this machine, in the local workspace (${path}). ` +
        'To use a service instead, sign in with `tt login`.',
    )
  }
  return workspace
}
