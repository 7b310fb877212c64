import type { RequestContext } from '../request-context.js'
import { type HttpResponse, RecordBatches } from '../response.js'
import { nextTurn } from '../turns.js'

/**
 * Creates the response of a list of more than one batch when the user has a turn for that, which ends with the response.
 * Rejects with HttpError 429 while the user has too many such lists.
 */
export async function inTurnOfUser(
  { request, lists, userId }: RequestContext,
  createResponse: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  if (!lists) return createResponse()
  await lists.turns.begin(userId)
  let hasEnded = false
  const end = () => {
    if (!hasEnded) lists.turns.end(userId)
    hasEnded = true
  }
  try {
    // What is read before the first record is sent takes much longer than a batch.
    await nextTurn()
    const { body, ...others } = await createResponse()
    const text = body instanceof RecordBatches ? body.text() : body
    const isStream = typeof text === 'object' && text !== null && request.raw.method !== 'HEAD'
    if (!isStream) end()
    return { ...others, body: isStream ? withEnd(text, end) : text }
  } catch (error) {
    end()
    throw error
  }
}

/** Returns the same chunks; calls `end` after the last one, and also when they are not read to the end, or not at all. */
function withEnd(chunks: AsyncIterable<string>, end: () => void): AsyncIterable<string> {
  const iterator = chunks[Symbol.asyncIterator]()
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        try {
          const result = await iterator.next()
          if (result.done) end()
          return result
        } catch (error) {
          end()
          throw error
        }
      },
      async return() {
        end()
        await iterator.return?.()
        return { done: true, value: undefined }
      },
    }),
  }
}
