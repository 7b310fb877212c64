// Collects the versions and licences of the packages in dist/, which must be distributed with it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { root } from './bundling.mjs'

/**
 * Returns the packages with code in the bundle, by their directories.
 *
 * @param {import('esbuild').Metafile} metafile
 * @returns {string[]} absolute, sorted
 */
export function bundledPackages({ outputs }) {
  const inputs = Object.values(outputs).flatMap((output) =>
    Object.entries(output.inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => path),
  )
  const directories = inputs.flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [],
  )
  return [...new Set(directories)].sort().map((directory) => resolve(root, directory))
}

/**
 * Returns the versions of the packages by their names.
 *
 * @param {string[]} directories
 * @returns {Record<string, string>}
 */
export function versionsOf(directories) {
  const manifests = directories.map((directory) =>
    JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')),
  )
  return Object.fromEntries(manifests.map(({ name, version }) => [name, version]))
}

/**
 * Returns a text with the name, version, source and licence of each package. Throws Error for a package without a licence
 * text, unless its licence is MIT.
 *
 * @param {string[]} directories
 */
export function licensesOf(directories) {
  const preface = `tt contains code of these packages. Each is under its own licence, printed below.\n`
  return [preface, ...directories.map(licenseOf)].join(`\n${'-'.repeat(80)}\n\n`)
}

/** @param {string} directory */
function licenseOf(directory) {
  const { name, version, license, author, repository, homepage } = JSON.parse(
    readFileSync(join(directory, 'package.json'), 'utf8'),
  )
  const source = repository?.url ?? repository ?? homepage ?? `https://www.npmjs.com/package/${name}`
  const heading = `${name} ${version} (${license})\nSource: ${source}\n`
  const files = readdirSync(directory).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  const texts = files.map((file) =>
    readFileSync(join(directory, file), 'utf8').replaceAll('\r\n', '\n').trim(),
  )
  // The notices of what a package contains in compiled form, where the package itself lacks them.
  const compiled = join(root, 'src/build/licenses', `${name}.txt`)
  if (existsSync(compiled)) texts.push(readFileSync(compiled, 'utf8').trim())
  if (texts.length > 0) return `${heading}\n${texts.join('\n\n')}\n`
  // Some packages name their licence and its owner only.
  if (license !== 'MIT') throw new Error(`${name} has no licence text (${license}).`)
  return `${heading}\nCopyright (c) ${author?.name ?? author ?? `the authors of ${name}`}\n\n${mit()}\n`
}

/** Returns the text of the MIT licence after the copyright line, from our own licence. */
function mit() {
  const text = readFileSync(join(root, 'LICENSE'), 'utf8')
  return text.slice(text.indexOf('Permission is hereby granted')).trim()
}
