import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { missingBrowserReason } from '../support/browser.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { createTestCli } from '../support/test-cli.js'
import { decimal, type ModelEntry, type ModelInvoice, modelInvoice } from '../unit/report/invoice/model.js'

const runs = Number(process.env.TT_INVOICES ?? 4)
/** Clocks change on 31 March and 27 October 2024 in Europe/Berlin, where all tests run. */
const months = ['2024-03', '2024-10', '2024-05'] as const
const currencies = [
  ['EUR', 2],
  ['JPY', 0],
  ['KWD', 3],
] as const
const tasks = ['Web/Design', 'Web/Review', 'App/Design', 'App/Tests']

beforeEach(({ skip }) => {
  skip(missingBrowserReason !== undefined, missingBrowserReason)
  skip(!existsSync('/usr/bin/pdftotext'), 'pdftotext is not installed')
})

type Line = ModelInvoice['lines'][number]

/** Returns the rows of lines in a page: description, hours, rate and amount. */
function linesOfPage(html: string): Line[] {
  const cell = '<td[^>]*>(?:<bdi>)?([^<]*)(?:</bdi>)?</td>\\s*'
  const row = new RegExp(`<tr>${cell}${cell}${cell}${cell}</tr>`, 'g')
  return [...html.matchAll(row)].map(([, description = '', hours = '', rate = '', amount = '']) =>
    lineOf(description, hours, rate, amount),
  )
}

/** Returns the rows of lines in the text of a PDF. */
function linesOfText(text: string): Line[] {
  const row = /^\s*(\w+ \/ \w+) {2,}([\d,.]+) {2,}([\d,.]+) {2,}([\d,.]+)\s*$/gm
  return [...text.matchAll(row)].map(([, description = '', hours = '', rate = '', amount = '']) =>
    lineOf(description, hours, rate, amount),
  )
}

function lineOf(description: string, ...figures: [string, string, string]): Line {
  const [hours, rate, amount] = figures.map((figure) => figure.replaceAll(',', '')) as typeof figures
  return { description, hours, rate: trimmed(rate), amount }
}

/** Returns a decimal number without zeros at its end: a rate has at least the digits of its currency. */
function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

/** Returns the figure in the row of a label. */
function sumIn(text: string, label: RegExp): string | undefined {
  return new RegExp(`${label.source}[^\\n]*?([\\d,.]+)(?: [A-Z]{3})?\\s*$`, 'm')
    .exec(text)?.[1]
    ?.replaceAll(',', '')
}

const sorted = (lines: Line[]) =>
  lines
    .map((line) => ({ ...line, rate: trimmed(line.rate) }))
    .sort((a, b) => (a.description < b.description ? -1 : 1))

