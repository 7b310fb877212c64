// Imports and restores that are killed, like those of the acceptance tests, but 50 times each; invoices 200 times.
const kills = process.env.TT_KILLS ?? '50'
process.env.TT_IMPORT_KILLS ??= kills
process.env.TT_IMPORT_ENTRIES ??= '10000'
process.env.TT_RESTORE_KILLS ??= kills
process.env.TT_INVOICE_KILLS ??= process.env.TT_KILLS ?? '200'
await import('../acceptance/killed-imports.test.js')
await import('../acceptance/killed-invoices.test.js')
await import('../acceptance/restore.test.js')
