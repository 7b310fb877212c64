import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { findChromium } from '../../../../src/ui/page/chromium.js'
import { temporaryDirectory } from '../../../support/process.js'

const notFound = /Chromium or Chrome was not found/

describe('the browser for PDF', () => {
  it('is the program in CHROME_PATH', () => {
    const only = (path: string) => path === '/opt/chrome/chrome'
    expect(findChromium({ CHROME_PATH: '/opt/chrome/chrome', PATH: '/usr/bin' }, 'linux', only)).toBe(
      '/opt/chrome/chrome',
    )
    expect(() => findChromium({ CHROME_PATH: '/missing', PATH: '/usr/bin' }, 'linux', () => false)).toThrow(
      /CHROME_PATH is not a program \(\/missing\)/,
    )
  })

  test.each([
    ['linux', { PATH: '/bin:/usr/bin' }, '/usr/bin/google-chrome'],
    ['darwin', { PATH: '/usr/bin' }, '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
    ['win32', { PROGRAMFILES: 'C:\\Programs' }, 'C:\\Programs\\Google\\Chrome\\Application\\chrome.exe'],
    ['win32', { LOCALAPPDATA: 'C:\\Local' }, 'C:\\Local\\Microsoft\\Edge\\Application\\msedge.exe'],
  ])('on %s with %j is %s', (platform, env, path) => {
    expect(findChromium(env, platform, (one) => one === path)).toBe(path)
  })

  it('never comes from a relative directory in PATH', () => {
    expect(() => findChromium({ PATH: '.::bin' }, 'linux', () => true)).toThrow(notFound)
  })

  it('is an executable file', () => {
    const directory = temporaryDirectory()
    mkdirSync(join(directory, 'chromium'))
    writeFileSync(join(directory, 'google-chrome'), '')
    expect(() => findChromium({ PATH: directory }, 'linux')).toThrow(notFound)
    chmodSync(join(directory, 'google-chrome'), 0o755)
    expect(findChromium({ PATH: directory }, 'linux')).toBe(join(directory, 'google-chrome'))
  })
})
