// Imports and restores that are killed, like those of the acceptance tests, but 50 times each.
const kills = process.env.TT_KILLS ?? '50'
process.env.TT_IMPORT_KILLS ??= kills
process.env.TT_IMPORT_ENTRIES ??= '10000'
process.env.TT_RESTORE_KILLS ??= kills
await import('../acceptance/killed-imports.test.js')
await import('../acceptance/restore.test.js')
