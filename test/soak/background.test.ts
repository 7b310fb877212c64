// The random faults of the acceptance test, with more changes.
process.env.TT_BACKGROUND_CHANGES ??= '20000'
await import('../acceptance/background-faults.test.js')
