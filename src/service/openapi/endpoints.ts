import { type HttpResponse, jsonResponse } from '../http/response.js'
import type { OAuthRequestContext } from '../oauth/oauth-request-context.js'
import { createDocument } from './document.js'
import { documentPage } from './page/page.js'

/** GET /openapi.json: the OpenAPI document, with the address of this service. */
export async function showDocument({ issuer }: OAuthRequestContext): Promise<HttpResponse> {
  return jsonResponse(createDocument(issuer))
}

/** GET /docs: the same as a page. */
export async function showPage({ issuer }: OAuthRequestContext): Promise<HttpResponse> {
  return documentPage(createDocument(issuer))
}
