import type {
  McpServer,
  RequestStateCodec,
  ServerContext,
  StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import type { z } from 'zod'
import type { Calls } from './calls.js'
import { compactInput, compactOutput } from './compact-schema.js'
import { CallConfirmation, type ConfirmationCodes, type ConfirmationState } from './confirmation.js'
import { errorResult, outputShape, refusalResult, toolResult } from './content.js'
import * as inputs from './inputs.js'
import { type Caller, runCommand } from './run-command.js'
import { commandInput, type Tool } from './tool.js'
import { entryTools } from './tools/entries.js'
import { expenseTools } from './tools/expenses.js'
import { historyTools } from './tools/history.js'
import { reportTools } from './tools/reports.js'
import { timerTools } from './tools/timer.js'

export interface ToolServing {
  caller: Caller
  calls: Calls
  codec: RequestStateCodec<ConfirmationState>
  codes: ConfirmationCodes
  /** Whether tools that change something are not offered, and refused. */
  isReadOnly: boolean
}

/** Registers all tools with a server. */
export function registerTools(server: McpServer, serving: ToolServing): void {
  for (const tool of tools) {
    const registered = server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: withSmallSchema(inputOf(tool), tool),
        outputSchema: withSmallSchema(outputShape(tool), tool),
        annotations: {
          readOnlyHint: tool.effect === 'read',
          destructiveHint: tool.effect === 'overwrite',
          idempotentHint: tool.isIdempotent,
          openWorldHint: false,
        },
      },
      (input: Record<string, unknown>, request: ServerContext) =>
        call(tool, input, { server, request, ...serving }),
    )
    if (serving.isReadOnly && tool.effect !== 'read') registered.disable()
  }
}

/** Returns a shape that clients see as a smaller JSON Schema. */
function withSmallSchema(
  { '~standard': standard }: z.ZodObject,
  { recordsLike }: Tool,
): StandardSchemaWithJSON<Record<string, unknown>> {
  const { jsonSchema } = standard
  return {
    '~standard': {
      ...standard,
      jsonSchema: {
        input: (options) => compactInput(jsonSchema.input(options)),
        output: (options) => compactOutput(jsonSchema.output(options), recordsLike),
      },
    },
  }
}

function inputOf({ input, isConfirmed, keeps }: Tool): z.ZodObject {
  return inputs.withNulls(
    input.extend({
      ...(isConfirmed ? { confirm: inputs.confirm.optional() } : {}),
      ...(keeps ? { limit: inputs.limit } : {}),
    }),
  )
}

/** Returns the values that are given. */
function given(input: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
}

/** Returns the rows of a list that `limit` allows, and adds a message about the others. */
function limited({ keeps }: Tool, value: unknown, limit: unknown, messages: string[]): unknown {
  if (!keeps || !Array.isArray(value) || typeof limit !== 'number' || value.length <= limit) return value
  messages.push(
    `Truncated: these are the ${keeps} ${limit} of ${value.length}. For others, raise limit, or choose a shorter period or filters.`,
  )
  return keeps === 'first' ? value.slice(0, limit) : value.slice(-limit)
}

async function call(
  tool: Tool,
  { confirm, ...input }: Record<string, unknown>,
  {
    server,
    request,
    caller,
    calls,
    codec,
    codes,
  }: ToolServing & { server: McpServer; request: ServerContext },
) {
  const messages: string[] = []
  const confirmation = new CallConfirmation(request, {
    codec,
    codes,
    code: typeof confirm === 'string' ? confirm : undefined,
    capabilities: server.server.getClientCapabilities(),
  })
  const { signal } = request.mcpReq
  const work = async () => {
    const { limit: _, ...others } = input
    const typed = commandInput(tool, given(tool.keeps ? others : input))
    return runCommand(
      { name: tool.name, command: tool.command, input: typed, nameOption: inputNames(tool) },
      caller,
      messages,
      confirmation,
    )
  }
  try {
    confirmation.rejectDeclined()
    const { value, hasChanges } = await (tool.effect === 'read'
      ? calls.read(signal, work)
      : calls.change(signal, work))
    const listed = limited(tool, value, input.limit, messages)
    return toolResult(tool, { value: listed, hasChanges }, messages)
  } catch (error) {
    const question = await confirmation.questionOf(error)
    if (question) return question
    const refusal = confirmation.refusalOf(error)
    return refusal ? refusalResult(refusal, messages) : errorResult(error, messages)
  }
}

/** Returns the function that names the inputs of a tool: `external_id` for `--external-id`. */
function inputNames({ input }: Tool) {
  return (flag: string) => {
    const key = flag.replace(/^--/, '').replaceAll('-', '_')
    return Object.hasOwn(input.shape, key) ? key : flag
  }
}

/** All tools, in the order in which clients list them. */
export const tools: readonly Tool[] = [
  ...timerTools,
  ...entryTools,
  ...reportTools,
  ...expenseTools,
  ...historyTools,
]
