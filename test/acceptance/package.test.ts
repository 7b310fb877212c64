import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { npm, pack, startNpmRegistry } from '../support/npm-registry.js'
import { root, run, temporaryDirectory } from '../support/process.js'

const description = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Creates a clean checkout with installed dependencies. */
function createCheckout(): string {
  const copy = temporaryDirectory()
  const excluded = new Set(['node_modules', 'dist', '.git'])
  cpSync(root, copy, { recursive: true, filter: (path) => !excluded.has(relative(root, path)) })
  symlinkSync(realpathSync(join(root, 'node_modules')), join(copy, 'node_modules'))
  return copy
}

test('the packed tarball installs and works without a compiler or install scripts', async () => {
  const home = temporaryDirectory()
  const [{ tarball, files } = { tarball: '', files: [] }] = await pack([createCheckout()], home, {
    scripts: true,
  })

  const programFiles =
    /^(bin\/(tt\.js|code-cache\.js|package\.json)|dist\/[\w-]+\.cjs|dist\/(LICENSES\.txt|packages\.json|jq\.wasm))$/
  const documents =
    /^(completions\/[\w.-]+|docs\/hosting\/[\w.-]+|man\/[\w.-]+|README\.md|CHANGELOG\.md|LICENSE|package\.json)$/
  expect(files.filter((file) => !programFiles.test(file) && !documents.test(file))).toEqual([])
  const copied = ['completions', 'docs/hosting'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((file) => `${folder}/${file}`),
  )
  const built = ['dist/LICENSES.txt', 'dist/packages.json', 'man/tt.1']
  expect(files).toEqual(expect.arrayContaining(['CHANGELOG.md', ...built, ...copied]))

  // A PATH with only Node and sh.
  const path = join(home, 'path')
  mkdirSync(path)
  symlinkSync(process.execPath, join(path, 'node'))
  symlinkSync('/bin/sh', join(path, 'sh'))
  const prefix = join(home, 'prefix')
  const registry = await startNpmRegistry(Object.keys(description.dependencies), home)
  await npm(
    ['install', '--global', '--prefix', prefix, '--ignore-scripts=false', join(home, tarball)],
    home,
    {
      PATH: path,
      npm_config_registry: registry,
    },
  )

  const modules = join(prefix, 'lib', 'node_modules', description.name)
  const installed = readdirSync(modules, { recursive: true, encoding: 'utf8' })
  const manifests = installed.filter((file) => /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file))
  expect(manifests.length).toBeGreaterThan(1)
  for (const manifest of [...manifests, 'package.json']) {
    const { name, scripts = {} } = JSON.parse(readFileSync(join(modules, manifest), 'utf8'))
    const atInstallation = Object.keys(scripts).filter((script) => /^(pre|post)?install$/.test(script))
    expect([name, atInstallation]).toEqual([name, []])
  }
  // npm compiles any package that contains this file.
  expect(installed.filter((file) => basename(file) === 'binding.gyp')).toEqual([])

  const env = { PATH: path, TT_HOME: join(home, 'tt'), TZ: 'Europe/Berlin', HOME: home }
  const tt = (...argv: string[]) => run(join(prefix, 'bin', 'tt'), argv, { env })
  expect(await tt('--version')).toMatchObject({ status: 0, stdout: `${description.version}\n` })
  expect(await tt('start', 'Website/Design', '-q')).toMatchObject({ status: 0, stderr: '' })
  expect(await tt('status', '--jq', '.project, .running')).toMatchObject({
    status: 0,
    stdout: 'Website\ntrue\n',
  })
  const keychain = `require(${JSON.stringify(join(modules, 'node_modules', 'keytar'))}).AsyncEntry.name`
  expect(await run(process.execPath, ['-p', keychain], { env })).toMatchObject({
    status: 0,
    stdout: 'AsyncEntry\n',
  })
  expect(await tt('completion', 'bash')).toMatchObject({ status: 0, stdout: expect.stringContaining('tt') })
  // npm links the manual pages listed in package.json.
  const pages = files.filter((file) => file.startsWith('man/')).map((file) => basename(file))
  expect(readdirSync(join(prefix, 'share', 'man', 'man1')).sort()).toEqual(pages.sort())
})
