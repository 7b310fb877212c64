import type { z } from 'zod'
import type { AnyInput, Invocation } from '../cli/command.js'

/**
 * What a tool does: `read` changes nothing, `add` adds or ends records and overwrites none, `overwrite` can overwrite or
 * delete. Clients ask the user by this.
 */
type Effect = 'read' | 'add' | 'overwrite'

/** A tool of the Model Context Protocol: a command with named inputs and one JSON object as output. */
export interface Tool {
  name: string
  title: string
  /** What it does and when to use it, for a model. */
  description: string
  effect: Effect
  /** Whether a second call with the same input changes nothing further. */
  isIdempotent: boolean
  input: z.ZodObject
  /** The shape of the output of the command. */
  output: z.ZodType
  /** The tool whose list describes the records of the output. */
  recordsLike?: string
  /** The key of the output in the structured content. */
  outputKey: string
  /** Whether it may need the user to confirm, so that it takes `confirm`. */
  isConfirmed: boolean
  /** Which rows a list keeps that is longer than the input `limit`, which it takes. */
  keeps?: 'first' | 'last'
  command: Invocation['command']
  /** Returns a valid input by the names of the arguments and options of the command, where they differ. */
  toOptions?(input: Record<string, unknown>): Record<string, unknown>
}

interface ToolDeclaration<Input extends z.ZodObject>
  extends Omit<Tool, 'input' | 'isConfirmed' | 'isIdempotent' | 'toOptions'> {
  input: Input
  isConfirmed?: true
  isIdempotent?: true
  toOptions?: { convert(input: z.output<Input>): Record<string, unknown> }['convert']
}

/** Declares a tool. */
export function defineTool<Input extends z.ZodObject>(declaration: ToolDeclaration<Input>): Tool {
  const { isConfirmed = false, effect, isIdempotent = effect === 'read' } = declaration
  return { ...declaration, isConfirmed, isIdempotent } as Tool
}

/** Returns the arguments and options of the command for a valid input: `external_id` is `--external-id`. */
export function commandInput({ command, toOptions }: Tool, input: Record<string, unknown>): AnyInput {
  const terms = Object.keys(command.args ?? {})
  const lists = terms.flatMap((term) => /[<[](.*)\.{3}/.exec(term)?.[1] ?? [])
  const args: AnyInput['args'] = Object.fromEntries(lists.map((name) => [name, []]))
  const options: AnyInput['options'] = {}
  for (const [key, value] of Object.entries(toOptions ? toOptions(input) : input)) {
    const name = key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    if (lists.includes(name)) args[name] = [value].flat()
    else if (terms.some((term) => term.slice(1, -1) === name)) args[name] = value
    else options[name] = value
  }
  return { args, options }
}
