import { expect, test } from 'vitest'
import type { SignInInstructions } from '../../../../../src/api-client/auth/oauth/authorization-flow.js'
import { createSignInDialog } from '../../../../../src/commands/shared/prompts/sign-in-dialog.js'
import { TtError } from '../../../../../src/lib/errors.js'

const instructions: SignInInstructions = {
  url: 'https://example.com/oauth/authorize?client_id=tt-client',
  redirectUri: 'http://127.0.0.1:4711/callback',
  registeredRedirectUri: 'http://127.0.0.1/callback',
  hasCallbackServer: true,
  clientId: 'tt-client',
  scope: 'service:read service:write',
  timeoutMs: 60_000,
}

/** Creates a dialog; the output grows with each text that it prints. */
function openDialog(prompts?: Parameters<typeof createSignInDialog>[0]['prompts']) {
  const output: string[] = []
  const print = (text: string) => void output.push(text)
  return { output, dialog: createSignInDialog({ print, prompts, openBrowser: undefined }) }
}

const pastingPrompts = { text: async () => 'pasted' }

function printedFor(changes: Partial<SignInInstructions>, prompts?: typeof pastingPrompts): string {
  const { output, dialog } = openDialog(prompts)
  dialog.showInstructions({ ...instructions, ...changes })
  return output.join('\n')
}

test('prints the address on a line of its own, before the checks', () => {
  const { output, dialog } = openDialog()
  dialog.showInstructions(instructions)
  expect(output).toHaveLength(2)
  expect(output[0]).toBe(`Open this address in a browser to sign in:\n\n  ${instructions.url}\n`)
})

test('the waiting message lists what to check if the browser shows an error', () => {
  const text = printedFor({})
  expect(text).toContain(`return to ${instructions.redirectUri}\n(at most 1 minute; press Ctrl-C to cancel)`)
  expect(text).toMatch(/shows an error and does not return/)
  expect(text).toMatch(/client ID +tt-client/)
  expect(text).toMatch(/redirect URI +http:\/\/127\.0\.0\.1\/callback \(with any port\)/)
  expect(text).toMatch(/scopes +service:read service:write/)
  expect(text).not.toContain('paste')
})

test('the waiting message repeats a redirect URI with a fixed port as it is registered', () => {
  const text = printedFor({ registeredRedirectUri: instructions.redirectUri, timeoutMs: 5 * 60_000 })
  expect(text).toMatch(/redirect URI +http:\/\/127\.0\.0\.1:4711\/callback\n/)
  expect(text).toContain('(at most 5 minutes;')
})

test('explains what to paste if there is a prompt, and announces no return without a callback server', () => {
  expect(printedFor({}, pastingPrompts)).toMatch(/copy the\nfull address of that page/)
  const redirectUri = 'https://example.com/cb'
  const changes = { redirectUri, registeredRedirectUri: redirectUri, hasCallbackServer: false }
  const text = printedFor(changes, pastingPrompts)
  expect(text).not.toContain('Waiting for the browser to return')
  expect(text).toContain(`The browser ends at ${redirectUri}\n`)
})

test('prints why the browser cannot be opened, and why a response or a pasted text is not used', () => {
  const { output, dialog } = openDialog(pastingPrompts)
  dialog.showBrowserError(new TtError('failure', 'No browser could be opened (none).'))
  dialog.showUnexpectedResponse('It has no state.')
  dialog.showPasteProblem('It has no state.')
  expect(output).toEqual([
    'No browser could be opened (none). Open the address above yourself.',
    'The browser sent a response that is not used. It has no state. Still waiting for this sign-in.',
    'That is not the response to this sign-in. It has no state.\nCopy the full address of the page at which the browser ends.',
  ])
})

test('prompts for the pasted address only if it can prompt', async () => {
  const { signal } = new AbortController()
  expect(openDialog().dialog.promptForUrl).toBeUndefined()
  expect(await openDialog(pastingPrompts).dialog.promptForUrl?.(signal)).toBe('pasted')
})

test('names the command of the next step after the hint', () => {
  const error = new TtError('rejected', 'No.', { hint: 'Try again.', nextStep: { action: 'sign_in' } })
  expect(openDialog().dialog.hintText(error)).toBe('Try again. Run `tt login` to sign in.')
})
