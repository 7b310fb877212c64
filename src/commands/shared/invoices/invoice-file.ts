import { extname } from 'node:path'
import type { Context } from '../../../cli/context.js'
import { chooseOutputPath } from '../../../cli/file-paths.js'
import { errorMessage, TtError } from '../../../lib/errors.js'
import { writeOutputFile } from '../../../lib/output-file.js'
import { quoteInvoiceNumber } from '../../../lib/text/shell-quoting.js'
import { alternatives } from '../../../lib/text/words.js'
import type { InvoiceBody, InvoiceDocument } from '../../../records/shapes/invoices.js'
import { findChromium } from '../../../ui/page/chromium.js'
import { invoicePage } from '../../../ui/page/invoice/invoice-page.js'
import { escapeStyledLines } from '../../../ui/text.js'

const extensions = ['.pdf', '.html', '.json'] as const
type Extension = (typeof extensions)[number]

/** Returns the extension of `--output`; undefined without one. Throws TtError `usage`. */
export function extensionOf(output: string | undefined): Extension | undefined {
  if (output === undefined) return undefined
  const extension = extensions.find((known) => known === extname(output).toLowerCase())
  if (extension) return extension
  throw new TtError(
    'usage',
    `Cannot write ${JSON.stringify(output)}: the extension must be ${alternatives(extensions)}.`,
  )
}

/** A rendered document that can be written to a file. */
export interface RenderedInvoice {
  content: () => AsyncIterable<string | Uint8Array>
  extension: Extension
}

/**
 * Renders the document of an invoice, and runs `use` with it. Without an extension, it is a PDF, or HTML with a hint where no
 * Chromium is found. Throws TtError `failure` if it cannot be printed.
 */
export async function renderInvoice<Result>(
  ctx: Context,
  invoice: InvoiceBody,
  extension: Extension | undefined,
  use: (rendered: RenderedInvoice) => Promise<Result>,
): Promise<Result> {
  const { entries: _, ...document } = invoice
  if (extension === '.json') {
    return use({ extension, content: () => chunksOf(`${JSON.stringify(document, null, 2)}\n`) })
  }
  const page = invoicePage(document satisfies InvoiceDocument, { isDraft: invoice.number === null })
  if (extension === '.html' || (extension === undefined && !hasChromium(ctx))) {
    if (extension === undefined) {
      ctx.terminal.warn(
        'Chromium or Chrome was not found: the document is HTML. Print it in a browser, or install Chromium for PDF files.',
      )
    }
    return use({ extension: '.html', content: () => chunksOf(page) })
  }
  const { printPdf } = await import('../../../ui/page/pdf.js')
  const progress = ctx.terminal.withProgress(() => 'Printing …')
  return printPdf([page], ctx.host.env, (pdf) => {
    progress.end()
    return use({ extension: '.pdf', content: () => pdf })
  }).finally(() => progress.end())
}

function hasChromium({ host }: Context): boolean {
  try {
    findChromium(host.env)
    return true
  } catch (error) {
    // An invalid CHROME_PATH is an error.
    if (!(error instanceof TtError) || host.env.CHROME_PATH) throw error
    return false
  }
}

async function* chunksOf(text: string): AsyncGenerator<string> {
  yield text
}

/** Returns the path of the file as typed, or `NUMBER CLIENT.pdf` in the working directory; undefined if the user declines. */
export async function chooseInvoicePath(
  ctx: Context,
  output: string | undefined,
  { number, client }: Pick<InvoiceBody, 'number' | 'client'>,
  extension: Extension,
): Promise<string | undefined> {
  const name = `${number ?? 'draft'} ${client}`.replace(/[\p{Cc}\p{Cf}/\\:*?"<>|]/gu, '-').slice(0, 120)
  return chooseOutputPath(ctx, output ?? `${name.replace(/^[.-]+/, '').trim()}${extension}`)
}

/** Writes the file, and prints its path. The error for a file that cannot be written names the recorded invoice. */
export async function writeInvoice(
  ctx: Context,
  { content }: RenderedInvoice,
  path: string,
  number: string | null,
): Promise<void> {
  try {
    await writeOutputFile(path, content())
  } catch (error) {
    if (number === null || !(error instanceof TtError)) throw error
    throw new TtError(
      'failure',
      `Invoice ${number} is recorded, but its file was not written. ${errorMessage(error)}`,
      {
        hint: `To write it, run: tt invoice open ${quoteInvoiceNumber(number)} -o FILE.pdf`,
        cause: error,
      },
    )
  }
  ctx.terminal.message(`Wrote ${await ctx.terminal.linkPath(path)}.`, escapeStyledLines)
}
