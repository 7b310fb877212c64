import type { Context } from '../../cli/context.js'
import type { Input } from '../../cli/input.js'
import type { commands } from '../../program/declarations/admin.js'
import type { OpenApiDocument } from '../../service/openapi/document.js'

/** Returns the OpenAPI document of the service. */
export async function run(
  _: Context,
  { options: { publicUrl } }: Input<typeof commands.admin.commands.openapi>,
): Promise<OpenApiDocument> {
  const { createDocument } = await import('../../service/openapi/document.js')
  return createDocument(publicUrl ?? '')
}
