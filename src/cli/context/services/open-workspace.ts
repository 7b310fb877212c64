import { clientStatePath, workspacePath } from '../../../config/paths.js'
import type { LocalWorkspace } from '../../../service/local-workspace.js'
import type { Context } from '../../context.js'

/** Opens the local workspace. A new one is announced, because time is stored nowhere else. */
export async function openWorkspace({ config, host, terminal }: Context): Promise<LocalWorkspace> {
  const { openLocalWorkspace } = await import('../../../service/local-workspace.js')
  const path = workspacePath(config.paths)
  const workspace = await openLocalWorkspace(path, host.now, async () => {
    const { checkWorkspaceExists } = await import('../../../cache/lost-workspace.js')
    await checkWorkspaceExists(path, clientStatePath(config.paths, 'local'))
  })
  if (workspace.isNew) {
    terminal.warn(
      `Your time is stored on this machine, in the local workspace (${path}). ` +
        'To use a service instead, sign in with `tt login`.',
    )
  }
  return workspace
}
