// The options of esbuild for every bundle of the program.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

const manifest = join(root, 'package.json')

/**
 * Leaves only the version of package.json in a bundle (src/lib/version.ts).
 *
 * @type {import('esbuild').Plugin}
 */
const versionOnly = {
  name: 'version-only',
  setup({ onLoad }) {
    onLoad({ filter: /package\.json$/ }, ({ path }) => {
      if (path !== manifest) return undefined
      const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
      return { contents: JSON.stringify({ version }), loader: 'json' }
    })
  },
}

/** @type {import('esbuild').BuildOptions} */
export const bundling = {
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  absWorkingDir: root,
  bundle: true,
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [versionOnly],
  alias: {
    ofetch: './node_modules/ofetch/dist/index.mjs',
    '@neon-rs/load': './src/build/native-target.cjs',
    'detect-libc': './src/build/native-target.cjs',
    'node:child_process': './src/build/child-process.cjs',
  },
  external: ['pg-native', 'keytar'],
  // The second makes libsql load its native part with our replacement of @neon-rs/load.
  define: { 'import.meta.url': '__url', 'process.env.LIBSQL_JS_DEV': 'true' },
}

/** The code that a CommonJS file needs at its start if it uses `import.meta.url`. */
export const ownAddress = "const __url=require('node:url').pathToFileURL(__filename).href;"
