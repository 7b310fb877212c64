import { type ChildProcess, spawn } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { errorMessage, TtError } from '../../lib/errors.js'
import { writeOutputFile } from '../../lib/output-file.js'
import { findChromium } from './chromium.js'

/** Time in milliseconds after which the browser is stopped. A page of 100,000 entries takes about a minute. */
const timeoutMs = 5 * 60_000

/** The options of Chromium: no window, no user profile, no requests of its own. */
const options = [
  '--headless',
  '--disable-gpu',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-extensions',
  '--disable-sync',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-pdf-header-footer',
]

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Size in bytes of the largest page whose PDF has tags for screen readers. Tags are most of a PDF: a year of entries would
 * have several megabytes. The HTML page is accessible at any size.
 */
const maxTaggedBytes = 150_000

/**
 * Writes an HTML page as PDF with an installed Chromium or Chrome. The file is written only when the PDF is complete.
 *
 * Throws TtError `failure` without a browser, and if it does not print the page or the file cannot be written.
 */
export async function writePdf(page: Iterable<string>, path: string, env: Environment): Promise<void> {
  await printPdf(page, env, (pdf) => writeOutputFile(path, pdf))
}

/**
 * Prints an HTML page as PDF with an installed Chromium or Chrome, and runs `use` with the content of the complete PDF.
 *
 * Throws TtError `failure` without a browser, and if it does not print the page.
 */
export async function printPdf<Result>(
  page: Iterable<string>,
  env: Environment,
  use: (pdf: AsyncIterable<Uint8Array>) => Promise<Result>,
): Promise<Result> {
  const browser = findChromium(env)
  // Only the user can read the directory (POSIX, mkdtemp): the page has names and notes.
  const directory = await mkdtemp(join(tmpdir(), 'tt-report-'))
  const [source, printed] = [join(directory, 'report.html'), join(directory, 'report.pdf')]
  try {
    await writeFile(source, page, { mode: 0o600 })
    const isLarge = (await stat(source)).size > maxTaggedBytes
    await print(browser, directory, [
      ...options,
      ...(isLarge ? ['--disable-pdf-tagging'] : []),
      // Chromium refuses to start a sandbox as root.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      `--user-data-dir=${join(directory, 'profile')}`,
      `--print-to-pdf=${printed}`,
      pathToFileURL(source).href,
    ])
    if (((await stat(printed).catch(() => undefined))?.size ?? 0) === 0)
      throw browserError(browser, 'wrote no PDF')
    return await use(createReadStream(printed))
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Runs the browser, which also writes files outside its profile: they go to `directory`. */
function print(browser: string, directory: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, XDG_CONFIG_HOME: directory, XDG_CACHE_HOME: directory }
    const child = spawn(browser, args, { env, stdio: ['ignore', 'ignore', 'pipe'], windowsHide: true })
    const lastLines = collectErrors(child)
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
    child.once('error', (cause) => {
      clearTimeout(timer)
      reject(browserError(browser, `cannot be started: ${errorMessage(cause)}`, cause))
    })
    child.once('close', (status, signal) => {
      clearTimeout(timer)
      if (status === 0) return resolve()
      const reason = signal ? `was ended by ${signal}` : `ended with status ${status}`
      reject(browserError(browser, `${reason}${lastLines()}`))
    })
  })
}

/** Returns a function that returns the end of the error output, for the message of a failure. */
function collectErrors({ stderr }: ChildProcess): () => string {
  let text = ''
  stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-300)
  })
  return () => (text.trim() === '' ? '' : `: ${text.trim()}`)
}

function browserError(browser: string, problem: string, cause?: unknown): TtError {
  return new TtError('failure', `No PDF was written: ${browser} ${problem}.`, {
    hint: 'Set CHROME_PATH to another Chromium or Chrome, or write an HTML report and print it in a browser.',
    cause,
  })
}
