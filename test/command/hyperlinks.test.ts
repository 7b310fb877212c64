import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestCli } from '../support/test-cli.js'
import { setUpService } from './service-fixtures.js'

const link = (text: string, href: string) => `\u001b]8;;${href}\u001b\\${text}\u001b]8;;\u001b\\`

test('addresses are links only in a terminal that supports links', async () => {
  const { cli, proxy } = await setUpService()
  const plain = await cli.runInTerminal(100, 'whoami')
  expect(plain.stdout).toContain(proxy.url)
  expect(plain.stdout).not.toContain('\u001b')

  cli.env.FORCE_HYPERLINK = '1'
  expect((await cli.runInTerminal(100, 'whoami')).stdout).toContain(link(proxy.url, proxy.url))
  for (const option of ['--no-color', '--json'])
    expect((await cli.runInTerminal(100, 'whoami', option)).stdout).not.toContain('\u001b')
  expect((await cli.run('whoami')).stdout).not.toContain('\u001b')
})

test('paths of the settings and of a written report are links', async () => {
  const cli = createTestCli()
  cli.env.FORCE_HYPERLINK = '1'
  const settings = join(cli.home, 'config.json')
  expect((await cli.runInTerminal(100, 'config', 'path')).stdout).toBe(
    `${link(settings, `file://${settings}`)}\n`,
  )
  expect((await cli.run('config', 'path')).stdout).toBe(`${settings}\n`)
  const page = join(cli.home, 'page.html')
  const written = await cli.runInTerminal(100, 'report', '-o', page)
  expect(written.stderr).toContain(`Wrote ${link(page, `file://${page}`)}.`)
})
