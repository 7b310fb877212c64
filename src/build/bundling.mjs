// How the program is bundled, whatever the entry: esbuild's options.
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** @satisfies {import('esbuild').CommonOptions} */
export const output = {
  platform: /** @type {const} */ ('node'),
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
}

/** @type {import('esbuild').BuildOptions} */
export const bundling = {
  ...output,
  absWorkingDir: root,
  bundle: true,
  legalComments: 'none',
  logLevel: 'warning',
  alias: {
    ofetch: './node_modules/ofetch/dist/index.mjs',
    '@neon-rs/load': './src/build/native-target.cjs',
    'detect-libc': './src/build/native-target.cjs',
    'node:child_process': './src/build/child-process.mjs',
  },
  external: ['pg-native', 'keytar'],
  // The second has libsql load its native part with the stand-in of @neon-rs/load.
  define: { 'import.meta.url': '__url', 'process.env.LIBSQL_JS_DEV': 'true' },
}

/** What a CommonJS file needs before it where the code asks for its own address. */
export const ownAddress = "const __url=require('node:url').pathToFileURL(__filename).href;"
