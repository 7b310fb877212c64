import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { test } from 'vitest'
import {
  expectNoPageFlaws,
  openPage,
  setUpBrowser,
  type WindowSize,
  windowSizes,
} from '../support/browser.js'
import { share } from '../support/share.js'
import { storeManyEntries } from '../support/stored-entries.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'

setUpBrowser()

/** A page for all cases: in a new one, the browser loads and compiles axe-core again, which takes seconds. */
let page: Page | undefined

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]
const october = ['--since', '2026-10-01', '--until', '2026-10-31']
const notes = [
  'Design review with the team',
  'Fixed the export of invoices and the rounding of the last line; see ticket 4711',
  null,
  'First line\nSecond line',
  'https://example.com/tickets/1234567890/a-very-long-address-without-any-spaces',
  'פגישה עם הלקוח על העיצוב החדש (v2.0)',
  'اجتماع مع العميل حول التصميم',
  '東京支社との打ち合わせ',
]

interface Case {
  tasks: readonly string[]
  count: number
  settings?: Record<string, string>
  options?: readonly string[]
  /** The sizes and colours to examine. A long page takes long. */
  sizes?: readonly WindowSize[]
}

/** Each width and each colour scheme: the layout does not depend on colours. */
const defaultSizes: readonly WindowSize[] = [
  { colorScheme: 'light', width: 360 },
  { colorScheme: 'dark', width: 768 },
  { colorScheme: 'light', width: 1280 },
]

const fewTasks = ['Acme/Website/Design', 'Globex GmbH & Co. KG/Shop/Development', 'Internal/Support']
const foreignTasks = [
  ...['Acme/Website/Design', 'חברת הדוגמה בע״מ/אתר האינטרנט החדש/עיצוב', 'شركة المثال/تطبيق الهاتف/تطوير'],
  ...[
    '株式会社例/ウェブサイト制作/デザイン',
    '한국 회사/웹사이트/디자인',
    'Müller & Söhne (חיפה)/Relaunch 2.0/Größe ändern',
  ],
]
const manyTasks = Array.from(
  { length: 30 },
  (_, index) => `Client ${index % 9}/Project ${index}/${['Design', 'Development', 'Meetings'][index % 3]}`,
)
const currencies = { rate: '95 EUR', 'rate.Acme': '12000 JPY', 'rate.*/Internal': '31.5 KWD' }

const cases: Record<string, Case> = {
  'one entry': { tasks: fewTasks, count: 1, settings: { rate: '95 EUR', sender: 'Ada\\nLondon' } },
  '500 entries': {
    ...{ tasks: fewTasks, count: 500, settings: { rate: '95 EUR', 'target.daily': '8h' } },
    options: ['--by', 'client,project', '--round', '15m'],
    sizes: [{ colorScheme: 'dark', width: 360 }],
  },
  '30 projects': {
    ...{ tasks: manyTasks, count: 120, settings: { rate: '80 EUR', 'rate.Client 1': '110 EUR' } },
    options: ['--by', 'client,project,task'],
  },
  'right-to-left and CJK names': {
    ...{ tasks: foreignTasks, count: 60, settings: { rate: '95 EUR', sender: 'עדה\\nתל אביב 12' } },
    options: ['--by', 'client,project'],
  },
  'no rates': { tasks: fewTasks, count: 60 },
  'several currencies': {
    ...{ tasks: fewTasks, count: 60, settings: { ...currencies, billable: '*' } },
    sizes: windowSizes(360, 768, 1280),
    options: ['--by', 'client,project'],
  },
  'a comparison of several currencies': {
    ...{ tasks: foreignTasks, count: 60, settings: currencies },
    options: ['--by', 'client,project', '--compare', '2026-09', '--entries', 'none'],
  },
  'a comparison of days': {
    ...{ tasks: fewTasks, count: 20, settings: { rate: '95 EUR' } },
    options: [
      '--by',
      'day,project',
      '--compare',
      '2026-08-31..2026-09-06',
      '--hours',
      'decimal',
      '--entries',
      'none',
    ],
  },
  ...Object.fromEntries(
    ['2026-10..2026-11', '2026', '2025-03..2026-10', '2021-02..2026-10', '2000..2026', '1960..2026'].map(
      (period) => [
        `the axis of ${period}`,
        {
          ...{ tasks: fewTasks, count: 30, settings: { rate: '95 EUR' } },
          options: [period, '--entries', 'none'],
          sizes: [
            { colorScheme: 'light', width: 360 },
            { colorScheme: 'dark', width: 1280 },
          ],
        },
      ],
    ),
  ),
  'wide amounts of a client': {
    ...{ tasks: fewTasks, count: 40, settings: { rate: '98765 EUR', 'rate.*/*/Design': '1234567 JPY' } },
    options: ['--client', 'Acme', '--client', 'Globex', '--by', 'client,project', '--round', '15m:up'],
  },
  'exact and rounded time': {
    ...{ tasks: manyTasks, count: 60, settings: { rate: '95 EUR', 'rate.Client 2': 'none' } },
    options: ['--by', 'client,project', '--round', '15m:up', '--show', 'exact'],
  },
  'a grid over a month': {
    ...{ tasks: foreignTasks, count: 60, settings: currencies },
    options: ['--by', 'client,project,day', '--grid', '--entries', 'none'],
  },
}

async function createCli({ tasks, count, settings = {} }: Case): Promise<TestCli> {
  const cli = createTestCli('2026-11-02T12:00:00')
  const earlier = ['--from', '2026-09-01 09:00', '--for', '1h']
  for (const task of tasks) await cli.json('add', task, ...earlier, '--create')
  for (const [name, value] of Object.entries(settings)) await cli.json('config', 'set', name, value)
  const entries = Array.from({ length: count }, (_, index) => ({
    startMs:
      Date.parse('2026-10-01T06:00:00Z') + Math.floor((index * 31) / count) * dayMs + (index % 12) * hourMs,
    lengthMs: (20 + ((index * 37) % 110)) * minuteMs,
    notes: notes[index % notes.length] ?? null,
    link: index % tasks.length,
  }))
  await storeManyEntries(join(cli.home, 'workspace.db'), entries)
  return cli
}

/** Writes the page of a report and returns its URL. */
async function writePage(cli: TestCli, ...options: string[]): Promise<string> {
  const file = join(cli.home, 'report.html')
  const { stdout, stderr } = await cli.run('report', '--html', ...options)
  if (stdout === '') throw new Error(stderr)
  writeFileSync(file, stdout)
  return pathToFileURL(file).href
}

test.each(share('pages of reports', Object.keys(cases)))(
  'the page of %s has no violations of WCAG 2.2 AA, no overlaps and nothing cut off',
  async (name) => {
    const one = cases[name] as Case
    const { options = [] } = one
    const hasPeriod = /^\d/.test(options[0] ?? '')
    const url = await writePage(await createCli(one), ...(hasPeriod ? [] : october), ...options)
    page ??= await openPage()
    await page.goto(url)
    await expectNoPageFlaws(page, one.sizes ?? defaultSizes)
  },
)
