export { run, summary, text } from './report/time-report.js'

import { fileExtensions as extensions } from '../ui/formats/formats.js'

export const allowsUnreadableSettings = true
export const fileExtensions = extensions.report
