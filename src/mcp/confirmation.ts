import { createHash } from 'node:crypto'
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  type InputResponseView,
  inputRequired,
  inputResponse,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Confirmation } from '../cli/context/terminal.js'
import { TtError } from '../lib/errors.js'

/** The state that accompanies a question to the user: digests of all questions of this call so far. */
export interface ConfirmationState {
  questions: string[]
}

/** Thrown by a command that needs the user to confirm. Nothing was changed. */
class UnconfirmedError extends Error {
  constructor(
    readonly question: string,
    readonly digest: string,
  ) {
    super('The user has to confirm the change.')
  }
}

const key = 'confirmation'

/**
 * The confirmation of one tool call. A client that supports elicitation asks the user, and sends the call again with the
 * response: the command then starts again, and needs another confirmation if the question has changed since. Other clients
 * send the call again with the input `confirm`.
 */
export class CallConfirmation {
  readonly #request: ServerContext
  readonly #codec: RequestStateCodec<ConfirmationState>
  readonly #isConfirmed: boolean
  readonly #asksUser: boolean

  /**
   * @param call.confirm the input `confirm`
   * @param call.capabilities those of the client, unless the request has its own
   */
  constructor(
    request: ServerContext,
    codec: RequestStateCodec<ConfirmationState>,
    call: { confirm: boolean; capabilities: ClientCapabilities | undefined },
  ) {
    this.#request = request
    this.#codec = codec
    this.#asksUser = supportsForms(capabilitiesOf(request) ?? call.capabilities)
    this.#isConfirmed = call.confirm && !this.#asksUser
  }

  /** Throws TtError `failure` if the user declined. */
  rejectDeclined(): void {
    const response = this.#response
    if (response.kind === 'missing' || isAccepted(response)) return
    throw new TtError('failure', 'Nothing was changed: the user did not confirm it.')
  }

  /** Returns true for a change that the user has confirmed. Otherwise throws an error, before anything is changed. */
  readonly confirm: Confirmation = async (question, facts) => {
    if (this.#isConfirmed) return true
    const text = [facts, question].filter((part) => part !== undefined).join('\n')
    const digest = createHash('sha256').update(text).digest('hex')
    if (this.#confirmed.includes(digest)) return true
    throw new UnconfirmedError(text, digest)
  }

  /** Returns the question to the user for an error of `confirm`; undefined if the client cannot ask, and for other errors. */
  async questionOf(error: unknown): Promise<InputRequiredResult | undefined> {
    if (!(error instanceof UnconfirmedError) || !this.#asksUser) return undefined
    const state = { questions: [...this.#confirmed, error.digest] }
    return inputRequired({
      inputRequests: {
        [key]: inputRequired.elicit({
          mode: 'form',
          message: error.question,
          requestedSchema: { type: 'object', properties: {} }, // To accept is to confirm.
        }),
      },
      requestState: await this.#codec.mint(state, this.#request),
    })
  }

  /** Returns the error that a client without forms receives for an error of `confirm`; other errors unchanged. */
  withAdvice(error: unknown): unknown {
    if (!(error instanceof UnconfirmedError)) return error
    return new TtError('usage', `Confirmation required. Nothing was changed yet.\n${error.question}`, {
      hint: 'Show this to the user. If the user agrees, call the tool again with the same input and confirm: true.',
    })
  }

  /** The digests of the questions that the user has confirmed in this call. */
  get #confirmed(): readonly string[] {
    if (!isAccepted(this.#response)) return []
    return this.#request.mcpReq.requestState<ConfirmationState>()?.questions ?? []
  }

  get #response(): InputResponseView {
    return inputResponse(this.#request.mcpReq.inputResponses, key)
  }
}

function isAccepted(response: InputResponseView): boolean {
  return response.kind === 'elicit' && response.action === 'accept'
}

function capabilitiesOf({ mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope: Record<string, unknown> | undefined = mcpReq.envelope
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
}

/** Whether the client can show forms; one without details shows forms only. */
function supportsForms(capabilities: ClientCapabilities | undefined): boolean {
  const { elicitation } = capabilities ?? {}
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}
