// Creates the pictures of the README from the output of the program, with a fixed clock and sample entries:
// docs/images/terminal.svg, and docs/images/report.png and invoice.png if Chromium is installed. Usage: npm run pictures
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../bundling.mjs'
import { loadSource } from '../load-source.mjs'
import { scriptHost } from '../script-host.mjs'

const images = join(root, 'docs/images')
const chromium = '/usr/bin/chromium'

process.env.TZ = 'UTC'
mkdirSync(images, { recursive: true })
const workDirectory = mkdtempSync(join(tmpdir(), 'tt-pictures-'))
try {
  /** @type {typeof import('../../main.js')} */
  const { main } = await loadSource('src/main.ts')
  /** @type {typeof import('./terminal-picture.js')} */
  const picture = await loadSource('src/build/documents/terminal-picture.ts')
  const run = commandRunner(main, join(workDirectory, 'terminal'), picture)
  for (const [time, line] of picture.pictureSetup) await run(time, line)
  const commands = []
  for (const [time, line] of picture.pictureScene) commands.push({ line, output: await run(time, line) })
  writeFileSync(join(images, 'terminal.svg'), picture.terminalPicture(commands))

  if (existsSync(chromium)) {
    await reportPicture(commandRunner(main, join(workDirectory, 'report'), picture))
    await invoicePicture(commandRunner(main, join(workDirectory, 'invoice'), picture))
  } else process.stderr.write('Chromium is not installed: report.png and invoice.png were not updated.\n')
} finally {
  rmSync(workDirectory, { recursive: true, force: true })
}

/**
 * Returns a function that runs a command line at a terminal at a given time and returns its output.
 *
 * @typedef {(time: string, line: string) => Promise<string>} Run
 *
 * @param {typeof import('../../main.js').main} main
 * @param {string} home
 * @param {typeof import('./terminal-picture.js')} settings
 * @returns {Run}
 */
function commandRunner(main, home, { pictureColumns, pictureEnvironment }) {
  return async (time, line) => {
    let text = ''
    const status = await main(
      splitLine(line),
      scriptHost({
        home,
        env: pictureEnvironment,
        now: () => new Date(time),
        write: (part) => {
          text += part
        },
        columns: pictureColumns,
      }),
    )
    if (status !== 0) throw new Error(`tt ${line} exits ${status}: ${text}`)
    return text
  }
}

/** @param {string} line */
function splitLine(line) {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
}

/**
 * Writes docs/images/report.png: the top of an HTML report of one month.
 *
 * @param {Run} run
 */
async function reportPicture(run) {
  const now = '2024-05-31T16:00:00'
  const page = join(workDirectory, 'report.html')
  for (const line of [
    'admin seed --entries 160 --random 3 --until yesterday',
    'config set rate 95',
    'config set currency EUR',
    `report month --by client,project -o ${page} --yes`,
  ])
    await run(now, line)
  await takePicture(page, 'report.png', { width: 1000, height: 940 })
}

/**
 * Writes docs/images/invoice.png: the invoice of one month.
 *
 * @param {Run} run
 */
async function invoicePicture(run) {
  const page = join(workDirectory, 'invoice.html')
  for (const line of [
    'add Acme/Website/Design 2024-05-06 9:00-11:30',
    'add Acme/Website/Design 2024-05-07 9:00-12:13',
    'add Acme/Website/Review 2024-05-08 14:00-14:50',
    'add Acme/App/Development 2024-05-13 9:00-17:20',
    'expenses add 48.90 EUR --type Travel --project Website --on 2024-05-08',
  ])
    await run('2024-05-31T18:00:00', line)
  const settings = {
    'rate.Acme': '95EUR',
    'invoice.sender.name': 'Ada Lovelace',
    'invoice.sender.street': 'Unter den Linden 1',
    'invoice.sender.postal_code': '10117',
    'invoice.sender.city': 'Berlin',
    'invoice.sender.country': 'DE',
    'invoice.sender.vat_id': 'DE123456789',
    'invoice.tax': '19',
    'invoice.due': '14',
    'invoice.iban': 'DE89370400440532013000',
    'client.Acme.name': 'Acme GmbH',
    'client.Acme.street': 'Am Sandtorkai 50',
    'client.Acme.postal_code': '20457',
    'client.Acme.city': 'Hamburg',
    'client.Acme.country': 'DE',
  }
  const now = '2024-06-03T09:00:00'
  for (const [name, value] of Object.entries(settings)) await run(now, `config set ${name} "${value}"`)
  await run(now, `invoice Acme --yes -o ${page}`)
  await takePicture(page, 'invoice.png', { width: 900, height: 1090 })
}

/**
 * @param {string} page the path of an HTML file
 * @param {string} name the name of the picture
 * @param {{ width: number, height: number }} viewport
 */
async function takePicture(page, name, viewport) {
  const { chromium: browsers } = await import('playwright-core')
  const browser = await browsers.launch({ executablePath: chromium, args: ['--no-sandbox'] })
  try {
    const tab = await browser.newPage({ viewport, colorScheme: 'light' })
    await tab.goto(pathToFileURL(page).href)
    await tab.screenshot({ path: join(images, name) })
  } finally {
    await browser.close()
  }
  const kilobytes = Math.round(readFileSync(join(images, name)).length / 1024)
  process.stdout.write(`${name}: ${kilobytes} KiB\n`)
}
