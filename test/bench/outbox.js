// Measures the cost of the outbox: with a responding service, compared with a bare request, and with an unreachable one.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listenWithoutResponse, startService } from './service.js'
import { bare, line, measure, median, outputOf, report, rounds, run, tt, verdict, write } from './timing.js'

/** @typedef {import('./service.js').Service} Service */

const add = [tt, 'add', 'Website/Design', '--from', '2024-05-01 09:00', '--for', '1h', '-n', 'bench', '-q']
const status = [tt, 'status', '-q']

/**
 * Measures `tt add` and a script that sends the same request to the same `tt serve`.
 * @param {string} directory
 */
export async function reportAdd(directory) {
  const home = join(directory, 'add')
  mkdirSync(home)
  const service = await startService(home)
  try {
    const script = join(home, 'post.cjs')
    writeFileSync(script, postScript(service))
    report(
      measure([
        { name: 'bare fetch POST', argv: [script] },
        { name: 'tt add (tt serve)', argv: add, home, env: service.env },
      ]),
      { 'tt add (tt serve)': 1.3 },
    )
    checkAllDelivered(home, service)
  } finally {
    await service.stop()
  }
}

/**
 * Throws unless the service has all entries: pending ones would make the figure wrong.
 * @param {string} home
 * @param {Service} service
 */
function checkAllDelivered(home, { env }) {
  const argv = [tt, 'api', 'GET', '/timesheets', '--json']
  const delivered = JSON.parse(outputOf({ name: 'delivered entries', argv, home, env })).length
  const sent = 2 * (rounds + 1)
  if (delivered !== sent) throw new Error(`Of ${sent} entries, the service has ${delivered}.`)
}

/** @param {Service} service */
function postScript({ url, token, link }) {
  const body = {
    time_start: '2024-05-01T09:00:00Z',
    time_end: '2024-05-01T10:00:00Z',
    notes: 'bench',
    task_link_id: link,
  }
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
  }
  return `fetch(${JSON.stringify(`${url}/timesheets`)}, {
  method: 'POST',
  headers: ${JSON.stringify(headers)},
  body: ${JSON.stringify(JSON.stringify(body))},
}).then((response) => {
  if (!response.ok) throw new Error(String(response.status))
  return response.json()
})
`
}

/** Few rounds, because a first failure may take ten seconds. */
const failures = Math.min(rounds, 3)
const maxMs = 2000

/**
 * Measures `tt add` and `tt status` when a service that was reachable before refuses connections, and when it does not
 * respond: the first failure, then the next ones.
 * @param {string} directory
 */
export async function reportUnreachable(directory) {
  const home = join(directory, 'dead')
  mkdirSync(home)
  const service = await startService(home)
  const warm = join(home, 'warm')
  try {
    for (const argv of [add, status]) run({ name: 'with the service', argv, home: warm, env: service.env })
  } finally {
    await service.stop()
  }
  write(`\nThe service cannot be reached (medians of ${failures})\n`)
  const bareMs = median(Array.from({ length: rounds }, () => run(bare)))
  reportFailures('refused', bareMs, warm, service)
  const stop = await listenWithoutResponse(service.port)
  try {
    reportFailures('silent', bareMs, warm, service)
  } finally {
    stop()
  }
}

/**
 * @param {string} kind
 * @param {number} bareMs
 * @param {string} warm a home from which the service was reached
 * @param {Service} service
 */
function reportFailures(kind, bareMs, warm, { env }) {
  const steps = [
    { name: `first tt add, ${kind}`, argv: add, bound: undefined },
    { name: `tt add, ${kind}`, argv: add, bound: maxMs },
    { name: `tt status, ${kind}`, argv: status, bound: maxMs },
  ]
  /** @type {number[][]} */
  const times = steps.map(() => [])
  for (let failure = 0; failure < failures; failure++) {
    const home = `${warm}-${kind}`
    cpSync(warm, home, { recursive: true })
    steps.forEach((step, index) => void times[index]?.push(run({ ...step, home, env })))
    rmSync(home, { recursive: true })
  }
  steps.forEach(({ name, bound }, index) => {
    const ms = median(times[index] ?? [])
    write(`${line(name, ms, ms / bareMs)} node -e 0${verdict(ms, bound, ' ms')}\n`)
  })
}
