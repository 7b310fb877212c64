// @module-tag slow

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { missingBrowserReason } from '../support/browser.js'
import type { TestCli } from '../support/test-cli.js'
import { createReportCli } from './report-fixtures.js'

/** Makes a program the browser of the command; `$1` to `$n` are the arguments. */
function useBrowser(cli: TestCli, script: string): string {
  const path = join(cli.home, 'browser')
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  cli.env.CHROME_PATH = path
  return path
}

/** Makes a new directory the value of a variable of the process until the end of the test. */
function useDirectory(cli: TestCli, variable: 'TMPDIR' | 'HOME'): string {
  const directory = join(cli.home, variable)
  mkdirSync(directory)
  vi.stubEnv(variable, directory)
  onTestFinished(() => void vi.unstubAllEnvs())
  return directory
}

test('tt report -o report.pdf writes a PDF and no other file', async ({ skip }) => {
  skip(missingBrowserReason !== undefined, missingBrowserReason)
  const cli = await createReportCli()
  cli.env.CHROME_PATH = '/usr/bin/chromium'
  const [temporary, home] = [useDirectory(cli, 'TMPDIR'), useDirectory(cli, 'HOME')]
  const path = join(cli.home, 'report.pdf')
  expect(await cli.run('report', '-o', 'report.pdf', '--title', 'Hours')).toMatchObject({
    status: 0,
    stdout: '',
    stderr: `Wrote ${path}.\n`,
  })
  const pdf = readFileSync(path, 'latin1')
  expect(pdf).toMatch(/^%PDF-1\.\d[\s\S]*%%EOF\s*$/)
  expect([...readdirSync(temporary), ...readdirSync(home)]).toEqual([])
})

test('the browser gets the page in a file that only the user can read, and no sandbox only as root', async () => {
  const cli = await createReportCli()
  useDirectory(cli, 'TMPDIR')
  useBrowser(
    cli,
    `printf '%s\\n' "$@" > "${cli.home}/arguments"
for last; do :; done
stat -c %a "\${last#file://}" > "${cli.home}/mode"
for one; do case $one in --print-to-pdf=*) cp "\${last#file://}" "\${one#--print-to-pdf=}";; esac; done`,
  )
  await cli.run('report', '-o', 'report.pdf')
  expect(readFileSync(join(cli.home, 'mode'), 'utf8')).toBe('600\n')
  const given = readFileSync(join(cli.home, 'arguments'), 'utf8').split('\n')
  expect(given.includes('--no-sandbox')).toBe(process.getuid?.() === 0)
  expect(given).toContain('--headless')
  const page = readFileSync(join(cli.home, 'report.pdf'), 'utf8')
  expect(page).toMatch(/^<!doctype html>[\s\S]*<\/html>\s*$/)
})

test.each([
  ['fails', 'echo trouble >&2; exit 3', /ended with status 3: trouble/],
  ['is killed', 'kill -9 $$', /was ended by SIGKILL/],
  ['prints nothing', 'exit 0', /wrote no PDF/],
])('when the browser %s, the error names it and the file stays as it was', async (_, script, message) => {
  const cli = await createReportCli()
  const temporary = useDirectory(cli, 'TMPDIR')
  const browser = useBrowser(cli, script)
  writeFileSync(join(cli.home, 'report.pdf'), 'before')
  const { status, stderr } = await cli.run('report', '-o', 'report.pdf', '--yes')
  expect(status).toBe(1)
  expect(stderr).toMatch(message)
  expect(stderr).toContain(browser)
  expect(readFileSync(join(cli.home, 'report.pdf'), 'utf8')).toBe('before')
  expect(readdirSync(temporary)).toEqual([])
})

test('without a browser, the error suggests to install one or to write HTML', async () => {
  const cli = await createReportCli()
  cli.env.PATH = cli.home
  const { status, stderr } = await cli.run('report', '-o', 'report.pdf')
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr:
      'error: No PDF was written: Chromium or Chrome was not found.\n' +
      'Install Chromium, set CHROME_PATH to its path, or write an HTML report and print it in a browser.\n',
  })
  expect(existsSync(join(cli.home, 'report.pdf'))).toBe(false)
})
