import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { bundling } from '../../../src/build/bundling.mjs'
import { createProgram, everyCommand } from '../../../src/program/program.js'

test('showing help does not run a command', async () => {
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
    const path: string[] = []
    for (let one = command; one.parent; one = one.parent) path.unshift(one.name())
    help = ''
    const tree = await createProgram(host, path[0])
    await expect(tree.parseAsync([...path, '--help'], { from: 'user' })).rejects.toMatchObject({
      exitCode: 0,
    })
    expect(help).toContain(`Usage: tt ${path.join(' ')}`)
  }
  expect(loaded).toEqual([])
})

test('the program loads no command module before it runs a command', async () => {
  const { metafile } = await build({
    ...bundling,
    entryPoints: ['src/main.ts'],
    outdir: 'nowhere',
    write: false,
    splitting: true,
    format: 'esm',
    metafile: true,
  })
  const { outputs } = metafile
  const seen = new Set<string>()
  const follow = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    for (const { path, kind } of outputs[file]?.imports ?? []) {
      // Of the lazy imports, help loads only the parts of the command tree.
      const isTree = outputs[path]?.entryPoint?.startsWith('src/program/')
      if (kind === 'import-statement' || isTree) follow(path)
    }
  }
  follow('nowhere/main.js')
  const inputs = [...seen].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}))
  expect(inputs).toEqual(
    expect.arrayContaining([
      'src/main.ts',
      'src/program/declarations/admin.ts',
      'src/program/help/topics.ts',
    ]),
  )
  expect(inputs.filter((path) => path.startsWith('src/commands/'))).toEqual([])
})
