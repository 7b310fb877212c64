import type { z } from 'zod'
import type { AnyInput, CommandModule } from '../commands/shared/command.js'

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
  load(): Promise<CommandModule<AnyInput>>
  /** Returns arguments and options of the command for a valid input. */
  toCommandInput(input: Record<string, unknown>): AnyInput
}

interface ToolDeclaration<Input extends z.ZodObject>
  extends Omit<Tool, 'input' | 'isConfirmed' | 'isIdempotent' | 'toCommandInput'> {
  input: Input
  isConfirmed?: true
  isIdempotent?: true
  toCommandInput(input: z.output<Input>): AnyInput
}

/** Declares a tool. */
export function defineTool<Input extends z.ZodObject>(declaration: ToolDeclaration<Input>): Tool {
  const { input, isConfirmed = false, toCommandInput } = declaration
  return {
    ...declaration,
    isConfirmed,
    isIdempotent: declaration.isIdempotent ?? declaration.effect === 'read',
    // The server calls it with a parsed input only.
    toCommandInput: (parsed) => toCommandInput(parsed as z.output<typeof input>),
  }
}
