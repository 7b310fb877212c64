import { describe, expect, test } from 'vitest'
import { type Row, setUpService } from '../command/service-fixtures.js'
import { type DriverFault, FailingDriver } from '../support/failing-driver.js'
import { share } from '../support/share.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

/**
 * Faults of the driver. A commit that is executed and then fails is followed by failures only: SQLite would overwrite it by
 * the next write that succeeds. Other writes fail before they are executed.
 */
const faults: Omit<DriverFault, 'nth'>[] = [
  { when: 'before', isLasting: false, error: 'EIO' },
  { when: 'before', isLasting: true, error: 'EIO' },
  { when: 'before', isLasting: false, error: 'ENOSPC' },
  { when: 'before', isLasting: true, error: 'ENOSPC' },
  { when: 'after', isLasting: true, error: 'EIO' },
]
const nameOf = ({ when, isLasting, error }: (typeof faults)[number]) =>
  `${error} ${when} ${isLasting ? 'a write and at all later ones' : 'one write'}`

/** A `tt` whose databases can fail. */
interface DriverSetup {
  cli: TestCli
  /** Runs the failing command, with the service reachable or not. */
  whileFailing<Result>(work: () => Promise<Result>): Promise<Result>
  /** Delivers pending changes. */
  recover(): Promise<void>
}

async function setUpLocal(): Promise<DriverSetup> {
  const cli = createTestCli('2024-05-08T12:00:00Z')
  await cli.json('start', 'Acme/Website/Design', '-n', 'first')
  await cli.json('stop')
  return { cli, whileFailing: (work) => work(), recover: async () => {} }
}

async function setUpRemote({ isReachable }: { isReachable: boolean }): Promise<DriverSetup> {
  const { cli, proxy } = await setUpService()
  return {
    cli,
    async whileFailing(work) {
      if (isReachable) return work()
      await proxy.close()
      const result = await work()
      await proxy.open()
      return result
    },
    async recover() {
      const { status, stderr } = await cli.run('sync')
      expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
    },
  }
}

interface Failure {
  /** The failed SQL. */
  write: string
  stderr: string
}

const unknown = 'It is unknown whether the change was saved'
const nothing = 'Nothing was saved'

/**
 * Runs a command with each of its writes failing in turn, and compares what it prints with what is saved. Returns the
 * failures of the command.
 */
async function failEveryWrite(
  setUp: DriverSetup,
  command: string[],
  fault: (typeof faults)[number],
): Promise<Failure[]> {
  const { cli, whileFailing, recover } = setUp
  const driver = await FailingDriver.install(cli.home)
  const list = command[0] === 'expenses' ? ['expenses'] : ['log']
  const outcomes: { mark: string; write: string; status: number; stdout: string; stderr: string }[] = []
  for (let nth = 1, isHit = true; isHit; nth++) {
    cli.setTime(new Date(Date.parse('2024-05-08T12:00:00Z') + nth * 120_000).toISOString())
    const mark = `write ${nth}`
    driver.setFault({ ...fault, nth })
    const { status, stdout, stderr } = await whileFailing(() => cli.run(...command, '-n', mark))
    const write = driver.writes[nth - 1] ?? ''
    isHit = driver.isHit
    driver.setFault()
    if (isHit) outcomes.push({ mark, write, status, stdout, stderr })
    else expect({ mark, write, status, stderr }).toMatchObject({ status: 0 })
    await recover()
  }
  const rows = await cli.json<Row[]>(...list, '--since', '2024-05-01')
  for (const { stdout, ...outcome } of outcomes) {
    const { mark, status, stderr } = outcome
    const count = rows.filter(({ notes }) => notes === mark).length
    if (status === 0) {
      expect(stderr).not.toMatch(/Nothing was saved|It is unknown/)
      expect({ ...outcome, count }).toEqual({ ...outcome, count: 1 })
      continue
    }
    expect({ ...outcome, stdout }).toEqual({ ...outcome, status: 1, stdout: '' })
    expect(stderr).not.toMatch(/^(Added|Started|Saved)/m)
    if (stderr.includes(unknown)) expect(stderr).toContain('`tt log`')
    else
      expect({ ...outcome, count }).toEqual({
        ...outcome,
        count: 0,
        stderr: expect.stringContaining(nothing),
      })
  }
  return outcomes.filter(({ status }) => status !== 0)
}

