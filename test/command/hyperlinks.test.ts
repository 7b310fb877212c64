import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newDesk } from '../support/test-cli.js'
import { openOffice } from './service-fixtures.js'

const link = (text: string, href: string) => `\u001b]8;;${href}\u001b\\${text}\u001b]8;;\u001b\\`

test('at a terminal that takes links, addresses and written files can be clicked, and nowhere else', async () => {
  const { desk, proxy } = await openOffice()
  const plain = await desk.terminal(100, 'whoami')
  expect(plain.stdout).toContain(proxy.url)
  expect(plain.stdout).not.toContain('\u001b')

  desk.env.FORCE_HYPERLINK = '1'
  expect((await desk.terminal(100, 'whoami')).stdout).toContain(link(proxy.url, proxy.url))
  for (const argv of [
    ['whoami', '--no-color'],
    ['whoami', '--json'],
  ])
    expect((await desk.terminal(100, ...argv)).stdout).not.toContain('\u001b')
  expect((await desk.tt('whoami')).stdout).not.toContain('\u001b')
})

test('so can the paths of the settings and of a report', async () => {
  const desk = newDesk()
  desk.env.FORCE_HYPERLINK = '1'
  const settings = join(desk.home, 'config.json')
  expect((await desk.terminal(100, 'config', 'path')).stdout).toBe(
    `${link(settings, `file://${settings}`)}\n`,
  )
  expect((await desk.tt('config', 'path')).stdout).toBe(`${settings}\n`)
  const page = join(desk.home, 'page.html')
  const told = await desk.terminal(100, 'report', '--html', page)
  expect(told.stderr).toContain(`Wrote the report to ${link(page, `file://${page}`)}.`)
})
