import { scopes } from '../../api-client/types.js'
import type { endpoints } from '../oauth/authorization-server.js'
import { providerCallbackPath, providerPath } from '../oauth/identity-provider/paths.js'
import { apiError, errorPagesOf, errorsOf, oauthErrorsOf, pageContent } from './error-responses.js'
import {
  type Descriptions,
  jsonContent,
  type Operation,
  requestBody,
  type Schema,
  schemaReference,
} from './operation.js'

const text: Schema = { type: 'string' }
const url: Schema = { type: 'string', format: 'uri' }
const form = 'application/x-www-form-urlencoded'

/** The schemas of responses of sign-in, by name. */
export const signInSchemas: Readonly<Record<string, Schema>> = {
  Tokens: {
    type: 'object',
    description: 'Tokens (RFC 6749 section 5.1).',
    properties: {
      access_token: text,
      token_type: { const: 'Bearer' },
      expires_in: { type: 'integer', description: 'Seconds for which the access token is valid.' },
      refresh_token: { type: 'string', description: 'Valid for one request.' },
      scope: { type: 'string', description: 'The scopes of the token, separated by spaces.' },
      user: {
        type: 'object',
        description: 'The user who signed in; only in the response to a code.',
        properties: { name: text, email: text },
        required: ['name', 'email'],
      },
    },
    required: ['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope'],
  },
  ServerMetadata: {
    type: 'object',
    description: 'Authorization server metadata (RFC 8414).',
    properties: {
      issuer: url,
      authorization_endpoint: url,
      token_endpoint: url,
      revocation_endpoint: url,
      scopes_supported: { type: 'array', items: { enum: [...scopes] } },
      authorization_response_iss_parameter_supported: { const: true },
      ...Object.fromEntries(
        [
          'response_types_supported',
          'response_modes_supported',
          'grant_types_supported',
          'code_challenge_methods_supported',
          'token_endpoint_auth_methods_supported',
          'revocation_endpoint_auth_methods_supported',
        ].map((name) => [name, { type: 'array', items: text }]),
      ),
    },
    required: ['issuer', 'authorization_endpoint', 'token_endpoint', 'revocation_endpoint'],
  },
  LegacyKey: {
    type: 'object',
    properties: {
      api_key: { type: 'string', description: 'The key, for the header `Authorization: Bearer KEY`.' },
    },
    required: ['api_key'],
  },
}

function formBody(
  fields: Readonly<Record<string, Schema>>,
  required: readonly string[],
  example: object,
): Schema {
  return requestBody(form, { type: 'object', properties: fields, required }, example)
}

const query = (name: string, description: string, example: string, schema: Schema = text): Schema => ({
  ...{ name, in: 'query', required: true, description, schema, example },
})

const client = {
  client_id: { type: 'string', description: 'Client ID of the application; not with HTTP Basic.' },
  client_secret: { type: 'string', description: 'Client secret, unless the application is public.' },
}

const serverErrors = {
  500: 'The service failed.',
  503: 'The database is unavailable. Send the request again.',
  507: 'The disk of the service is full.',
}
const misdirected = 'The service is not configured for this address.'

/** The errors of every page, of every endpoint of OAuth, and of every other endpoint outside of the API. */
const pageErrors = errorPagesOf({ 421: misdirected, ...serverErrors })
const oauthErrors = oauthErrorsOf({
  413: 'The body is larger than 1 MiB.',
  421: misdirected,
  ...serverErrors,
})
const otherErrors = errorsOf(400, 421, 500, 503, 507)

const providerErrors = {
  ...errorPagesOf({
    404: 'The service has no OpenID Connect provider.',
    502: 'The provider is not available.',
  }),
  default: pageContent('Another error, as a page.'),
  ...pageErrors,
}

const redirect = (description: string) => ({
  description,
  headers: {
    Location: {
      required: true,
      description: 'The next address.',
      schema: { type: 'string', format: 'uri-reference' },
    },
  },
})

