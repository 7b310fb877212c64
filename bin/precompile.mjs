// Run by `npm run build`: runs the commands that people use most, in a home of its own, and keeps the functions that
// V8 has compiled meanwhile beside the program. See `load` in tt.js.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'

const day = [
  ['start', 'Website/Design', '--notes', 'first page'],
  ['status'],
  ['status', '--cached'],
  ['stop'],
  ['add', 'Website/Review', '--from', '-2h', '--for', '1h30m'],
  ['edit', '@1', '--notes', 'second page'],
  ['log', '--week'],
  ['log', '--json'],
  ['links'],
  ['start', 'nonesuch'],
  ['help', 'start'],
]

const file = fileURLToPath(new URL('../dist/tt.cjs', import.meta.url))
const script = new Script(module.wrap(readFileSync(file, 'latin1')), { filename: file })
const program = { exports: {} }
script.runInThisContext()(program.exports, module.createRequire(import.meta.url), program, file, '')

const home = mkdtempSync(join(tmpdir(), 'tt-precompile-'))
try {
  for (const argv of day) await program.exports.main(argv, world())
} finally {
  rmSync(home, { recursive: true, force: true })
}
writeFileSync(`${file}.compiled`, script.createCachedData())

function world() {
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })
  return {
    stdin: process.stdin,
    stdout: nowhere(),
    stderr: nowhere(),
    env: { TT_HOME: home },
    now: () => new Date(),
    onInterrupt() {},
    untilStopped: () => new Promise(() => {}),
  }
}
