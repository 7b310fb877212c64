export { run, summary, text, view } from './report/time-report.js'

export const allowsUnreadableSettings = true
