import type { SignInDialog, SignInInstructions } from '../../../api-client/auth/oauth/authorization-flow.js'
import { hintText } from '../../../cli/next-step-text.js'
import { errorMessage } from '../../../lib/errors.js'
import { countText } from '../../../lib/text/words.js'
import { minuteMs } from '../../../lib/time-units.js'
import type { Prompts } from '../../../ui/prompts.js'

export interface SignInDialogOptions {
  /** Prints to the terminal, even with --quiet: the user needs the address to sign in. */
  print(text: string): void
  /** undefined when tt cannot prompt. */
  prompts: Pick<Prompts, 'text'> | undefined
  /** undefined when the user opens the address. */
  openBrowser: ((url: string) => Promise<void>) | undefined
}

/** Returns the dialog of a sign-in with the browser, in a terminal. */
export function createSignInDialog({ print, prompts, openBrowser }: SignInDialogOptions): SignInDialog {
  return {
    showInstructions(instructions) {
      print(`Open this address in a browser to sign in:\n\n  ${instructions.url}\n`)
      print(checksText(instructions, prompts !== undefined))
    },
    openBrowser,
    showBrowserError: (error) => print(`${errorMessage(error)} Open the address above yourself.`),
    promptForUrl: prompts && ((signal) => prompts.text('Redirected URL:', { signal })),
    showUnexpectedResponse: (problem) =>
      print(`The browser sent a response that is not used. ${problem} Still waiting for this sign-in.`),
    showPasteProblem: (problem) =>
      print(
        `That is not the response to this sign-in. ${problem}\nCopy the full address of the page at which the browser ends.`,
      ),
    hintText,
  }
}

/** Returns what to check while waiting: the service may show an error in the browser without a redirect. */
function checksText(instructions: SignInInstructions, canPaste: boolean): string {
  const { redirectUri, registeredRedirectUri, hasCallbackServer, clientId, scope, timeoutMs } = instructions
  const registered =
    registeredRedirectUri === redirectUri ? redirectUri : `${registeredRedirectUri} (with any port)`
  return [
    `${hasCallbackServer ? 'Waiting for the browser to return to' : 'The browser ends at'} ${redirectUri}`,
    `(at most ${countText(timeoutMs / minuteMs, 'minute')}; press Ctrl-C to cancel).`,
    '',
    'If it shows an error and does not return, compare the registration of the application:',
    `  client ID     ${clientId}`,
    `  redirect URI  ${registered}`,
    `  scopes        ${scope}`,
    '',
    ...(canPaste ? [pasteInstructions, ''] : []),
  ].join('\n')
}

const pasteInstructions = `If it ends at a page that cannot be shown, for example on another machine, copy the
full address of that page from the browser and paste it here.`
