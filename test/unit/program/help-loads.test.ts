import { expect, test } from 'vitest'
import { createProgram, everyCommand } from '../../../src/program/program.js'

test('showing help does not run a command', { tags: 'slow' }, async () => {
  const loaded: string[] = []
  let help = ''
  const host = {
    invoke: async () => void loaded.push(help),
    writeOut: (text: string) => {
      help += text
    },
    writeErr: () => {},
  }
  for (const command of everyCommand(await createProgram(host))) {
    const path = command.path.split(' ').slice(1)
    help = ''
    const tree = await createProgram(host, path[0])
    await expect(tree.parseAsync([...path, '--help'], { from: 'user' })).rejects.toMatchObject({
      exitCode: 0,
    })
    expect(help).toContain(`Usage: ${command.path}`)
  }
  expect(loaded).toEqual([])
})
