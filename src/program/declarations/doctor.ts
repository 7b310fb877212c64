import { summaries } from '../command-list.js'
import { defineCommand } from '../declaration.js'

/** `tt doctor`. */
export const commands = {
  doctor: defineCommand({
    summary: summaries.doctor,
    hasFormats: true,
    examples: ['tt doctor', 'tt doctor --profile acme', 'tt doctor --json'],
    load: () => import('../../commands/doctor.js'),
  }),
}
