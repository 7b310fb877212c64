// Creates the pictures of the README from the output of the program, with a fixed clock and sample entries:
// docs/images/terminal.svg, and docs/images/report.png if Chromium is installed. Usage: npm run pictures
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

  if (existsSync(chromium)) await reportPicture(commandRunner(main, join(workDirectory, 'report'), picture))
  else process.stderr.write('Chromium is not installed: docs/images/report.png was not updated.\n')
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
  const { chromium: browsers } = await import('playwright-core')
  const browser = await browsers.launch({ executablePath: chromium, args: ['--no-sandbox'] })
  try {
    const tab = await browser.newPage({ viewport: { width: 1000, height: 940 }, colorScheme: 'light' })
    await tab.goto(pathToFileURL(page).href)
    await tab.screenshot({ path: join(images, 'report.png') })
  } finally {
    await browser.close()
  }
  process.stdout.write(
    `report.png: ${Math.round(readFileSync(join(images, 'report.png')).length / 1024)} KiB\n`,
  )
}
