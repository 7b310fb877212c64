import { readFileSync, statSync } from 'node:fs'
import { errorMessage, TtError } from '../../lib/errors.js'

/** Upper bound for the size of a logo in bytes: each invoice contains it. */
const maxBytes = 512 * 1024

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** What an SVG image must not have: scripts, and files from elsewhere. Browsers run and load none in an image, either. */
const activeContent =
  /<script|<foreignObject|\son\w+\s*=|javascript:|<!ENTITY|href\s*=\s*["']\s*(?!#|data:image\/)/i

/** Returns a PNG or SVG file as a data URL. Throws TtError `usage` for any other file, and for an SVG with scripts. */
export function readLogo(path: string): string {
  const bytes = readImage(path)
  if (bytes.subarray(0, pngSignature.length).equals(pngSignature)) return dataUrl('image/png', bytes)
  const text = bytes.toString('utf8')
  if (!/<svg[\s>]/i.test(text)) throw logoError(path, 'is not a PNG or SVG image')
  if (activeContent.test(text)) throw logoError(path, 'has scripts or refers to other files')
  return dataUrl('image/svg+xml', bytes)
}

function readImage(path: string): Buffer {
  try {
    const stats = statSync(path)
    if (!stats.isFile()) throw logoError(path, 'is not a regular file')
    if (stats.size > maxBytes) throw logoError(path, `is larger than ${maxBytes / 1024} KiB`)
    return readFileSync(path)
  } catch (cause) {
    if (cause instanceof TtError) throw cause
    throw logoError(path, `cannot be read: ${errorMessage(cause)}`)
  }
}

function dataUrl(type: string, bytes: Buffer): string {
  return `data:${type};base64,${bytes.toString('base64')}`
}

function logoError(path: string, problem: string): TtError {
  return new TtError('usage', `The logo ${path} ${problem}.`, {
    hint: 'Choose another PNG or SVG file with the setting invoice.logo, or unset it.',
  })
}
