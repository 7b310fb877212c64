import { calendar } from './calendar.js'
import { delivery } from './delivery.js'
import { entries } from './entries.js'
import { exchange } from './exchange.js'
import { invoices } from './invoices.js'
import { report } from './report.js'
import { service } from './service.js'
import { system } from './system.js'

/** @type {import('../mutants.js').MutatedFile[]} */
export const lists = [
  ...service,
  ...delivery,
  ...entries,
  ...calendar,
  ...report,
  ...exchange,
  ...invoices,
  ...system,
]
