import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bin, cleanEnvironment, isInstalled, run, temporaryDirectory } from '../support/process.js'

/** Characters that a unit, a shell or XML could interpret. */
const awkwardName = 'a b%n $HOME "q" \\t &amp;<x>'

/** Returns a schedule with awkward paths, printed by the program. */
async function printed(format: string): Promise<string> {
  const home = join(temporaryDirectory(), awkwardName)
  mkdirSync(home)
  const program = join(home, 'tt')
  symlinkSync(bin, program)
  const env = { PATH: process.env.PATH ?? '', TT_HOME: home }
  const { status, stdout } = await run(process.execPath, [program, 'remind', 'install', '--print', format], {
    env,
  })
  expect(status).toBe(0)
  return stdout
}

test('systemd accepts the printed units and their calendar, and starts the right program', async ({
  skip,
}) => {
  skip(!isInstalled('systemd-analyze'), 'systemd-analyze is not installed')
  const text = await printed('systemd')
  const directory = temporaryDirectory()
  const files = text.split(/^# (?=tt-remind\.)/m).flatMap((part) => {
    const [, name = '', unit = ''] = /^(\S+)\n(.*)$/s.exec(part) ?? []
    if (name === '') return []
    writeFileSync(join(directory, name), unit)
    return [join(directory, name)]
  })
  expect(files).toHaveLength(2)
  const env = cleanEnvironment({ XDG_RUNTIME_DIR: directory })
  expect(await run('systemd-analyze', ['verify', '--user', '--man=no', ...files], { env })).toMatchObject({
    ...{ status: 0, stdout: '', stderr: '' },
  })
  const [, calendar = ''] = /^OnCalendar=(.*)$/m.exec(text) ?? []
  const elapses = await run('systemd-analyze', ['calendar', calendar])
  expect(elapses).toMatchObject({ status: 0, stdout: expect.stringContaining('Next elapse') })
  expect(text).toMatch(/^TimeoutStartSec=5min$/m)
  // The quoted words are those of C, with "%%" and "$$".
  const [, command = ''] = /^ExecStart=(.*)$/m.exec(text) ?? []
  const words = [...command.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([word], at) => {
    const plain = (JSON.parse(word) as string).replaceAll('%%', '%')
    return at === 0 ? plain : plain.replaceAll('$$', '$')
  })
  expect(words[1]).toMatch(new RegExp(`${awkwardName.replace(/[\\$]/g, '\\$&')}/tt$`))
  expect(words.slice(2)).toEqual(['remind', 'check', '--no-input'])
})

const parsers = {
  launchd: 'import sys,plistlib,json; print(json.dumps(plistlib.loads(sys.argv[1].encode())))',
  'task-scheduler': `
import sys,json,xml.etree.ElementTree as E
n='{http://schemas.microsoft.com/windows/2004/02/mit/task}'
r=E.fromstring(sys.argv[1])
print(json.dumps({e.tag.replace(n,''): e.text for e in r.iter()}))`,
}

test('parsers accept the schedules for launchd and the Task Scheduler', async ({ skip }) => {
  skip(!isInstalled('python3'), 'python3 is not installed')
  const parse = async (format: keyof typeof parsers) => {
    const { stdout, stderr } = await run('python3', ['-c', parsers[format], await printed(format)])
    expect(stderr).toBe('')
    return JSON.parse(stdout) as Record<string, unknown>
  }
  expect(await parse('launchd')).toMatchObject({
    Label: 'tt-remind',
    ProgramArguments: [
      expect.any(String),
      expect.stringContaining(`${awkwardName}/tt`),
      ...['remind', 'check', '--no-input'],
    ],
    EnvironmentVariables: { TT_HOME: expect.stringContaining(awkwardName) },
    StartInterval: 900,
  })
  expect(await parse('task-scheduler')).toMatchObject({
    Interval: 'PT15M',
    Command: 'cmd.exe',
    Arguments: expect.stringContaining('remind check --no-input'),
  })
})
