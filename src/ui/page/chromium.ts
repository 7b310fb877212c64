import { accessSync, constants, statSync } from 'node:fs'
import { posix, win32 } from 'node:path'
import { TtError } from '../../lib/errors.js'

type Environment = Readonly<Record<string, string | undefined>>

const commands = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'brave-browser',
  'microsoft-edge',
]
const macApplications = ['Google Chrome', 'Chromium', 'Brave Browser', 'Microsoft Edge']
const windowsPrograms = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
]

/**
 * Returns the path of an installed Chromium or Chrome: `CHROME_PATH`, else one in `PATH`, else one in the usual place of
 * the system. Throws TtError `failure` if there is none.
 */
export function findChromium(
  env: Environment,
  platform: string = process.platform,
  isProgram: (path: string) => boolean = isExecutable,
): string {
  const { CHROME_PATH: chosen } = env
  if (chosen) {
    if (isProgram(chosen)) return chosen
    throw new TtError('failure', `No PDF was written: CHROME_PATH is not a program (${chosen}).`, {
      hint: 'Set CHROME_PATH to the path of Chromium or Chrome, or unset it.',
    })
  }
  const found = candidates(env, platform).find(isProgram)
  if (found !== undefined) return found
  throw new TtError('failure', 'No PDF was written: Chromium or Chrome was not found.', {
    hint: 'Install Chromium, set CHROME_PATH to its path, or write an HTML report and print it in a browser.',
  })
}

function candidates(env: Environment, platform: string): string[] {
  if (platform === 'win32') {
    const roots = [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA]
    return roots.flatMap((root) => (root ? windowsPrograms.map((program) => win32.join(root, program)) : []))
  }
  const inPath = (env.PATH ?? '').split(':').filter((directory) => posix.isAbsolute(directory))
  const programs = commands.flatMap((name) => inPath.map((directory) => posix.join(directory, name)))
  if (platform !== 'darwin') return programs
  const applications = macApplications.map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)
  return [...programs, ...applications]
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false // It does not exist, or the user may not start it.
  }
}
