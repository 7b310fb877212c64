import type { Client } from '@modelcontextprotocol/client'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import { callConfirmed, callTool } from './mcp-client.js'

/**
 * A valid call of each tool, in an order in which each succeeds, and an invalid one. Entries 1 and 2 are of
 * the task Acme/Website/Design in one morning.
 */
export const toolCalls: Record<string, { valid: Record<string, unknown>; invalid: Record<string, unknown> }> =
  {
    timer_status: { valid: {}, invalid: { cached: true } },
    timer_start: {
      valid: { task: 'design', at: '-15m', notes: 'now' },
      invalid: { task: 'design', at: '25:00' },
    },
    timer_stop: { valid: { at: '-5m', notes: 'done' }, invalid: { at: 5 } },
    timer_continue: { valid: { entry: '@1', at: '-4m' }, invalid: { entry: 999 } },
    timer_cancel: { valid: {}, invalid: { at: '-1m' } },
    entries_list: { valid: { period: 'today', project: ['web'], limit: 10 }, invalid: { period: 'someday' } },
    entry_add: {
      valid: { task: 'Acme/Website/Review', from: '10:00', for: '45m', external_id: 'a', create: true },
      invalid: { task: 'design', from: '10:00' },
    },
    entry_edit: { valid: { entries: ['1'], notes: 'changed', for: '50m' }, invalid: { entries: ['1'] } },
    entry_split: { valid: { entry: '1', at: ['8:20'] }, invalid: { entry: '1', at: ['11:00'] } },
    entry_fill: { valid: { entry: '2', before: true }, invalid: { entry: '999' } },
    report: {
      valid: { by: ['client', 'day'], round: '15m', billable: true },
      invalid: { by: ['month', 'moon'] },
    },
    gaps: { valid: { since: 'yesterday' }, invalid: { period: 'today', since: 'today' } },
    tasks_find: { valid: { text: 'rev' }, invalid: { limit: 0 } },
    expense_add: { valid: { amount: '12.50', on: 'yesterday', notes: 'train' }, invalid: { amount: 'much' } },
    expenses_list: { valid: { period: 'week' }, invalid: { limit: 1001 } },
    entries_join: { valid: { entries: ['1', '2'] }, invalid: { entries: ['1'] } },
    entry_delete: { valid: { entries: ['@1'] }, invalid: { entries: ['999'] } },
    undo: { valid: {}, invalid: { count: 2 } },
    redo: { valid: {}, invalid: { count: 2 } },
    sync_status: { valid: {}, invalid: { id: 1 } },
  }

/** Whether the valid call of the tool needs a confirmation. */
const isConfirmed = (name: string) =>
  ['timer_cancel', 'entry_add', 'entries_join', 'entry_delete', 'redo'].includes(name)

/** Calls every tool with invalid and with valid input, and validates the output with the schema of the tool. */
export async function checkTools(client: Client): Promise<void> {
  const { tools } = await client.listTools()
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
  addFormats.default(ajv)
  for (const [name, { valid, invalid }] of Object.entries(toolCalls)) {
    const tool = tools.find((tool) => tool.name === name)
    const rejected = await client.callTool({ name, arguments: invalid })
    expect({ name, ...rejected }).toMatchObject({ name, isError: true })
    const content = await (isConfirmed(name) ? callConfirmed : callTool)(client, name, valid)
    const validate = ajv.compile(schemaOf(tool?.outputSchema))
    validate(content)
    expect({ name, errors: validate.errors }).toEqual({ name, errors: null })
    const isRead = tool?.annotations?.readOnlyHint
    expect({ name, undo: typeof content.undo }).toEqual({ name, undo: isRead ? 'undefined' : 'string' })
  }
}

/** Returns the schema. Throws Error if the tool has none. */
export function schemaOf(schema: object | undefined): object {
  if (!schema) throw new Error('The tool has no output schema.')
  return schema
}