const authorizationParameters = [
  query('client_id', 'Client ID of the application.', 'CLIENT_ID'),
  query(
    'redirect_uri',
    'A registered redirect URI; a loopback address may have any port.',
    'http://127.0.0.1:8123/callback',
  ),
  query('response_type', 'Always `code`.', 'code', { const: 'code' }),
  { ...query('scope', 'Scopes, separated by spaces.', scopes.join(' ')), required: false },
  { ...query('state', 'A random text that is returned.', 'af0ifjsldkj'), required: false },
  query(
    'code_challenge',
    'The S256 challenge of a random code verifier (RFC 7636).',
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  ),
  query('code_challenge_method', 'Always `S256`.', 'S256', { const: 'S256' }),
]

const authorizationPage: Operation = {
  operationId: 'authorize',
  tag: 'Sign-in',
  summary: 'show the sign-in or the consent page',
  description:
    'An application opens this address in the browser of the user (RFC 6749 section 4.1.1, with PKCE).',
  parameters: authorizationParameters,
  responses: {
    200: pageContent('The page.'),
    303: redirect('An error, in the parameters of the redirect URI.'),
    ...errorPagesOf({ 400: 'The client ID or the redirect URI is invalid.' }),
    ...pageErrors,
  },
}

const revokeOperation: Operation = {
  operationId: 'revokeToken',
  tag: 'Sign-in',
  summary: 'revoke a token or a legacy key',
  description: 'RFC 7009. A legacy key needs no client credentials.',
  requestBody: formBody(
    { token: { type: 'string', description: 'The token to revoke.' }, token_type_hint: text, ...client },
    [],
    { token: 'REFRESH_TOKEN', client_id: 'CLIENT_ID', client_secret: 'CLIENT_SECRET' },
  ),
  responses: {
    200: jsonContent('The token is revoked, or unknown.', { type: 'object' }),
    ...oauthErrorsOf({ 400: 'The request is invalid.', 401: 'The client credentials are wrong.' }),
    ...oauthErrors,
  },
}

const tokenOperation: Operation = {
  operationId: 'grantTokens',
  tag: 'Sign-in',
  summary: 'exchange a code or a refresh token for tokens',
  description:
    'An access token lasts 2 hours. A refresh token is valid once: using it twice revokes all tokens of the sign-in.',
  requestBody: formBody(
    {
      grant_type: { enum: ['authorization_code', 'refresh_token'] },
      code: { type: 'string', description: 'The authorization code.' },
      redirect_uri: { type: 'string', description: 'As in the authorization request.' },
      code_verifier: { type: 'string', description: 'The verifier of the challenge.' },
      refresh_token: { type: 'string', description: 'Instead of the code.' },
      scope: { type: 'string', description: 'Fewer scopes, with a refresh token.' },
      ...client,
    },
    ['grant_type'],
    {
      grant_type: 'refresh_token',
      refresh_token: 'REFRESH_TOKEN',
      client_id: 'CLIENT_ID',
      client_secret: 'CLIENT_SECRET',
    },
  ),
  responses: {
    200: jsonContent('The tokens.', schemaReference('Tokens')),
    ...oauthErrorsOf({
      400: 'The request or the grant is invalid.',
      401: 'The client credentials are wrong.',
    }),
    ...oauthErrors,
  },
}

const keyOperation: Operation = {
  operationId: 'issueLegacyKey',
  tag: 'Sign-in',
  summary: 'issue a legacy API key',
  description: 'The key grants full access and does not expire, unless the company limits its age.',
  requestBody: formBody(
    {
      email: { type: 'string', description: 'Email address of the user.' },
      password: { type: 'string', description: 'Password of the user.' },
      application: { type: 'string', description: 'A name for the application.' },
    },
    ['email', 'password', 'application'],
    { email: 'ada@example.org', password: 'PASSWORD', application: 'my-script' },
  ),
  responses: {
    200: jsonContent('The key.', schemaReference('LegacyKey')),
    401: apiError('The email address or the password is wrong.', ['invalid_credentials']),
    404: apiError('The company issues no legacy keys.', ['legacy_keys_disabled']),
    ...errorsOf(413, 415, 422, 429),
    ...otherErrors,
  },
}

