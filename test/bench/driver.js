// The driver that `tt` uses, without the warning of Node that its own is experimental.
import { createRequire } from 'node:module'

const emitWarning = process.emitWarning
process.emitWarning = () => {}
const sqlite = /** @type {{ DatabaseSync: new (path: string) => any } | undefined} */ (
  process.getBuiltinModule('node:sqlite')
)
process.emitWarning = emitWarning

export const Database = sqlite?.DatabaseSync ?? createRequire(import.meta.url)('libsql')

/** @param {unknown[]} values the parameters of a statement, which the two drivers expect differently */
export const parameters = (values) => (sqlite ? values : [values])
