import { expect, test } from 'vitest'
import { tt } from '../support/process.js'
import { startProxy } from '../support/proxy.js'
import { share } from '../support/share.js'
import { canInjectFaults, type DiskFault, runWithDiskFault } from '../support/strace.js'
import { readServiceList, startTeam } from '../support/team.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

const faults: Omit<DiskFault, 'nth'>[] = [
  { calls: 'pwrite64', error: 'EIO' },
  { calls: 'pwrite64', error: 'ENOSPC', isLasting: true },
  { calls: 'fsync,fdatasync', error: 'EIO' },
  { calls: 'fsync,fdatasync', error: 'EIO', isLasting: true },
]
const nameOf = ({ calls, error, isLasting }: (typeof faults)[number]) =>
  `${error} on ${calls}${isLasting ? ', lasting' : ''}`

interface DiskSetup {
  /** Runs the commands before and after the failing ones: in this process, because one for each takes minutes. */
  cli: TestCli
  /** Runs the failing command, with the service reachable or not. */
  whileFailing<Result>(work: () => Promise<Result>): Promise<Result>
  /** Returns the notes of the entries that a later `tt log` shows. */
  notes(): Promise<string[]>
}

const notesOf = (entries: readonly { notes: string }[]) => entries.map(({ notes }) => notes)

async function readNotes(cli: TestCli): Promise<string[]> {
  cli.setTime(new Date().toISOString())
  return notesOf(await cli.json<{ notes: string }[]>('log', '--since', '-30d'))
}

/** @param isReachable whether the service accepts connections while the disk fails */
async function setUpService(isReachable: boolean): Promise<DiskSetup> {
  const cli = createTestCli(new Date().toISOString())
  const { serveProcess, tokens } = await startTeam(1)
  const [token = ''] = tokens
  const proxy = await startProxy(serveProcess.url)
  Object.assign(cli.env, { TT_BASE_URL: proxy.url, TT_TOKEN: token })
  for (const command of ['tasks', 'log', 'status']) await cli.json(command)
  return {
    cli,
    async whileFailing(work) {
      if (isReachable) return work()
      await proxy.close()
      const result = await work()
      await proxy.open()
      return result
    },
    async notes() {
      cli.setTime(new Date().toISOString())
      const { status, stderr } = await cli.run('sync')
      expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
      const shown = await readNotes(cli)
      const rows = await readServiceList(serveProcess.url, token, 'timesheets')
      expect(rows.map((row) => String(row.notes)).sort()).toEqual([...shown].sort())
      return shown
    },
  }
}

/** Returns the home of a `TestCli` and the other variables of its environment. */
function processEnvironment({ env }: TestCli): { home: string; env: Record<string, string> } {
  const { TT_HOME: home = '', ...others } = env as Record<string, string>
  return { home, env: others }
}

/** Makes each write of the command fail in turn, and compares its message with a later log. */
async function failEveryWrite(
  { cli, whileFailing, notes }: DiskSetup,
  command: string[],
  fault: (typeof faults)[number],
): Promise<number> {
  const { home, env } = processEnvironment(cli)
  for (let nth = 1; ; nth++) {
    const mark = `write ${nth}`
    const argv = [...command, '-n', mark]
    const { isHit, status, stdout, stderr } = await whileFailing(() =>
      runWithDiskFault(home, argv, { ...fault, nth }, env),
    )
    if (!isHit) {
      // A separate process reads the same.
      const shown = await notes()
      const log = await tt(home, ['log', '--since', '-30d', '--json'], env)
      expect(notesOf(JSON.parse(log.stdout))).toEqual(shown)
      return nth - 1
    }
    const count = async () => (await notes()).filter((text) => text === mark).length
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
      const repeated = await cli.run(...argv)
      expect({ ...outcome, repeated: repeated.status }).toEqual({ ...outcome, repeated: 0 })
    }
    expect({ ...outcome, count: await count() }).toEqual({ ...outcome, count: 1 })
  }
}

const add = ['add', 'design', '--from', '-2h', '--for', '30m']
const commands: [name: string, isReachable: boolean, command: string[]][] = [
  ['tt add with a service', true, add],
  ['tt start with an unreachable service', false, ['start', 'design']],
]
const cases = commands.flatMap(([name, isReachable, command]) =>
  faults.map(
    (fault) =>
      [
        name,
        nameOf(fault),
        async () => failEveryWrite(await setUpService(isReachable), command, fault),
      ] as const,
  ),
)

test.runIf(canInjectFaults).each(share('failing commands', cases))(
  '%s reports what is saved after %s',
  async (_name, _fault, run) => expect(await run()).toBeGreaterThan(0),
)
