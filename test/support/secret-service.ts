import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { cleanEnvironment, isInstalled, type ProcessResult, run, waitForExit } from './process.js'

const programs = ['dbus-run-session', 'dbus-send', 'gnome-keyring-daemon', 'secret-tool']

/** Returns the reason why no Secret Service can run here, or undefined if one can. */
export function missingSecretServiceReason(): string | undefined {
  if (process.platform !== 'linux') return 'the Secret Service is for Linux'
  const missing = programs.filter((program) => !isInstalled(program))
  return missing.length === 0 ? undefined : `${missing.join(', ')} not installed`
}

export interface SecretService {
  /** The environment that connects a process to it. */
  env: NodeJS.ProcessEnv
  /** Locks the keyring, as a screen lock does. */
  lock(): Promise<void>
  /** Unlocks it: starts the Secret Service again. */
  unlock(): Promise<void>
  /** Suspends the Secret Service, which then does not respond until `resume`. */
  suspend(): void
  resume(): void
  /** Returns stdout and stderr of `secret-tool search`. */
  search(...attributes: string[]): Promise<string>
}

/** Starts a session bus and an unlocked gnome-keyring for the user with this home. Both stop with the test. */
export async function startSecretService(home: string): Promise<SecretService> {
  const clean = cleanEnvironment({ HOME: home, XDG_RUNTIME_DIR: home })
  const env = { ...clean, DBUS_SESSION_BUS_ADDRESS: await startSessionBus(home, clean) }
  let daemon = await startDaemon()

  /** Starts an unlocked keyring. */
  async function startDaemon() {
    const started = spawn('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], {
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    stopWithTest(() => {
      started.kill('SIGCONT')
      started.kill()
    }, waitForExit(started))
    started.stdin.end('a password of the user')
    await vi.waitFor(async () => {
      if (!(await hasOwner())) throw new Error('The Secret Service has not started.')
    }, 60_000)
    return started
  }

  async function hasOwner(): Promise<boolean> {
    const [bus, method] = ['org.freedesktop.DBus', 'org.freedesktop.DBus.NameHasOwner']
    return (await send(bus, '/', method, `string:${service}`)).includes('true')
  }

  async function send(to: string, path: string, method: string, ...parameters: string[]): Promise<string> {
    const outcome = await run(
      'dbus-send',
      ['--session', '--print-reply', `--dest=${to}`, path, method, ...parameters],
      { env },
    )
    if (outcome.status !== 0) throw new Error(outcome.stderr)
    return outcome.stdout
  }
  return {
    env,
    async lock() {
      const keyring = `${root}/collection/login`
      await send(service, root, 'org.freedesktop.Secret.Service.Lock', `array:objpath:${keyring}`)
    },
    async unlock() {
      daemon.kill()
      await vi.waitFor(async () => {
        if (await hasOwner()) throw new Error('The Secret Service has not ended.')
      }, 60_000)
      daemon = await startDaemon()
    },
    suspend: () => void daemon.kill('SIGSTOP'),
    resume: () => void daemon.kill('SIGCONT'),
    async search(...attributes) {
      const { stdout, stderr } = await run('secret-tool', ['search', '--all', ...attributes], { env })
      return stdout + stderr
    },
  }
}

const service = 'org.freedesktop.secrets'
const root = '/org/freedesktop/secrets'

/** A session bus that starts no services: a request to a stopped Secret Service would start another one. */
const busConfiguration = `<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

/** Starts a session bus and returns its address. */
async function startSessionBus(home: string, env: NodeJS.ProcessEnv): Promise<string> {
  const file = join(home, 'bus.conf')
  writeFileSync(file, busConfiguration)
  const session = spawn(
    'dbus-run-session',
    ['--config-file', file, '--', 'sh', '-c', 'echo "$DBUS_SESSION_BUS_ADDRESS"; exec cat'],
    { env, stdio: ['pipe', 'pipe', 'pipe'] },
  )
  const exit = waitForExit(session)
  stopWithTest(() => session.stdin.end(), exit)
  return new Promise((resolve, reject) => {
    session.stdout.once('data', (text: string) => resolve(text.trim()))
    exit.then(({ stderr }) => reject(new Error(`No session bus: ${stderr}`)), reject)
  })
}

function stopWithTest(end: () => void, exit: Promise<ProcessResult>) {
  onTestFinished(async () => {
    end()
    await exit
  })
}
