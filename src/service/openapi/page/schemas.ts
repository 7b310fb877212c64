import { type Html, html } from '../../../lib/text/html.js'
import type { Schema } from '../operation.js'

/** Returns the section of a named schema. */
export function showSchema(name: string, schema: Schema): Html {
  const { description } = schema
  return html`
<section class="item" id="${name}">
<h3><code>${name}</code></h3>
${typeof description === 'string' ? html`<p>${inline(description)}</p>` : undefined}
${showFields(schema)}
</section>`
}

/** Returns the table of the fields of an object, or its type. */
export function showFields(schema: Schema): Html {
  const parts = Array.isArray(schema.allOf) ? (schema.allOf as Schema[]) : [schema]
  return html`${parts.map((part) => (part.properties ? fieldTable(part) : html`<p>${typeOf(part)}</p>`))}`
}

function fieldTable({ properties, required = [] }: Schema): Html {
  const fields = Object.entries(properties as Record<string, Schema>)
  const rows = fields.map(([name, schema]) => [
    html`<code>${name}</code>${
      (required as string[]).includes(name) ? html` <span class="required">required</span>` : undefined
    }`,
    typeOf(schema),
    inline(String(schema.description ?? '')),
  ])
  return showTable('Fields', ['Field', 'Type', 'Description'], rows)
}

/** Returns the type of a schema in words, with links to named schemas. */
export function typeOf(schema: Schema): Html {
  const { $ref, type, format, items, contentSchema, allOf, anyOf } = schema
  if (typeof $ref === 'string') return schemaLink($ref)
  if (Array.isArray(allOf)) return html`${allOf.filter((part) => '$ref' in part).map(typeOf)}`
  if (Array.isArray(anyOf))
    return html`${anyOf.map((part, index) => html`${index > 0 ? ' or ' : ''}${typeOf(part)}`)}`
  if ('const' in schema) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (Array.isArray(schema.enum)) return codes(schema.enum)
  if (contentSchema) return html`JSON: ${typeOf(contentSchema as Schema)}`
  if (type === 'array') return html`array of ${typeOf((items ?? {}) as Schema)}`
  const name = [type ?? 'any'].flat().join(' or ')
  return html`${name}${typeof format === 'string' ? ` (${format})` : ''}${limitsOf(schema)}`
}

function limitsOf({ minimum, maximum, maxLength, default: initial }: Schema): string {
  const limits = [
    minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : undefined,
    maxLength === undefined ? undefined : `at most ${maxLength} characters`,
    initial === undefined ? undefined : `default ${initial}`,
  ].filter((limit) => limit !== undefined)
  return limits.length === 0 ? '' : `, ${limits.join(', ')}`
}

function codes(values: readonly unknown[]): Html {
  return html`${values.map((value, index) => html`${index > 0 ? ', ' : ''}<code>${String(value)}</code>`)}`
}

function schemaLink($ref: string): Html {
  const name = $ref.split('/').at(-1) ?? ''
  return html`<a href="#${name}">${name}</a>`
}

/**
 * Returns a table, the first cell of each row being its header. On narrow screens the cells of a row are below each other,
 * for which some browsers need the roles.
 *
 * @param label its accessible name
 */
export function showTable(label: string, columns: readonly string[], rows: readonly Html[][]): Html {
  return html`<div class="table"><table role="table" aria-label="${label}">
<thead role="rowgroup"><tr role="row">${columns.map(
    (column) => html`<th role="columnheader" scope="col">${column}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">${rows.map(
    ([header, ...cells]) =>
      html`<tr role="row"><th role="rowheader" scope="row">${header}</th>${cells.map(
        (cell) => html`<td role="cell">${cell}</td>`,
      )}</tr>`,
  )}</tbody>
</table></div>`
}

/** Returns text in which backticks mark code. */
export function inline(text: string): Html {
  const parts = text.split('`')
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`
}

/** Returns the paragraphs of a text, which are separated by empty lines. */
export const paragraphs = (text: string): Html =>
  html`${text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`)}`