test(`PDF, HTML, JSON and CSV have the figures of the model, for ${runs} random months`, async () => {
  const seed = chooseSeed('random invoices')
  for (let index = 0; index < runs; index++) {
    const random = new SeededRandom(`${seed} ${index}`)
    const cli = createTestCli(new Date().toISOString())
    cli.env.CHROME_PATH = '/usr/bin/chromium'
    const run = async (...argv: string[]) => {
      const result = await cli.run(...argv)
      expect({ seed, index, argv, ...result }).toMatchObject({ status: 0 })
      return result.stdout
    }
    const [currency, decimals] = random.pick(currencies)
    const month = random.pick(months)
    const taxThousandths = BigInt(random.between(1, 25_000))
    await run('config', 'set', 'invoice.sender.name', 'Ada')
    await run('config', 'set', 'invoice.tax', decimal(taxThousandths, 3))
    const rates = new Map<string, bigint>()
    for (const task of tasks) {
      const hundredths =
        BigInt(random.between(1, currency === 'JPY' ? 150 : 20_000)) * (decimals === 0 ? 100n : 1n)
      rates.set(task, hundredths)
      await run('config', 'set', `rate.Acme/${task}`, `${decimal(hundredths, 2)} ${currency}`)
    }
    // Entries around the last Sunday of the month, and others.
    const entries: ModelEntry[] = []
    const rows = ['client,project,task,start,end']
    let startMs = Date.parse(`${month}-01T00:30:00Z`)
    const endMs = Date.parse(`${month}-31T20:00:00Z`)
    while (startMs < endMs) {
      const task = random.pick(tasks)
      const seconds = random.between(1, 30_000)
      const [project = '', name = ''] = task.split('/')
      const times = [startMs, startMs + seconds * 1000].map((ms) => new Date(ms).toISOString())
      rows.push(['Acme', project, name, ...times].join(','))
      entries.push({ description: task.replace('/', ' / '), rateHundredths: rates.get(task) ?? 0n, seconds })
      startMs += (seconds + random.between(0, 40_000)) * 1000
    }
    const file = join(cli.home, 'entries.csv')
    writeFileSync(file, `${rows.join('\n')}\n`)
    const columns = 'client=client,project=project,task=task,start=start,end=end'
    await run('import', file, '--columns', columns, '--yes')
    const expenses = Array.from({ length: random.between(0, 3) }, () => BigInt(random.between(1, 5_000_000)))
    for (const amount of expenses)
      await run('expenses', 'add', decimal(amount, 4), currency, '--project', 'Web', '--on', `${month}-09`)
    const isExpenseTaxed = random.chance(0.5)
    const step = random.chance(0.6)
      ? {
          seconds: random.pick([360, 600, 900, 1800]),
          direction: random.pick(['up', 'down', 'nearest'] as const),
        }
      : undefined
    const terms = { decimals, taxThousandths, expenses, isExpenseTaxed, step }
    const expected = modelInvoice(entries, terms)
    const options = [
      ...['Acme', month, '--expenses', isExpenseTaxed ? 'net' : 'gross'],
      ...(step ? ['--round', `${step.seconds / 60}m:${step.direction}`] : []),
    ]
    const output = (extension: string) => join(cli.home, `invoice.${extension}`)
    await run('invoice', ...options, '--yes', '-o', output('json'))
    await run(
      'invoice',
      'open',
      (await run('invoice', 'list', '--jq', '.[0].number')).trim().replaceAll('"', ''),
      '-o',
      output('html'),
    )
    await run('invoice', 'open', JSON.parse(readFileSync(output('json'), 'utf8')).number, '-o', output('pdf'))

    const document = JSON.parse(readFileSync(output('json'), 'utf8')) as ModelInvoice
    const fromJson = document.lines.map(({ description, hours, rate, amount }) => ({
      description,
      hours,
      rate,
      amount,
    }))
    const context = { seed, index, currency, month, step }
    expect({ ...context, lines: sorted(fromJson) }).toEqual({ ...context, lines: sorted(expected.lines) })
    const sums = { net: expected.net, tax: expected.tax, total: expected.total }
    expect({ net: document.net, tax: document.tax, total: document.total }).toEqual(sums)

    const html = readFileSync(output('html'), 'utf8')
    expect({ ...context, lines: sorted(linesOfPage(html)) }).toEqual({
      ...context,
      lines: sorted(expected.lines),
    })
    const rowsOfSums = html.replaceAll('</th><td class="figure">', '  ').replaceAll('</td></tr>', '\n')
    expect({
      ...{ net: sumIn(rowsOfSums, /<th scope="row">Net/), tax: sumIn(rowsOfSums, /<th scope="row">Tax/) },
      total: sumIn(rowsOfSums, /<th scope="row">Total/),
    }).toEqual(sums)

    const text = execFileSync('pdftotext', ['-layout', output('pdf'), '-']).toString()
    expect({ ...context, lines: sorted(linesOfText(text)) }).toEqual({
      ...context,
      lines: sorted(expected.lines),
    })
    expect({
      net: sumIn(text, /^\s*Net\s/),
      tax: sumIn(text, /^\s*Tax\s/),
      total: sumIn(text, /^\s*Total\s/),
    }).toEqual(sums)

    const csv = (
      await run('invoice', 'show', JSON.parse(readFileSync(output('json'), 'utf8')).number, '--csv')
    )
      .trim()
      .split(/\r?\n/)
    const keys = csv[0]?.split(',') ?? []
    const positions = csv
      .slice(1)
      .map((line) => Object.fromEntries(line.split(',').map((cell, at) => [keys[at], cell])))
    const fromCsv = positions
      .filter(({ kind }) => kind === 'line')
      .map(({ description = '', hours = '', rate = '', amount = '' }) => ({
        description,
        hours,
        rate,
        amount,
      }))
    expect({ ...context, lines: sorted(fromCsv) }).toEqual({ ...context, lines: sorted(expected.lines) })

    const [header = '', row = ''] = (await run('invoice', 'list', '--csv')).split(/\r?\n/)
    const cells = Object.fromEntries(header.split(',').map((name, at) => [name, row.split(',')[at]]))
    expect(cells).toMatchObject({ ...sums, currency })
  }
})
