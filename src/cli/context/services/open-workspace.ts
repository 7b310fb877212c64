import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  deliveryLockPath,
  failedLoginPath,
  type Paths,
  usedWorkspacePath,
  workspacePath,
} from '../../../config/paths.js'
import { formerStatePath, statePathOf } from '../../../config/profile.js'
import type { Sqlite } from '../../../lib/sqlite/connection.js'
import { keptLog, openSqlite } from '../../../lib/sqlite/open.js'
import { type ClientState, openClientState } from '../../../outbox/cache/client-state.js'
import type { LocalWorkspace } from '../../../service/local-workspace.js'
import type { Context } from '../../context.js'

/** Opens the database of the local workspace. Its service and the client state share it, and do not close it. */
export async function openWorkspaceDatabase({ config: { paths } }: Context): Promise<Sqlite> {
  const path = workspacePath(paths)
  // SQLite would remove the log of an empty file.
  if (!existsSync(path) || statSync(path).size === 0) await checkFirstUse(paths)
  return openSqlite(path, keptLog)
}

/** Opens the client state of the profile. */
export async function openState(ctx: Context): Promise<ClientState> {
  const { paths, profile } = ctx.config
  const { stateKey, hasDelivery } = profile
  const path = statePathOf(paths, stateKey)
  if (hasDelivery) return openClientState(path, deliveryLockPath(paths, stateKey))
  const opening = ctx.database()
  const { openWorkspaceState } = await import('../../../outbox/cache/workspace-state.js')
  const [database, formerPath] = [await opening, formerStatePath(paths)]
  return {
    ...(await openWorkspaceState({ path, database, formerPath, migrateService: ctx.workspace })),
    close() {},
  }
}

/** Opens the local workspace. A new one is announced, because time is stored nowhere else. */
export async function openWorkspace(ctx: Context): Promise<LocalWorkspace> {
  const { config, host, terminal, canQueue } = ctx
  const opening = ctx.database()
  const { openLocalWorkspace } = await import('../../../service/local-workspace.js')
  const { paths } = config
  const path = workspacePath(paths)
  const failedLogin = failedLoginPath(paths)
  if (canQueue && existsSync(failedLogin)) {
    rmSync(failedLogin, { force: true })
    terminal.warn(
      'The last sign-in failed: this change is stored in the local workspace on this machine, not at the service.',
      { action: 'use_service', again: true },
    )
  }
  const workspace = await openLocalWorkspace(await opening, {
    path,
    clock: host.now,
    beforeFirstUse: () => checkFirstUse(paths),
  })
  if (workspace.isNew) {
    terminal.warn(`Your time is stored on this machine, in the local workspace (${path}).`, {
      action: 'use_service',
      again: false,
    })
  }
  return { ...workspace, close: () => recordUse(paths, workspace) }
}

async function checkFirstUse(paths: Paths) {
  const { checkWorkspaceExists } = await import('../../../outbox/cache/inspect-state.js')
  await checkWorkspaceExists(workspacePath(paths), tracesOf(paths))
}

/** Returns the files that show that the local workspace had entries. */
export function tracesOf(paths: Paths): { usedPath: string; formerPath: string } {
  return { usedPath: usedWorkspacePath(paths), formerPath: formerStatePath(paths) }
}

/** Records that the workspace has entries, so that its loss is reported. */
async function recordUse(paths: Paths, workspace: LocalWorkspace) {
  const path = usedWorkspacePath(paths)
  if (existsSync(path)) return
  try {
    if (!(await workspace.isUsed())) return
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, `${workspacePath(paths)} has entries.\n`, { mode: 0o600 })
  } catch {
    // The next command tries again.
  }
}
