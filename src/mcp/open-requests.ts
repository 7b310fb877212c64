import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server'

/** A request without a response until the connection closes. */
const listenMethod = 'subscriptions/listen'

/** The requests of a client that have no response yet. */
export class OpenRequests {
  readonly #ofClient = new Set<unknown>()
  readonly #toClient = new Set<RequestId>()
  #waiting: (() => void)[] = []

  /** Records a message of the client. */
  receive(message: JSONRPCMessage): void {
    if (!('method' in message)) this.#toClient.delete(message.id as RequestId)
    else if ('id' in message) {
      if (message.method !== listenMethod) this.#ofClient.add(message.id)
    } else if (message.method === 'notifications/cancelled') this.#ofClient.delete(message.params?.requestId)
    this.#check()
  }

  /** Records a message to the client. */
  send(message: JSONRPCMessage): void {
    if (!('method' in message)) this.#ofClient.delete(message.id)
    else if ('id' in message) this.#toClient.add(message.id)
    this.#check()
  }

  /**
   * Resolves when each request has its response, except those whose response depends on a further request to the client: it
   * cannot respond once the input has ended.
   */
  answered(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.#check()
    })
  }

  #check() {
    if (this.#ofClient.size > this.#toClient.size) return
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
