import { existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createTestCli } from '../support/test-cli.js'
import { createReportCli } from './report-fixtures.js'

describe('charts', () => {
  test('are printed to a terminal and to a pipe', async () => {
    const cli = await createReportCli()
    for (const shown of [
      await cli.runInTerminal(60, 'report', 'week', '--chart'),
      await cli.run('report', 'week', '--chart'),
    ]) {
      expect(shown).toMatchObject({ status: 0, stderr: '' })
      expect(shown.stdout).toMatch(/^2024-05-07 Tue {2}█+.* 12h 30m$/m)
      expect(shown.stdout).toContain('█ Shop 12h 00m')
    }
    expect((await cli.run('report', 'week', '--chart', 'shares')).stdout).toMatch(/^Shop .* 81%$/m)
    expect((await cli.run('report', 'year', '--chart', 'heat')).stdout).toMatch(/^Tue .*█/m)
    expect((await cli.run('report', '--by', 'week,client', '--chart')).stdout).toContain('Acme')
  })

  test('take a period before or after the option', async () => {
    const cli = await createReportCli()
    const { stdout } = await cli.run('report', '2', 'weeks', '--chart')
    expect(stdout).toContain('█ Shop')
    expect((await cli.run('report', '--chart', '2', 'weeks')).stdout).toBe(stdout)
    expect(await cli.run('report', '--chart', 'shares', '2', 'weeks')).toMatchObject({ status: 0 })
    expect(await cli.run('report', '--chart', 'Shares')).toMatchObject({ status: 0 })
    expect(await cli.run('report', '--chart', 'last', 'weeek')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('"weeek" is not a period'),
    })
    expect(await cli.run('report', '--chart', 'pie', '--since', 'monday')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--chart: "pie"'),
    })
  })

  test('are replaced by a message for a period without time', async () => {
    const cli = await createReportCli()
    for (const kind of ['bars', 'heat', 'shares'])
      expect(await cli.run('report', '--since', '2100', '--chart', kind)).toMatchObject({
        status: 0,
        stdout: 'No time in this period.\n',
      })
  })

  test('are in the HTML report, with the totals and entries of the period', async () => {
    const cli = await createReportCli()
    const options = ['report', '--since', '2024-05-07', '--by', 'client']
    const { stdout: page } = await cli.run(...options, '--html')
    expect(page).toMatch(/^<!doctype html>/)
    expect(page).toContain('From 7 May 2024')
    expect(page).toContain('12h 30m')
    expect(page).not.toContain('<b>first')
    const fullReport = (await cli.run('report', '--html')).stdout
    expect(fullReport).toContain('&lt;b&gt;first&lt;/b&gt; page')
  })

  test('are not written to an unwritable file, which the error names', async () => {
    const cli = await createReportCli()
    expect(await cli.run('report', '-o', 'missing/page.html')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining(`The directory ${join(cli.home, 'missing')} does not exist.`),
    })
  })

  test.each(['.html', '.pdf'])('replace the target of a link as a whole: %s', async (extension) => {
    const cli = await createReportCli()
    const [page, link] = [join(cli.home, 'page'), join(cli.home, `link${extension}`)]
    writeFileSync(page, 'previous', { mode: 0o640 })
    const { ino } = statSync(page)
    symlinkSync('page', link)
    // Prints what the browser would print.
    cli.env.CHROME_PATH = join(cli.home, 'browser')
    writeFileSync(
      cli.env.CHROME_PATH,
      `#!/bin/sh
for one; do case $one in --print-to-pdf=*) printf new > "\${one#--print-to-pdf=}";; esac; done
`,
      { mode: 0o755 },
    )
    expect(await cli.run('report', '-o', `link${extension}`, '--yes')).toMatchObject({ status: 0 })
    expect(readFileSync(page, 'utf8')).toMatch(extension === '.pdf' ? /^new$/ : /^<!doctype html>/)
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(statSync(page).mode & 0o777).toBe(0o640)
    expect(statSync(page).ino).not.toBe(ino)
  })

  test('are not written through a link without target', async () => {
    const cli = await createReportCli()
    symlinkSync('nowhere', join(cli.home, 'link.html'))
    expect(await cli.run('report', '-o', 'link.html')).toMatchObject({ status: 2 })
    expect(existsSync(join(cli.home, 'nowhere'))).toBe(false)
  })
})

test.each([
  ['--chart', 'pie'],
  ['--chart', '--json'],
  ['--chart', '--html'],
  ['--title', 'Hours'],
  ['--entries', 'some', '--html'],
  ['--entries', 'all'],
])('tt report %s %s exits with 2 and a hint', async (...options) => {
  const { status, stdout, stderr } = await createTestCli().run('report', ...options)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(options.includes('--json') ? '"hint"' : '\n')
})
