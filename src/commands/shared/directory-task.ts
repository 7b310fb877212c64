import { TtError } from '../../lib/errors.js'
import type { Catalog, PlannedLink } from '../../tracking/catalog/catalog.js'

/** Finds the task of the directory file. Throws TtError like `plan` of the catalog, and names the file. */
export async function findDirectoryTask(
  catalog: Catalog,
  task: string,
  path: string | undefined,
  options: { create?: boolean },
): Promise<PlannedLink> {
  try {
    return await catalog.plan(task, options)
  } catch (error) {
    if (!(error instanceof TtError) || error.code !== 'usage') throw error
    throw new TtError('usage', `${error.message} The task comes from ${path}.`, {
      hint: error.hint,
      nextStep: error.nextStep,
      cause: error,
    })
  }
}
