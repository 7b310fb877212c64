import { directory, zone } from './initial-process.js'

// Runs before each file. The files of a process share both, and a file whose tests are skipped has no afterAll.
process.env.TZ = zone
process.chdir(directory)
