import { z } from 'zod'
import * as accounts from './accounts.js'
import * as admin from './admin.js'
import * as entries from './entries.js'
import * as imports from './imports.js'
import * as invoices from './invoices.js'
import * as reports from './reports.js'
import type { Shape } from './values.js'
import { watchEvent } from './watch.js'

/** What a command prints with `--json`, and with `--ndjson` on each line. */
export interface CommandShape {
  json: Shape
  /** Undefined if the command has no --ndjson. */
  line?: Shape
  /** Whether --json prints one value per line, as they occur. */
  isStream?: true
}

/** Returns the shape of a list. */
const list = (line: Shape): CommandShape => ({ json: z.array(line), line })
/** Returns the shape of one value. */
const one = (json: Shape): CommandShape => ({ json })

const anyJson = z.unknown().describe('The body of the response.')
const report: CommandShape = {
  json: z.union([reports.report, reports.comparison]),
  line: reports.reportLine,
}

/** Returns the shapes of the commands that list and change records. */
function catalogShapes(name: string, listed: CommandShape, record: Shape): Record<string, CommandShape> {
  const changes = ['add', 'rename', 'merge', 'archive', 'restore', 'rm']
  return Object.fromEntries([
    [`${name} list`, listed],
    ...changes.map((change) => [`${name} ${change}`, one(record)]),
  ])
}

function taskShapes(name: string): Record<string, CommandShape> {
  const changed = one(z.array(entries.task).describe('The task in each of its projects.'))
  return {
    ...catalogShapes(name, list(entries.task), entries.task),
    ...{ [`${name} rename`]: changed, [`${name} merge`]: changed },
  }
}

function expenseTypeShapes(name: string): Record<string, CommandShape> {
  const record = one(entries.namedRecord)
  return {
    [`${name} list`]: list(entries.namedRecord),
    ...{ [`${name} add`]: record, [`${name} rename`]: record, [`${name} archive`]: record },
  }
}

/** The shapes of all commands that print JSON, by the words of the command. */
export const commandShapes: Readonly<Record<string, CommandShape>> = {
  start: one(entries.entry),
  stop: one(entries.entry),
  status: one(entries.entry.nullable().describe('null if no timer is running.')),
  watch: { json: watchEvent, isStream: true },
  cancel: one(entries.entry),
  continue: one(entries.entry),
  add: one(entries.entry),
  edit: one(z.union([entries.entry, z.array(entries.entry)]).describe('A list for several entries.')),
  split: one(z.array(entries.entry)),
  join: one(entries.entry),
  fill: one(entries.entry),
  show: one(entries.entry),
  rm: one(z.array(entries.entry)),
  undo: one(z.array(entries.historyChange)),
  redo: one(z.array(entries.historyChange)),
  log: list(entries.loggedEntry),
  report,
  check: list(reports.finding),
  timesheet: { json: reports.report, line: reports.reportLine },
  import: one(imports.importRecord),
  export: one(z.union([z.array(entries.loggedEntry), imports.writtenExport])),
  ...catalogShapes('projects', list(entries.project), entries.project),
  ...catalogShapes('clients', list(entries.namedRecord), entries.namedRecord),
  ...taskShapes('tasks'),
  assignments: list(entries.assignment),
  company: one(entries.company),
  'tags list': list(entries.tag),
  'tags rename': one(z.array(entries.entry)),
  frequent: list(entries.usedTask),
  'expenses list': list(entries.expense),
  'expenses add': one(entries.expense),
  'expenses edit': one(entries.expense),
  'expenses rm': one(z.array(entries.expense)),
  ...expenseTypeShapes('expenses types'),
  'expenses report': { json: reports.expenseReport, line: reports.expenseReportLine },
  'invoice create': one(invoices.createdInvoice),
  'invoice list': list(invoices.invoice),
  'invoice show': { json: invoices.shownInvoice, line: invoices.invoicePosition },
  'invoice open': one(accounts.path.nullable()),
  'invoice void': one(invoices.createdInvoice),
  login: one(accounts.account),
  whoami: one(accounts.account),
  'profiles list': list(accounts.profile),
  'config list': list(accounts.setting),
  'config get': one(accounts.setting),
  'config set': one(accounts.setting),
  'config unset': one(accounts.setting),
  'config path': one(accounts.path.nullable()),
  'sync now': list(entries.queuedChange),
  'sync list': list(entries.queuedChange),
  'sync retry': list(entries.queuedChange),
  'sync adopt': list(entries.queuedChange),
  'sync discard': list(entries.queuedChange),
  'alias list': list(accounts.alias),
  'alias set': one(accounts.alias),
  'alias rm': one(accounts.alias),
  'alias import': list(accounts.alias),
  'remind check': list(accounts.checkedReminder),
  'remind install': one(accounts.installedReminder),
  'remind status': one(accounts.reminderStatus),
  'remind remove': one(accounts.removedReminder),
  backup: one(accounts.backup),
  restore: one(accounts.restored),
  doctor: list(accounts.check),
  completion: one(accounts.completionScript),
  help: one(accounts.helpPage),
  schema: one(z.record(z.string(), z.unknown()).describe('A JSON Schema, or one for each command.')),
  api: one(anyJson),
  serve: one(accounts.listening),
  'admin user add': one(admin.addedUser),
  'admin user token': one(admin.userToken),
  'admin import-users': list(admin.importedUser),
  'admin report': report,
  'admin user list': list(admin.user),
  'admin user activate': one(admin.user),
  'admin user deactivate': one(admin.user),
  'admin user revoke': one(admin.user),
  'admin user unlink': one(admin.user),
  'admin user password': one(admin.user),
  'admin user rm': one(admin.removedUser),
  'admin user sessions': list(admin.browserSession),
  'admin token list': list(admin.issuedToken),
  'admin token revoke': list(admin.issuedToken),
  'admin app add': one(admin.application),
  'admin app list': list(admin.application),
  'admin app rm': one(admin.application),
  'admin assign': list(admin.userAssignment),
  'admin unassign': list(admin.userAssignment),
  'admin assignments': list(admin.userAssignment),
  'admin company': one(admin.companySettings),
  'admin audit': list(admin.auditRecord),
  ...catalogShapes('admin projects', list(entries.project), entries.project),
  ...catalogShapes('admin clients', list(entries.namedRecord), entries.namedRecord),
  ...taskShapes('admin tasks'),
  ...expenseTypeShapes('admin expense-types'),
  'admin seed': one(admin.seeded),
  'admin backup': one(admin.databaseBackup),
  'admin openapi': one(admin.openApiDocument),
}
