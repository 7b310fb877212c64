import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { validate as lint } from 'dockerfile-utils'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { commands } from '../../src/program/declarations/service.js'
import { composeEnvironment, composeText, readComposeFile } from '../support/compose-file.js'
import {
  argumentsOf,
  developmentInstallation,
  execForm,
  isInBuildContext,
  readDockerfile,
  stageOf,
} from '../support/container-image.js'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** Returns the environment variables of the options of `tt serve`. */
function serveVariables(): string[] {
  const { options, optionGroups } = commands.serve
  const flags = [options, ...Object.values(optionGroups)].flatMap((group) => Object.keys(group))
  return flags.map((flag) => `TT_${/--([\w-]+)/.exec(flag)?.[1]?.toUpperCase().replaceAll('-', '_')}`)
}

describe('the Dockerfile', () => {
  const instructions = readDockerfile()
  const all = (keyword: string) => instructions.filter((each) => each.getKeyword() === keyword)

  test('passes its linter, which reports a mistake', () => {
    const text = read('Dockerfile')
    expect(lint(text)).toEqual([])
    expect(lint(text.replace('WORKDIR /app', 'WORKDIR app'))).not.toEqual([])
  })

  test('installs from the lock file, and runs as a user other than root', () => {
    const commands = all('RUN').map((each) => each.getArgumentsContent())
    expect(commands.filter((command) => command?.startsWith('npm'))).toEqual([
      developmentInstallation,
      'npm run build',
      'npm ci --omit=dev --ignore-scripts',
    ])
    expect(all('USER').map(argumentsOf)).toEqual([['1000:1000']])
    expect(all('FROM').every((each) => /^node:\d+-[\w-]+$/.test(argumentsOf(each)[0] ?? ''))).toBe(true)
  })

  test('starts tt serve, checks /readyz and sets options of tt serve', () => {
    expect(all('CMD').map(execForm)).toEqual([['node', '/app/bin/tt.js', 'serve']])
    expect(all('HEALTHCHECK').map((each) => execForm(each).at(-1))).toEqual([
      expect.stringContaining('/readyz'),
    ])
    const names = all('ENV')
      .flatMap(argumentsOf)
      .map((word) => word.split('=')[0])
    expect(names.filter((name) => name?.startsWith('TT_') && name !== 'TT_HOME')).toEqual(
      expect.arrayContaining(['TT_DATABASE', 'TT_HOST', 'TT_PORT']),
    )
    const known = [...serveVariables(), 'TT_HOME', 'NODE_ENV']
    expect(names.filter((name) => !known.includes(name ?? ''))).toEqual([])
  })

  test('gets only the files that it copies', () => {
    const copied = all('COPY').filter((each) => stageOf(each) === undefined)
    const paths = copied.flatMap((each) => argumentsOf(each).slice(0, -1))
    expect(paths).toContain('src')
    expect(paths.filter((path) => !isInBuildContext(path))).toEqual([])
    expect(['.git', '.env', 'node_modules', 'dist', 'test', 'service.json'].filter(isInBuildContext)).toEqual(
      [],
    )
    const included = read('.dockerignore').match(/(?<=^!).+$/gm)
    expect(new Set(included)).toEqual(new Set(paths))
  })
})

describe('compose.yaml', () => {
  test('matches the JSON Schema of Compose, which rejects a mistake', { tags: 'slow' }, () => {
    const schema = JSON.parse(read('node_modules/docker-compose/schema/compose-spec.json'))
    // The formats of the schema are those of the Go program that reads Compose files.
    const isValid = new Ajv({ strict: false, validateFormats: false, validateSchema: false }).compile({
      ...schema,
      $schema: undefined,
    })
    expect(isValid(parse(composeText())), JSON.stringify(isValid.errors)).toBe(true)
    expect(isValid(parse(composeText().replace('restart:', 'restarts:')))).toBe(false)
  })

  test('contains no password, and requires those in .env', () => {
    const { services } = readComposeFile()
    const secrets = Object.values(services)
      .flatMap(({ environment }) => Object.entries(environment))
      .filter(([name]) => /PASSWORD|SECRET|TOKEN/.test(name))
    expect(secrets.map(([name]) => name)).toEqual(['PGPASSWORD', 'POSTGRES_PASSWORD'])
    for (const [, value] of secrets) expect(value).toMatch(/^\$\{POSTGRES_PASSWORD:\?[^}]+\}$/)
    expect(() => composeEnvironment('tt', { TT_PUBLIC_URL: 'https://time.example.com' })).toThrow(
      'Set POSTGRES_PASSWORD',
    )
    expect(() => composeEnvironment('tt', { POSTGRES_PASSWORD: 'secret' })).toThrow('Set TT_PUBLIC_URL')
  })

  test('restarts both services, waits for the database and sets options of tt serve', () => {
    const { services, volumes } = readComposeFile()
    expect(Object.keys(services)).toEqual(['tt', 'database'])
    for (const { restart } of Object.values(services)) expect(restart).toBe('unless-stopped')
    expect(services.database?.healthcheck?.test).toEqual(expect.arrayContaining(['CMD', 'pg_isready']))
    expect(services.tt?.depends_on).toEqual({ database: { condition: 'service_healthy' } })
    const mounted = Object.values(services).flatMap(({ volumes: list }) =>
      list.map((each) => each.split(':')[0]),
    )
    expect(mounted).toEqual(Object.keys(volumes))
    const names = Object.keys(services.tt?.environment ?? {}).filter((name) => name.startsWith('TT_'))
    expect(names.filter((name) => !serveVariables().includes(name))).toEqual([])
  })
})
