// The options of esbuild for every bundle of the program.
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

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
