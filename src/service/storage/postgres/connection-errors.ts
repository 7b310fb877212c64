/** The codes of PostgreSQL for errors after which the same request may succeed (postgresql.org/docs, appendix A). */
const temporary = /^(08|53)|^(57014|55P03|40001|40P01|25006)$/
/** Errors after which the connection is useless; the last one comes from a standby that clients take for the primary. */
const fatalCodes = /^08|^(57P0[1-5]|25P03|25006)$/
const networkCodes = /^(ECONN|EPIPE$|ETIMEDOUT$|EHOST|ENET|ENOTFOUND$|EAI_|ENOENT$|ERR_STREAM_|ERR_SOCKET)/
/** node-postgres has no codes for these. */
const lostMessages = /^Connection terminated|not queryable|^Client was closed/

/** Whether the connection on which the error occurred is lost or useless. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, severity } = error as { code?: unknown; severity?: unknown }
  const codeText = typeof code === 'string' ? code : ''
  return (
    severity === 'FATAL' ||
    severity === 'PANIC' ||
    fatalCodes.test(codeText) ||
    networkCodes.test(codeText) ||
    lostMessages.test(error.message)
  )
}

/** Whether the server refuses the user, the password or the database, which no repetition changes. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(28|3D)/.test(String(error.code))
}

/** Whether a statement failed for a reason that may be gone in a moment, such as a timeout or a deadlock. */
export function isTemporary(error: unknown): boolean {
  return error instanceof Error && 'code' in error && temporary.test(String(error.code))
}

/** Whether PostgreSQL has rolled the transaction back because of another one, so that it is to be repeated. */
export function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(40001|40P01)$/.test(String(error.code))
}
