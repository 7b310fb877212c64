// Checks the bundled packages for known vulnerabilities, before a release: `npm audit` of a user does not see them.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './bundling.mjs'

const dependencies = JSON.parse(readFileSync(join(root, 'dist/packages.json'), 'utf8'))
const directory = mkdtempSync(join(tmpdir(), 'tt-audit-'))
try {
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, dependencies }))
  run('install', '--package-lock-only', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--silent')
  run('audit')
} finally {
  rmSync(directory, { recursive: true, force: true })
}

/**
 * Runs npm in the directory; the script fails with it.
 *
 * @param {...string} argv
 */
function run(...argv) {
  if (process.exitCode) return
  const { status } = spawnSync('npm', argv, {
    cwd: directory,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  process.exitCode = status ?? 1
}