const page = (operationId: string, summary: string): Operation => ({
  ...{ operationId, tag: 'Operation', summary },
  responses: { 200: pageContent('The page.'), ...errorsOf(400), ...pageErrors },
})

type Endpoints<Table> = {
  readonly [Path in keyof Table]: Table[Path] extends { methods: infer Methods } ? Methods : never
}

export const signInOperations: Descriptions<Endpoints<typeof endpoints>> = {
  '/': { GET: page('showStartPage', 'show how to install and sign in') },
  '/oauth/authorize': {
    GET: authorizationPage,
    POST: {
      ...authorizationPage,
      operationId: 'submitAuthorization',
      summary: 'submit the sign-in or the consent page',
      description: 'Only for the forms of these pages: each has a token of its own.',
      requestBody: formBody(
        {
          action: { enum: ['sign-in', 'switch', 'allow', 'deny'] },
          form_token: { type: 'string', description: 'The token of the page.' },
          email: text,
          password: text,
        },
        ['action', 'form_token'],
        { action: 'allow', form_token: 'FORM_TOKEN' },
      ),
      responses: {
        ...authorizationPage.responses,
        303: redirect('The code or an error, in the parameters of the redirect URI, or the next page.'),
        ...errorPagesOf({
          403: 'The page has expired.',
          413: 'The body is larger than 1 MiB.',
          415: 'The body is no form.',
          429: 'Too many failed attempts to sign in.',
        }),
      },
    },
  },
  [providerPath]: {
    GET: {
      operationId: 'startProviderSignIn',
      tag: 'Sign-in',
      summary: 'continue at the OpenID Connect provider',
      description: 'The link of the sign-in page, with the parameters of the authorization request.',
      parameters: authorizationParameters,
      responses: {
        303: redirect('The authorization request to the provider.'),
        ...errorPagesOf({ 414: 'The authorization request is too long.' }),
        ...providerErrors,
      },
    },
  },
  [providerCallbackPath]: {
    GET: {
      operationId: 'finishProviderSignIn',
      tag: 'Sign-in',
      summary: 'return from the OpenID Connect provider',
      description: 'The provider redirects the browser to this address.',
      parameters: [
        { ...query('state', 'The state of the request to the provider.', 'af0ifjsldkj'), required: false },
        { ...query('code', 'The code of the provider.', 'SplxlOBeZQQYbYS6WxSbIA'), required: false },
        { ...query('error', 'The error of the provider.', 'access_denied'), required: false },
      ],
      responses: {
        303: redirect('The authorization request of the application.'),
        ...errorPagesOf({ 403: 'The sign-in has expired, or the provider or the service refuses it.' }),
        ...providerErrors,
      },
    },
  },
  '/oauth/token': { POST: tokenOperation },
  '/oauth/revoke': { POST: revokeOperation },
  '/.well-known/oauth-authorization-server': {
    GET: {
      operationId: 'showServerMetadata',
      tag: 'Sign-in',
      summary: 'show the metadata of the authorization server',
      responses: { 200: jsonContent('The metadata.', schemaReference('ServerMetadata')), ...otherErrors },
    },
  },
  '/api/v1/authenticate': { POST: keyOperation },
  '/openapi.json': {
    GET: {
      operationId: 'showApiDescription',
      tag: 'Operation',
      summary: 'show this description of the API',
      responses: {
        200: jsonContent('An OpenAPI document.', {
          type: 'object',
          properties: { openapi: { type: 'string', pattern: '^3\\.1\\.' } },
          required: ['openapi'],
        }),
        ...otherErrors,
      },
    },
  },
  '/docs': { GET: page('showApiPage', 'show the description of the API as a page') },
}
