// Reads the times of all entries with the driver that `tt` uses, and adds them up by task link: the least that a report
// of them costs.
import { Database } from './driver.js'

const [, , path = ''] = process.argv
const rows = new Database(path)
  .prepare('select id, time_start, time_end, task_link_id from time_entries order by user_id, time_start, id')
  .all()
/** @type {Map<number, number>} */
const sums = new Map()
let total = 0
for (const { time_start: start, time_end: end, task_link_id: link } of rows) {
  const seconds = Math.floor(((end ?? Date.now()) - start) / 1000)
  sums.set(link, (sums.get(link) ?? 0) + seconds)
  total += seconds
}
process.stdout.write(`${rows.length} ${sums.size} ${total}\n`)