const add = ['add', 'design', '--from', '09:00', '--for', '30m']
const cases: [string, () => Promise<DriverSetup>, string[]][] = [
  ['tt add in the local workspace', setUpLocal, add],
  ['tt start in the local workspace', setUpLocal, ['start', 'design']],
  ['tt add with a service', () => setUpRemote({ isReachable: true }), add],
  ['tt start with a service', () => setUpRemote({ isReachable: true }), ['start', 'design']],
  [
    'tt expenses add with a service',
    () => setUpRemote({ isReachable: true }),
    ['expenses', 'add', '5', '--type', 'Travel'],
  ],
  ['tt add with an unreachable service', () => setUpRemote({ isReachable: false }), add],
  ['tt start with an unreachable service', () => setUpRemote({ isReachable: false }), ['start', 'design']],
]

const namedFaults = share('faults of the driver', faults).map((fault) => [nameOf(fault), fault] as const)

describe.each(namedFaults)('%s', (_, fault) => {
  test.each(cases)('%s reports what is saved', async (_name, setUp, command) => {
    const failures = await failEveryWrite(await setUp(), command, fault)
    expect(failures).not.toEqual([])
    const isUnknown = ({ stderr }: Failure) => stderr.includes(unknown)
    if (fault.when === 'after') expect(failures.some(isUnknown)).toBe(true)
    // A failed write to the cache fails no command. The known timer is a part of a start.
    const cache = command[0] === 'start' ? /\b(seen|asked)\b/i : /\b(snapshot|seen|asked)\b/i
    if (!fault.isLasting) expect(failures.filter(({ write }) => cache.test(write))).toEqual([])
  })
})

describe.each([true, false])('with a service (reachable: %s)', (isReachable) => {
  test.each([['log'], ['status'], ['expenses']])(
    'tt %s prints the same while no cache can be written',
    async (...argv) => {
      const { cli, whileFailing } = await setUpRemote({ isReachable })
      const expected = await whileFailing(() => cli.run(...argv))
      const driver = await FailingDriver.install(cli.home)
      let secondary = 0
      for (let nth = 1; ; nth++) {
        driver.setFault({ nth, when: 'before', isLasting: false, error: 'EIO' })
        const { status, stdout } = await whileFailing(() => cli.run(...argv))
        const [isHit, write = ''] = [driver.isHit, driver.writes[nth - 1]]
        driver.setFault()
        if (!isHit) return expect(secondary).toBeGreaterThan(0)
        if (write.includes('PRAGMA journal_mode')) continue // No command can run without the state database.
        secondary++
        const { status: expectedStatus, stdout: expectedStdout } = expected
        expect({ write, status, stdout }).toEqual({ write, status: expectedStatus, stdout: expectedStdout })
      }
    },
  )
})

test('tt stop ends the timer, or says that nothing is saved, whichever write fails', async () => {
  const cli = createTestCli('2024-05-08T12:00:00Z')
  await cli.json('start', 'Acme/Website/Design')
  await cli.json('stop')
  const driver = await FailingDriver.install(cli.home)
  let minute = 0
  const at = () => cli.setTime(new Date(Date.parse('2024-05-08T12:00:00Z') + ++minute * 60_000).toISOString())
  const running = async () => {
    const entries = await cli.json<{ running: boolean }[]>('log')
    return entries.filter((entry) => entry.running).length
  }
  let failed = 0
  for (let nth = 1, isHit = true; isHit; nth++) {
    at()
    await cli.json('start', 'design', '-n', `${nth}`)
    at()
    driver.setFault({ nth, when: 'before', isLasting: true, error: 'ENOSPC' })
    const stopped = await cli.run('stop')
    isHit = driver.isHit
    driver.setFault()
    const outcome = { nth, stderr: stopped.stderr, status: stopped.status }
    expect({ ...outcome, running: await running() }).toEqual({
      ...outcome,
      running: stopped.status === 0 ? 0 : 1,
    })
    if (stopped.status === 0) continue
    failed++
    expect(outcome).toMatchObject({ status: 1, stderr: expect.stringContaining('Nothing was saved') })
    at()
    expect(await cli.run('stop')).toMatchObject({ status: 0 })
    expect(await running()).toBe(0)
  }
  expect(failed).toBeGreaterThan(0)
})
