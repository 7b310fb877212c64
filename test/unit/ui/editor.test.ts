import { existsSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDraft, editFile } from '../../../src/ui/editor.js'

test('only the owner can access a draft and its directory, and remove() deletes both', () => {
  const draft = createDraft('typed')
  onTestFinished(() => draft.remove())
  expect(statSync(draft.path).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(draft.path)).mode & 0o777).toBe(0o700)
  rmSync(draft.path)
  expect(draft.read()).toBe('')
  draft.write('again')
  expect(draft.read()).toBe('again')
  expect(statSync(draft.path).mode & 0o777).toBe(0o600)
  draft.remove()
  expect(existsSync(dirname(draft.path))).toBe(false)
})

test('reports a draft that cannot be created', () => {
  expect(() => createDraft('typed', '/nonesuch')).toThrow(/Cannot create a file to edit in \/nonesuch/)
})

const openEditor = (times: number[], afterwards: Partial<Parameters<typeof editFile>[1]> = {}) => {
  let interrupt = () => {}
  const host = {
    env: { ...process.env, VISUAL: 'true' },
    stdout: {},
    now: () => new Date(times.shift() ?? 0),
    pause: async () => interrupt(),
    leaveInterrupts(notice: () => void) {
      interrupt = notice
      return () => {}
    },
    ...afterwards,
  }
  return editFile('/dev/null', host)
}

test.each([
  [1500, true], // A busy machine takes so long to end an editor.
  [2500, false], // The user has gone on, as in vi, which Ctrl-C does not end.
])('an editor that exits with 0 %i ms after Ctrl-C was ended by it: %s', async (ms, endedAfterInterrupt) => {
  const leaveInterrupts = (notice: () => void) => {
    notice()
    return () => {}
  }
  expect(await openEditor([0, ms], { leaveInterrupts })).toEqual({ endedAfterInterrupt })
})

test('an editor was ended by Ctrl-C that is received a little after its end', async () => {
  expect(await openEditor([10, 10])).toEqual({ endedAfterInterrupt: true })
  const withoutInterrupt = { pause: async () => {} }
  expect(await openEditor([10, 10], withoutInterrupt)).toEqual({ endedAfterInterrupt: false })
})
