import { beforeEach, expect, test } from 'vitest'
import { temporaryDirectory, tt, ttJson } from '../support/process.js'
import { isTmuxMissing, openTerminal } from '../support/terminal.js'

beforeEach(({ skip }) => skip(isTmuxMissing, 'tmux is not installed'))

test('tt invoice --setup prompts for what is missing, and tt invoice prompts before it records', async () => {
  const home = temporaryDirectory()
  const run = async (...argv: string[]) => expect(await tt(home, argv)).toMatchObject({ status: 0 })
  await run('config', 'set', 'rate.Acme', '95EUR')
  await run('config', 'set', 'invoice.sender.street', 'Main Street 1')
  await run('add', 'Acme/Website/Design', '--from', '2024-05-06 9:00', '--for', '2h')
  const terminal = openTerminal(home, { BROWSER: 'none' })

  terminal.runTt('invoice --setup Acme')
  const answers: [prompt: string, answer: string][] = [
    ['? invoice.sender.name ', 'Ada'],
    ['? invoice.sender.postal_code ', ''],
    ['? invoice.sender.city ', 'Berlin'],
    ['? invoice.sender.country ', 'de'],
    ['? invoice.sender.vat_id ', ''],
    ['? invoice.sender.tax_id ', ''],
    ['? invoice.sender.email ', ''],
    ['? invoice.tax ', '0'],
    ['why there is no tax', 'exempt'],
    ['? invoice.tax_reason ', 'Small business'],
    ['? invoice.due ', '14'],
    ['? invoice.iban ', ''],
    ...['name', 'street', 'postal_code', 'city', 'country', 'vat_id'].map((key): [string, string] => [
      `? client.Acme.${key} `,
      '',
    ]),
  ]
  for (const [prompt, answer] of answers) {
    await terminal.waitForText(prompt)
    terminal.type(answer, 'Enter')
  }
  await terminal.waitForText('exit=0')
  expect(terminal.scrollback()).toMatch(/Saved 7 settings\./)
  // What was set before, or skipped, stays as it is.
  const settings = await ttJson<{ name: string; value: string | null; origin: string }[]>(
    home,
    'config',
    'list',
  )
  const stored = settings.filter(
    ({ name, origin }) => /^(invoice|client)\./.test(name) && origin !== 'default',
  )
  expect(Object.fromEntries(stored.map(({ name, value }) => [name, value]))).toEqual({
    'invoice.sender.name': 'Ada',
    'invoice.sender.street': 'Main Street 1',
    'invoice.sender.city': 'Berlin',
    'invoice.sender.country': 'de',
    'invoice.tax': '0',
    'invoice.tax_category': 'exempt',
    'invoice.tax_reason': 'Small business',
    'invoice.due': '14',
  })

  terminal.runTt('invoice Acme 2024-05 -o a.json')
  await terminal.waitForText(/Write this invoice for Acme, 190\.00 EUR\?/)
  expect(terminal.screen()).toContain('No tax (exempt)')
  terminal.type('', 'Enter')
  await terminal.waitForText('exit=1')
  expect(await ttJson(home, 'invoice', 'list')).toEqual([])

  terminal.runTt('invoice Acme 2024-05 -o a.json')
  await terminal.waitForText(/Write this invoice for Acme, 190\.00 EUR\?/)
  terminal.type('y', 'Enter')
  await terminal.waitForText('exit=0')
  expect(await ttJson(home, 'invoice', 'list')).toMatchObject([
    { total: '190.00', sender: { country: 'DE' } },
  ])

  terminal.runTt('edit 1 --for 1h')
  await terminal.waitForText(/on invoice[\s\S]*Change it anyway\?/)
  terminal.type('', 'Enter')
  await terminal.waitForText('exit=1')
  expect(terminal.screen().match(/Nothing was changed/g)).toHaveLength(1)
  expect(await ttJson(home, 'show', '1')).toMatchObject({ duration_seconds: 7200 })
})
