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

const cell = '<td[^>]*>(?:<bdi>)?([^<]*)(?:</bdi>)?</td>\\s*'
const rowInPage = new RegExp(`<tr>${cell}${cell}${cell}${cell}</tr>`, 'g')
const rowInText = /^\s*(\w+ \/ \w+) {2,}([\d,.]+) {2,}([\d,.]+) {2,}([\d,.]+)\s*$/gm

/** Returns the lines in a page or the text of a PDF. A row has description, hours, rate and amount. */
function linesIn(text: string, row: RegExp): Line[] {
  return [...text.matchAll(row)].map(([, description = '', ...figures]) => {
    const [hours = '', rate = '', amount = ''] = figures.map((figure) => figure.replaceAll(',', ''))
    return { description, hours, rate, amount }
  })
}

/** Returns a decimal number without zeros at its end: a rate has at least the digits of its currency. */
function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

/** Returns the rows of a CSV without quoted cells, by the names of its columns. */
function recordsIn(csv: string): Record<string, string>[] {
  const [names = [], ...rows] = csv
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','))
  return rows.map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ''])))
}

/** Returns the figure in the row of a label. */
function sumIn(text: string, label: RegExp): string | undefined {
  return new RegExp(`${label.source}[^\\n]*?([\\d,.]+)(?: [A-Z]{3})?\\s*$`, 'm')
    .exec(text)?.[1]
    ?.replaceAll(',', '')
}

/** Returns the lines in the order of their descriptions, without other fields. */
const sorted = (lines: Partial<Line>[]) =>
  lines
    .map(({ description = '', hours, rate = '', amount }) => {
      return { description, hours, rate: trimmed(rate), amount }
    })
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
    const document = JSON.parse(readFileSync(output('json'), 'utf8')) as ModelInvoice & { number: string }
    for (const extension of ['html', 'pdf'])
      await run('invoice', 'open', document.number, '-o', output(extension))

    const context = { seed, index, currency, month, step }
    const expectLines = (lines: Partial<Line>[]) =>
      expect({ ...context, lines: sorted(lines) }).toEqual({ ...context, lines: sorted(expected.lines) })
    expectLines(document.lines)
    const sums = { net: expected.net, tax: expected.tax, total: expected.total }
    expect(document).toMatchObject(sums)

    const html = readFileSync(output('html'), 'utf8')
    expectLines(linesIn(html, rowInPage))
    const rowsOfSums = html.replaceAll('</th><td class="figure">', '  ').replaceAll('</td></tr>', '\n')
    expect({
      ...{ net: sumIn(rowsOfSums, /<th scope="row">Net/), tax: sumIn(rowsOfSums, /<th scope="row">Tax/) },
      total: sumIn(rowsOfSums, /<th scope="row">Total/),
    }).toEqual(sums)

    const text = execFileSync('pdftotext', ['-layout', output('pdf'), '-']).toString()
    expectLines(linesIn(text, rowInText))
    expect({
      net: sumIn(text, /^\s*Net\s/),
      tax: sumIn(text, /^\s*Tax\s/),
      total: sumIn(text, /^\s*Total\s/),
    }).toEqual(sums)

    const positions = recordsIn(await run('invoice', 'show', document.number, '--csv'))
    expectLines(positions.filter(({ kind }) => kind === 'line'))
    const [listed] = recordsIn(await run('invoice', 'list', '--csv'))
    expect(listed).toMatchObject({ ...sums, currency, number: document.number })
  }
})
