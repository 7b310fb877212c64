import { connect } from 'node:net'

export { findFreePort, listenOnFreePort } from './free-port.js'

/** Returns whether a server listens at this address. */
export function isListening({ hostname, port }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname.replace(/[[\]]/g, ''))
    socket.on('error', () => resolve(false))
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}
