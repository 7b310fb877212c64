import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root, temporaryDirectory } from './process.js'
import { SharedResults } from './shared-results.js'

/**
 * Bundles a module that uses functions of `src` into a file that Node can run in a separate process, as any user.
 * The file is removed with the test. Imports are relative to the root of the repository.
 *
 * @returns the path of the file
 */
export async function bundleScript(source: string): Promise<string> {
  const directory = temporaryDirectory()
  chmodSync(directory, 0o755)
  const file = join(directory, 'script.mjs')
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
  writeFileSync(file, await bundles.get(source, () => bundle(source)))
  return file
}

/** The bundles of this worker: several tests run the same script. */
const bundles = new SharedResults<string>()

async function bundle(source: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    external: ['keytar', 'libsql'],
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url)",
    },
  })
  return outputFiles[0]?.text ?? ''
}
