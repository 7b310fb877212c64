// Makes the pictures of the README from the output of the program, with a fixed clock and sample entries:
// docs/images/terminal.svg, and docs/images/report.png where Chromium is installed. Usage: npm run pictures
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { bundling, ownAddress, root } from './bundling.mjs'
import { terminalPicture } from './terminal-picture.mjs'

const images = join(root, 'docs/images')
const columns = 88
const chromium = '/usr/bin/chromium'

/** The command lines before the picture. */
const setup = [
  ['2024-04-29T09:00:00', 'add Acme/Website/Design --from 9:00 --to 11:30 --notes "Page layout"'],
  [
    '2024-04-29T09:00:00',
    'add Acme/Website/Review --from 12:30 --to 14:00 --notes "Contrast and focus order"',
  ],
  ['2024-04-29T09:00:00', 'add Internal/Planning --create --from 14:00 --to 16:15 --notes "Quarter goals"'],
  ['2024-04-30T09:00:00', 'add Acme/App/Design --from 9:15 --to 12:15 --notes "Icons" --create'],
  ['2024-04-30T09:00:00', 'add Acme/Website/Design --from 13:00 --to 16:45 --notes "Navigation"'],
]

/** The command lines in the picture, with the time of each. */
const scene = [
  [
    '2024-05-01T09:30:00',
    'start design --at 9:20 --notes "Landing page"',
    'start Website/Design --at 9:20 --notes "Landing page"',
  ],
  ['2024-05-01T10:54:00', 'status'],
  ['2024-05-01T10:54:00', 'log --week'],
  ['2024-05-01T10:54:00', 'report --week --chart'],
]

process.env.TZ = 'UTC'
mkdirSync(images, { recursive: true })
const workshop = mkdtempSync(join(root, 'dist', 'pictures-'))
try {
  const main = await program()
  const terminal = computer(main, join(workshop, 'terminal'))
  for (const [time, line] of setup) await terminal(time, line)
  const lines = []
  for (const [time, short, line = short] of scene)
    lines.push(`\u001b[1m$ tt ${line}\u001b[22m`, ...(await terminal(time, line)).trimEnd().split('\n'), '')
  writeFileSync(join(images, 'terminal.svg'), terminalPicture(lines.slice(0, -1), columns))

  if (existsSync(chromium)) await reportPicture(computer(main, join(workshop, 'report')))
  else process.stderr.write('Chromium is not installed: docs/images/report.png stays as it is.\n')
} finally {
  rmSync(workshop, { recursive: true, force: true })
}

/** Bundles the program and returns its `main`. */
async function program() {
  const outfile = join(workshop, 'main.cjs')
  await build({
    ...bundling,
    entryPoints: ['src/main.ts'],
    outfile,
    format: 'cjs',
    banner: { js: ownAddress },
  })
  return createRequire(import.meta.url)(outfile).main
}

/** Returns a function that runs a command line at a terminal at a given time and returns its output. */
function computer(main, home) {
  return async (time, line) => {
    let text = ''
    const stream = Object.assign(
      new Writable({
        write(chunk, _encoding, done) {
          text += chunk
          done()
        },
      }),
      { isTTY: true, columns },
    )
    const stdin = new PassThrough()
    stdin.end()
    const status = await main(words(line), {
      stdin,
      stdout: stream,
      stderr: stream,
      promptOutput: stream,
      env: {
        TT_HOME: home,
        TERM: 'xterm-256color',
        FORCE_COLOR: '3',
        FORCE_HYPERLINK: '0',
        LC_ALL: 'C.UTF-8',
      },
      cwd: () => workshop,
      now: () => new Date(time),
      onInterrupt() {},
      untilStopped: () => new Promise(() => {}),
      interruption: () => new AbortController().signal,
      leaveInterrupts: () => () => {},
    })
    if (status !== 0) throw new Error(`tt ${line} exits ${status}: ${text}`)
    return text
  }
}

function words(line) {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare)
}

/** Writes docs/images/report.png: the top of an HTML report of one month. */
async function reportPicture(run) {
  const now = '2024-05-31T16:00:00'
  const page = join(workshop, 'report.html')
  for (const line of [
    'admin seed --entries 160 --random 3 --until yesterday',
    'config set rate 95',
    'config set currency EUR',
    `report --month --by client,project --html ${page}`,
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
