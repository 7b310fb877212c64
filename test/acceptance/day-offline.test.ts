import { expect, test } from 'vitest'
import { type ExpectedRecord, type Model, PossibleModels } from '../support/model.js'
import {
  createRecord,
  isRunning,
  removeRecords,
  startTimer,
  stopTimer,
  updateRecord,
} from '../support/model-changes.js'
import { cleanEnvironment, temporaryDirectory, tt } from '../support/process.js'
import { type Fault, startProxy } from '../support/proxy.js'
import { readServiceRows, startTeam } from '../support/team.js'

const minuteMs = 60_000
/** Nine o'clock two days ago, in epoch milliseconds. */
const nine = new Date().setHours(9, 0, 0, 0) - 48 * 60 * minuteMs
const at = (minutes: number) => nine + minutes * minuteMs
const iso = (minutes: number) => new Date(at(minutes)).toISOString()

type Links = Record<'design' | 'review', number>

/** A command of the day, and its effect on the model. */
type Line = [argv: string[], change: (model: Model) => Model | undefined]

/** Returns the commands of the day. Created records have the local IDs ~1, ~2, and so on. */
function listCommands(links: Links): Line[] {
  const lines: Line[] = []
  let count = 0
  const record = (fields: ExpectedRecord['fields']): ExpectedRecord => {
    count++
    return { kind: 'entry', mark: count, fields: { notes: `#${count} offline`, ...fields } }
  }
  const named = (mark: number, kind: ExpectedRecord['kind'] = 'entry'): ExpectedRecord => ({
    kind,
    mark,
    fields: {},
  })
  const add = (task: keyof Links, from: number, to: number) => {
    const entry = record({ time_start: at(from), time_end: at(to), task_link_id: links[task] })
    lines.push([
      ['add', task, '--from', iso(from), '--to', iso(to), '-n', String(entry.fields.notes)],
      (model) => createRecord(model, entry),
    ])
  }
  const start = (task: keyof Links, minutes: number, words: string[] = ['start', task]) => {
    const entry = record({ time_start: at(minutes), time_end: null, task_link_id: links[task] })
    lines.push([
      [...words, '--at', iso(minutes), '-n', String(entry.fields.notes)],
      (model) => startTimer(model, entry),
    ])
  }
  const stop = (minutes: number) =>
    lines.push([['stop', '--at', iso(minutes)], (model) => stopTimer(model, { time_end: at(minutes) })])
  const edit = (mark: number, words: string[], fields: ExpectedRecord['fields']) =>
    lines.push([['edit', `~${mark}`, ...words], (model) => updateRecord(model, named(mark), fields)])
  const remove = (mark: number) =>
    lines.push([['rm', `~${mark}`, '--yes'], (model) => removeRecords(model, (gone) => gone.mark === mark)])

  start('design', 0)
  start('review', 20)
  stop(45)
  add('design', 60, 75)
  edit(3, ['--notes', '#3 first page'], { notes: '#3 first page' })
  add('design', 75, 80)
  add('review', 80, 95)
  remove(5)
  edit(1, ['--task', 'review'], { task_link_id: links.review })
  start('design', 100, ['continue', '~3'])
  edit(6, ['--notes', '#6 second page'], { notes: '#6 second page' })
  stop(130)
  edit(6, ['--for', '25m'], { time_end: at(125) })
  start('review', 140)
  lines.push([['cancel', '--yes'], (model) => removeRecords(model, isRunning)])
  for (let hour = 3; hour < 6; hour++) {
    add('design', hour * 60, hour * 60 + 20)
    add('review', hour * 60 + 20, hour * 60 + 50)
  }
  edit(9, ['--from', iso(195), '--to', iso(199)], { time_start: at(195), time_end: at(199) })
  remove(10)
  remove(13)
  edit(8, ['--notes', '#8 a'], { notes: '#8 a' })
  edit(8, ['--notes', '#8 b'], { notes: '#8 b' })
  for (let quarter = 0; quarter < 6; quarter++) add('design', 370 + quarter * 15, 380 + quarter * 15)
  remove(19)
  start('review', 500)
  return lines
}

test('one tt sync delivers a day of offline changes once and in order, although every third request fails', async () => {
  const { serveProcess, tokens, links } = await startTeam(1)
  const [token = ''] = tokens
  const proxy = await startProxy(serveProcess.url)
  const home = temporaryDirectory()
  const env = cleanEnvironment({ TT_BASE_URL: proxy.url, TT_TOKEN: token }) as Record<string, string>
  const succeed = async (argv: string[]) => {
    const outcome = await tt(home, argv, env)
    expect({ argv, status: outcome.status, stderr: outcome.status === 0 ? '' : outcome.stderr }).toEqual({
      argv,
      status: 0,
      stderr: '',
    })
    return outcome
  }
  const models = new PossibleModels()
  const compareLog = async () => {
    const { stdout, stderr } = await succeed(['log', '--json'])
    expect(models.compare({ entry: JSON.parse(stdout), expense: [] })).toEqual([])
    return { entries: JSON.parse(stdout) as Record<string, unknown>[], stderr }
  }

  for (const words of ['tasks', 'log', 'status']) await succeed([words])
  await proxy.close()
  const day = listCommands(links)
  let names = 0
  for (const [argv, change] of day) {
    const { stdout, stderr } = await succeed([...argv, '--json'])
    models.apply(change)
    if (!['add', 'start', 'continue'].includes(argv[0] ?? '')) continue
    names++
    expect(JSON.parse(stdout)).toMatchObject({ pending: true, local_id: `~${names}` })
    expect(stderr).toMatch(/Saved locally: .*cannot be reached.*Run `tt sync` to send (?:it|them)/)
  }
  expect(names).toBeGreaterThanOrEqual(20)

  const offline = await compareLog()
  expect(offline.entries.map(({ pending }) => pending)).toEqual(offline.entries.map(() => true))
  expect(offline.stderr).toMatch(/cannot be reached/)
  expect(offline.stderr).toMatch(/\d{2}:\d{2}/)
  const running = await succeed(['status', '--json'])
  expect(JSON.parse(running.stdout)).toMatchObject({ running: true, pending: true, local_id: `~${names}` })
  expect(await readServiceRows(serveProcess.url, token)).toEqual({ entry: [], expense: [] })

  proxy.fault = failEveryThird()
  await proxy.open()
  const { stderr } = await tt(home, ['sync'], env).then((outcome) => {
    expect(outcome, outcome.stderr).toMatchObject({ status: 0 })
    return outcome
  })
  expect(stderr).not.toMatch(/refused|conflict/i)
  expect(models.compare(await readServiceRows(serveProcess.url, token))).toEqual([])
  proxy.fault = async (_, forward) => forward()
  const online = await compareLog()
  expect(online.entries.map(({ pending }) => pending)).toEqual(online.entries.map(() => false))
  // The local ID remains valid.
  expect(JSON.parse((await succeed(['show', '~3', '--json'])).stdout)).toMatchObject({
    notes: '#3 first page',
  })
})

/** Fails every third request, alternately before and after the service has executed it. */
function failEveryThird(): Fault {
  let count = 0
  return async (_, forward) => {
    count++
    if (count % 3 !== 0) return forward()
    if (count % 2 === 0) await forward()
    return count % 4 < 2 ? undefined : { status: 503, headers: {}, body: '' }
  }
}
