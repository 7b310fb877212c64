// What the outbox costs: while the service answers, beside a request alone, and while it is dead.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listenInSilence, startService } from './service.js'
import { bare, line, measure, median, outputOf, report, rounds, run, tt, verdict, write } from './timing.js'

/** @typedef {import('./service.js').Service} Service */

const add = [tt, 'add', 'Website/Design', '--from', '2024-05-01 09:00', '--for', '1h', '-n', 'bench', '-q']
const status = [tt, 'status', '-q']

/**
 * `tt add` beside a script that sends the same body and reads the answer, to the same `tt serve`.
 * @param {string} directory
 */
export async function reportAdd(directory) {
  const home = join(directory, 'add')
  mkdirSync(home)
  const service = await startService(home)
  try {
    const script = join(home, 'post.cjs')
    writeFileSync(script, posting(service))
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
 * What was only kept on this machine would make the figure a lie.
 * @param {string} home
 * @param {Service} service
 */
function checkAllDelivered(home, { env }) {
  const argv = [tt, 'api', 'GET', '/timesheets', '--json']
  const delivered = JSON.parse(outputOf({ name: 'what was delivered', argv, home, env })).length
  const sent = 2 * (rounds + 1)
  if (delivered !== sent) throw new Error(`Of ${sent} entries, the service has ${delivered}.`)
}

/** @param {Service} service */
function posting({ url, token, link }) {
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

/** A first failure may take ten seconds: a few of them are enough. */
const failures = Math.min(rounds, 3)
const mostMs = 2000

/**
 * `tt add` and `tt status` at an address where a service has answered before: one that refuses connections now, and
 * one that takes them and never answers. The first failure, then those right after it.
 * @param {string} directory
 */
export async function reportDead(directory) {
  const home = join(directory, 'dead')
  mkdirSync(home)
  const service = await startService(home)
  const warm = join(home, 'warm')
  try {
    for (const argv of [add, status]) run({ name: 'while it lives', argv, home: warm, env: service.env })
  } finally {
    await service.stop()
  }
  write(`\nThe service is dead (medians of ${failures})\n`)
  const bareMs = median(Array.from({ length: rounds }, () => run(bare)))
  reportFailures('refused', bareMs, warm, service)
  const stop = await listenInSilence(service.port)
  try {
    reportFailures('silent', bareMs, warm, service)
  } finally {
    stop()
  }
}

/**
 * @param {string} how
 * @param {number} bareMs
 * @param {string} warm a home from which the service was reached
 * @param {Service} service
 */
function reportFailures(how, bareMs, warm, { env }) {
  const steps = [
    { name: `first tt add, ${how}`, argv: add, bound: undefined },
    { name: `tt add, ${how}`, argv: add, bound: mostMs },
    { name: `tt status, ${how}`, argv: status, bound: mostMs },
  ]
  /** @type {number[][]} */
  const times = steps.map(() => [])
  for (let failure = 0; failure < failures; failure++) {
    const home = `${warm}-${how}`
    cpSync(warm, home, { recursive: true })
    // A program without an outbox cannot keep what it cannot send: exit 6.
    steps.forEach((step, index) => void times[index]?.push(run({ ...step, home, env, accepts: [6] })))
    rmSync(home, { recursive: true })
  }
  steps.forEach(({ name, bound }, index) => {
    const ms = median(times[index] ?? [])
    write(`${line(name, ms, ms / bareMs)} node -e 0${verdict(ms, bound, ' ms')}\n`)
  })
}
