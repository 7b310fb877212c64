import { createHash, randomBytes } from 'node:crypto'
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

/** Upper bound for the codes that are not used yet. */
const maxCodes = 100

/** The codes by which a client without forms confirms changes that it has shown. Each is for one call. */
export class ConfirmationCodes {
  readonly #questions = new Map<string, readonly string[]>()

  /** Returns a new code for the digests of the questions of one call. */
  issue(questions: readonly string[]): string {
    const code = randomBytes(4).toString('hex')
    this.#questions.set(code, questions)
    for (const oldest of [...this.#questions.keys()].slice(0, -maxCodes)) this.#questions.delete(oldest)
    return code
  }

  /** Returns the digests that the code confirms, and withdraws it; none for an unknown code. */
  redeem(code: string): readonly string[] {
    const questions = this.#questions.get(code) ?? []
    this.#questions.delete(code)
    return questions
  }
}

const key = 'confirmation'

/**
 * The confirmation of one tool call, which is valid only for exactly the shown records and their new fields. A client that
 * supports elicitation asks the user, and sends the call again with the response. Other clients send the call again with
 * the code of the error as input `confirm`. The command then starts again, and needs another confirmation if what it would
 * change is different.
 */
export class CallConfirmation {
  readonly #request: ServerContext
  readonly #parts: ConfirmationParts
  readonly #asksUser: boolean
  /** The digests of the questions that the user has confirmed in this call. */
  readonly #confirmed: readonly string[]
  /** Whether the command has needed one of them. */
  #isMatched = false

  constructor(request: ServerContext, parts: ConfirmationParts) {
    this.#request = request
    this.#parts = parts
    this.#asksUser = supportsForms(capabilitiesOf(request) ?? parts.capabilities)
    this.#confirmed = this.#asksUser ? this.#accepted() : parts.codes.redeem(parts.code ?? '')
  }

  /** Throws TtError `failure` if the user declined. */
  rejectDeclined(): void {
    const response = this.#response
    if (response.kind === 'missing' || isAccepted(response)) return
    throw new TtError('failure', 'Nothing was changed: the user did not confirm it.')
  }

  /**
   * Returns if the user has confirmed a change. Otherwise throws an error, before anything is changed.
   *
   * @param question what the user sees
   * @param subject exactly what would be changed; by default, the question
   */
  require(question: string, subject: unknown = question): void {
    const digest = createHash('sha256').update(JSON.stringify(subject)).digest('hex')
    if (!this.#confirmed.includes(digest)) throw new UnconfirmedError(question, digest)
    this.#isMatched = true
  }

  /** Returns the question to the user for an error of `require`; undefined if the client cannot ask, and for other errors. */
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
      requestState: await this.#parts.codec.mint(state, this.#request),
    })
  }

  /** Returns what a client without forms receives for an error of `require`; undefined for other errors. */
  refusalOf(error: unknown): Refusal | undefined {
    if (!(error instanceof UnconfirmedError)) return undefined
    const code = this.#parts.codes.issue([...this.#confirmed, error.digest])
    const isOfAnother = this.#parts.code !== undefined && !this.#isMatched
    const reason = isOfAnother
      ? `Nothing was changed: "confirm" is not the code of this change. It is for another one, or was used, or what would be changed is different now.`
      : 'Nothing was changed yet: the user has to confirm it.'
    return {
      error: new TtError('usage', `Confirmation required.\n${error.question}`),
      advice: `${reason} Show the user what the data below says. If the user agrees, call the tool again with the same input and "confirm": "${code}". The code is valid once, and only for exactly this change.`,
    }
  }

  #accepted(): readonly string[] {
    if (!isAccepted(this.#response)) return []
    return this.#request.mcpReq.requestState<ConfirmationState>()?.questions ?? []
  }

  get #response(): InputResponseView {
    return inputResponse(this.#request.mcpReq.inputResponses, key)
  }
}

export interface ConfirmationParts {
  codec: RequestStateCodec<ConfirmationState>
  codes: ConfirmationCodes
  /** The input `confirm`. */
  code: string | undefined
  /** Those of the client, unless the request has its own. */
  capabilities: ClientCapabilities | undefined
}

/** An error that says what would be changed, and how the client confirms it. */
export interface Refusal {
  error: TtError
  advice: string
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
