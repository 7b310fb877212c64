import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { composeEnvironment } from '../support/compose-file.js'
import { buildImage, type ContainerImage } from '../support/container-image.js'
import { findFreePort } from '../support/ports.js'
import { execute, findPostgresPrograms, startPostgres } from '../support/postgres.js'
import { cleanEnvironment, root, run, startProcess } from '../support/process.js'

test('the steps of the Dockerfile lead to a service over SQLite, and over PostgreSQL with compose.yaml', async ({
  skip,
}) => {
  skip(process.getuid?.() !== 0, 'only root can change the owner of files, as a build of an image does')
  skip(findPostgresPrograms() === undefined, 'no PostgreSQL server is installed')
  const image = await buildImage(npmConfiguration())
  for (let path = image.directory; path !== '/'; path = dirname(path))
    chmodSync(path, statSync(path).mode | 0o55)

  const files = readdirSync(join(image.directory, 'app')).sort()
  expect(files).toEqual(['LICENSE', 'bin', 'completions', 'dist', 'node_modules', 'package.json'])
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const installed = readdirSync(join(image.directory, 'app', 'node_modules'))
  expect(installed).toEqual(expect.arrayContaining(['keytar', 'libsql']))
  expect(Object.keys(devDependencies).filter((name) => installed.includes(name))).toEqual([])

  await serveAndTrack(image, {})
  const database = join(image.directory, 'data', 'tt.db')
  expect(statSync(database)).toMatchObject({ uid: 1000, gid: 1000 })

  const server = new URL(await startPostgres())
  await execute(server.href, 'create database tt')
  const variables = { POSTGRES_PASSWORD: 'secret', TT_PUBLIC_URL: 'https://time.example.com' }
  const env = composeEnvironment('tt', variables)
  expect(env.TT_DATABASE).toBe('postgres://tt@database/tt')
  await serveAndTrack(image, { ...env, TT_DATABASE: `postgres://tt@${server.host}/tt` })
})

/** Returns the variables with which npm reads packages from its cache, which has them after `npm ci`. */
function npmConfiguration(): Record<string, string> {
  const configured = (key: string) =>
    spawnSync('npm', ['config', 'get', key], { encoding: 'utf8', cwd: root }).stdout.trim()
  return {
    npm_config_cache: configured('cache'),
    npm_config_userconfig: configured('userconfig'),
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
  }
}

/** Runs the command of the image as its user: healthy after the start, with a working `tt admin`, and stops on SIGTERM. */
async function serveAndTrack(image: ContainerImage, more: Record<string, string>) {
  const { uid, gid, directory } = image
  expect(uid).toBe(1000)
  const port = String(await findFreePort())
  const env = cleanEnvironment({ ...image.env, HOME: join(directory, 'data'), ...more, TT_PORT: port })
  const inImage = (argv: string[]) => {
    const [program = '', ...rest] = argv
    return run(program, rest, { uid, gid, cwd: join(directory, 'app'), env })
  }
  expect(await inImage(image.healthCheck)).toMatchObject({ status: 1 })
  const [program = '', ...argv] = image.command
  const { child, exit } = startProcess(program, argv, { uid, gid, cwd: join(directory, 'app'), env })
  onTestFinished(() => void child.kill('SIGKILL'))
  await expect.poll(() => inImage(image.healthCheck), { interval: 200 }).toMatchObject({ status: 0 })

  const tt = join(directory, 'usr', 'local', 'bin', 'tt')
  const added = await inImage([tt, 'admin', 'user', 'add', 'ada@example.com', '--json'])
  expect(added, added.stderr).toMatchObject({ status: 0 })
  const headers = { authorization: `Bearer ${JSON.parse(added.stdout).token}` }
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/companies`, { headers })
  expect(response.status).toBe(200)

  child.kill('SIGTERM')
  const { status, stderr } = await exit
  expect(status, stderr).toBe(0)
  const lines = stderr.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ route: '/api/v1/companies', status: 200 }),
  )
  expect(existsSync(image.resolve('/data'))).toBe(true)
}
