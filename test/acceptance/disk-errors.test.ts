import { describe, expect, test } from 'vitest'
import { temporaryDirectory, tt } from '../support/process.js'
import { startProxy } from '../support/proxy.js'
import { canInjectFaults, type DiskFault, runWithDiskFault } from '../support/strace.js'
import { readServiceRows, startTeam } from '../support/team.js'

const allFaults: Omit<DiskFault, 'nth'>[] = [
  { calls: 'pwrite64', error: 'EIO' },
  { calls: 'pwrite64', error: 'ENOSPC', isLasting: true },
  { calls: 'fsync,fdatasync', error: 'EIO' },
  { calls: 'fsync,fdatasync', error: 'EIO', isLasting: true },
]
/** `TT_DISK_FAULTS` limits the number of faults. */
const faults = allFaults.slice(0, Number(process.env.TT_DISK_FAULTS ?? allFaults.length))
const nameOf = ({ calls, error, isLasting }: (typeof faults)[number]) =>
  `${error} on ${calls}${isLasting ? ', lasting' : ''}`

interface DiskSetup {
  home: string
  env: Record<string, string>
  /** Runs the failing command, with the service reachable or not. */
  whileFailing<Result>(work: () => Promise<Result>): Promise<Result>
  /** Returns the notes of the entries that a later `tt log` shows. */
  notes(): Promise<string[]>
}

async function readNotes(home: string, env: Record<string, string>): Promise<string[]> {
  const { status, stdout, stderr } = await tt(home, ['log', '--since', '-30d', '--json'], env)
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
  return (JSON.parse(stdout) as { notes: string }[]).map(({ notes }) => notes)
}

async function setUpLocal(): Promise<DiskSetup> {
  const home = temporaryDirectory()
  expect(await tt(home, ['start', 'Acme/Website/Design', '-n', 'first'])).toMatchObject({ status: 0 })
  expect(await tt(home, ['stop'])).toMatchObject({ status: 0 })
  return { home, env: {}, whileFailing: (work) => work(), notes: () => readNotes(home, {}) }
}

/** @param isReachable whether the service accepts connections while the disk fails */
async function setUpService(isReachable: boolean): Promise<DiskSetup> {
  const home = temporaryDirectory()
  const { serveProcess, tokens } = await startTeam(1)
  const [token = ''] = tokens
  const proxy = await startProxy(serveProcess.url)
  const env = { TT_BASE_URL: proxy.url, TT_TOKEN: token }
  for (const command of ['links', 'log', 'status'])
    expect(await tt(home, [command], env)).toMatchObject({ status: 0 })
  return {
    home,
    env,
    async whileFailing(work) {
      if (isReachable) return work()
      await proxy.close()
      const result = await work()
      await proxy.open()
      return result
    },
    async notes() {
      expect(await tt(home, ['sync'], env)).toMatchObject({ status: 0 })
      const shown = await readNotes(home, env)
      const rows = await readServiceRows(serveProcess.url, token)
      expect(rows.entry.map((row) => String(row.notes)).sort()).toEqual([...shown].sort())
      return shown
    },
  }
}

/** Makes each write of the command fail in turn, and compares its message with a later log. */
async function failEveryWrite(
  setup: DiskSetup,
  command: string[],
  fault: (typeof faults)[number],
): Promise<number> {
  for (let nth = 1; ; nth++) {
    const mark = `write ${nth}`
    const argv = [...command, '-n', mark]
    const { isHit, status, stdout, stderr } = await setup.whileFailing(() =>
      runWithDiskFault(setup.home, argv, { ...fault, nth }, setup.env),
    )
    if (!isHit) return nth - 1
    const count = async () => (await setup.notes()).filter((notes) => notes === mark).length
    const outcome = { nth, status, stderr }
    if (status === 0) {
      expect(stderr).not.toContain('Nothing was saved')
      expect({ ...outcome, count: await count() }).toEqual({ ...outcome, count: 1 })
      continue
    }
    expect({ ...outcome, stdout }).toEqual({ ...outcome, status: 1, stdout: '' })
    expect(stderr).toMatch(/Nothing was saved|It is unknown whether the change was saved/)
    expect(stderr).not.toMatch(/^(Added|Started|Saved)/m)
    const before = await count()
    if (stderr.includes('Nothing was saved'))
      expect({ ...outcome, before }).toEqual({ ...outcome, before: 0 })
    else expect(stderr).toContain('`tt log`')
    // The hint: repeat the command when the change is missing.
    if (before === 0) {
      const repeated = await tt(setup.home, argv, setup.env)
      expect({ ...outcome, repeated: repeated.status }).toEqual({ ...outcome, repeated: 0 })
    }
    expect({ ...outcome, count: await count() }).toEqual({ ...outcome, count: 1 })
  }
}

describe.runIf(canInjectFaults).each(faults.map((fault) => [nameOf(fault), fault] as const))(
  '%s',
  (_, fault) => {
    test('tt start in the local workspace reports what is saved', async () => {
      expect(await failEveryWrite(await setUpLocal(), ['start', 'design'], fault)).toBeGreaterThan(0)
    })
    test('tt add with a service reports what is saved', async () => {
      const add = ['add', 'design', '--from', '-2h', '--for', '30m']
      expect(await failEveryWrite(await setUpService(true), add, fault)).toBeGreaterThan(0)
    })
    test('tt start with an unreachable service reports what is saved', async () => {
      expect(await failEveryWrite(await setUpService(false), ['start', 'design'], fault)).toBeGreaterThan(0)
    })
  },
)
