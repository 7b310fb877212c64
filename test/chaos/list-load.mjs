// Requests a list any number of times at once, discards the responses, and prints their number by status:
// node list-load.mjs URL AUTHORIZATION COUNT
import { get } from 'node:http'

const [, , url = '', authorization = '', count = ''] = process.argv
/** @type {Record<string, number>} */
const statuses = {}
const request = () =>
  new Promise((resolve) => {
    const outgoing = get(url, { agent: false, headers: { authorization } }, (response) => {
      const status = String(response.statusCode)
      statuses[status] = (statuses[status] ?? 0) + 1
      response.resume().on('close', resolve)
    })
    outgoing.on('error', resolve)
  })
await Promise.all(Array.from({ length: Number(count) }, request))
process.stdout.write(JSON.stringify(statuses))
