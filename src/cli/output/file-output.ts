import { extname } from 'node:path'
import { TtError } from '../../lib/errors.js'
import { OutputFile } from '../../lib/output-file.js'
import { alternatives } from '../../lib/text/words.js'
import { type FileExtension, fileFormats, selectableFormats } from '../../ui/formats/formats.js'
import { escapeStyledLines } from '../../ui/text.js'
import type { AnyInput, Invocation } from '../command.js'
import type { CommandRun } from '../command-runner.js'
import { Terminal } from '../context/terminal.js'
import { chooseOutputPath } from '../file-paths.js'
import type { Host, TextStream } from '../host.js'
import { Stdout } from './stdout.js'

/** The output of a command with `--output`: a file in the format of its extension, which appears when it is complete. */
export class FileOutput extends Stdout {
  /**
   * The command in the format of the file, which is its standard output. It prompts before it replaces a file, and runs
   * unless the user declines.
   */
  readonly run: CommandRun
  readonly #isPdf: boolean
  #terminal: Terminal | undefined
  #path: string | undefined
  #file: OutputFile | undefined
  /** The page that is printed as PDF. */
  #page: string[] = []

  /** Throws TtError `usage` for an extension that the command does not write, and for another format in the options. */
  constructor(
    invocation: Invocation,
    host: Host,
    { typed, extensions }: { typed: string; extensions: readonly FileExtension[] },
  ) {
    super(host.stdout)
    const { command: declared, input } = invocation
    const { extension, format } = formatOf(typed, extensions, input.options)
    const stdout: TextStream = {
      write: (text, done) => void this.write(text).then(() => done?.(), done),
    }
    this.#isPdf = extension === '.pdf'
    const load = async () => {
      const command = await declared.load()
      const run: typeof command.run = async (ctx, ...input) => {
        this.#path = await chooseOutputPath(ctx, typed)
        return this.#path === undefined ? undefined : command.run(ctx, ...input)
      }
      return { ...command, run }
    }
    this.run = {
      invocation: {
        ...invocation,
        nameOption: (flag) =>
          flag === `--${format}` && !input.options[format]
            ? `-o ${typed}`
            : (invocation.nameOption?.(flag) ?? flag),
        input: { ...input, options: { ...input.options, [format]: true } },
        command: { ...declared, load },
      },
      host: Object.create(host, { stdout: { value: stdout } }) as Host,
      output: this,
      // The format of a file does not silence the messages of the command, as the option --json does.
      createTerminal: (host, options, afterOutput) => {
        this.#terminal = new Terminal(host, { ...options, json: input.options.json ?? false }, afterOutput)
        return this.#terminal
      },
    }
  }

  override async write(text: string): Promise<void> {
    if (this.#path === undefined) return
    if (this.#isPdf) {
      this.#page.push(text)
      return
    }
    this.#file ??= new OutputFile(this.#path)
    this.#file.write(text)
  }

  /** Puts the file in its place. Throws TtError `failure` if that fails. */
  override async endResult(): Promise<void> {
    const path = this.#path
    if (path === undefined) return
    if (this.#isPdf) {
      const { writePdf } = await import('../../ui/page/pdf.js')
      await writePdf(this.#page, path, this.run.host.env)
    } else {
      const file = this.#file ?? new OutputFile(path)
      this.#file = undefined
      file.commit()
    }
    this.#terminal?.message(`Wrote ${await this.#terminal.linkPath(path)}.`, escapeStyledLines)
  }

  /** Removes what was written, unless the file is complete. */
  discard() {
    this.#file?.discard()
  }
}

/** Returns the extension of the file and the option of its format. */
function formatOf(typed: string, extensions: readonly FileExtension[], options: AnyInput['options']) {
  const written = extname(typed).toLowerCase()
  const extension = extensions.find((known) => known === written)
  if (extension === undefined) {
    const possible = alternatives(extensions)
    throw new TtError('usage', `Cannot write ${JSON.stringify(typed)}: the extension must be ${possible}.`)
  }
  const format = fileFormats[extension]
  const other = [...selectableFormats, 'html']
    .filter((name) => options[name] !== undefined && options[name] !== false)
    .find((name) => name !== format || extension === '.pdf')
  if (other !== undefined) {
    throw new TtError('usage', `--${other} and -o ${typed} cannot be used together.`, {
      hint: 'Use one of them.',
    })
  }
  return { extension, format }
}
