import { createHttpsClient, type HttpsClient } from '../support/https-client.js'
import { documentedPgBouncer } from '../support/pgbouncer.js'
import { execute, findPostgresPrograms, type PostgresServer } from '../support/postgres.js'
import { isInstalled, type ServeProcess, startServe, temporaryDirectory } from '../support/process.js'
import { createCertificate, startTlsProxy } from '../support/tls-proxy.js'

/** The programs that tests with the files of docs/hosting/ need and that are not installed. */
export const missingPrograms = [
  ...(findPostgresPrograms() ? [] : ['PostgreSQL']),
  ...['haproxy', 'pgbouncer', 'psql', 'openssl'].filter((program) => !isInstalled(program)),
]

/** The end of the title of a skipped test. */
export const skipReason = missingPrograms.length > 0 ? ` (skipped: ${missingPrograms} is not installed)` : ''

const password = 'a-password-of-the-role'

/**
 * Creates the database `tt`, and returns its address behind PgBouncer with the file of docs/hosting/.
 *
 * @param port of a proxy between PgBouncer and the server
 */
export async function createPooledDatabase(server: PostgresServer, port = server.port): Promise<string> {
  await execute(server.url(), `alter role tt password '${password}'`)
  await execute(server.url(), 'create database tt')
  return (await documentedPgBouncer(server, password, port)).start()
}

/** Servers behind HAProxy with the file of docs/hosting/. */
export interface Nodes {
  origin: string
  send: HttpsClient
  nodes: ServeProcess[]
  /** The file of the certificate. */
  authority: string
}

/** Starts this number of servers of a database behind HAProxy. They stop with the test. */
export async function startNodes(database: string, count: number): Promise<Nodes> {
  const certificate = await createCertificate()
  const nodes: ServeProcess[] = []
  for (let node = 0; node < count; node++)
    nodes.push(
      await startServe(['--database', database, '--quiet'], {
        TT_HOME: temporaryDirectory(),
        TT_PUBLIC_URL: 'https://localhost',
        TT_TRUST_PROXY: '1',
      }),
    )
  const servicePorts = nodes.map(({ url }) => Number(new URL(url).port))
  const { origin } = await startTlsProxy('haproxy', { servicePorts, certificate })
  const authority = certificate.certificate
  return { origin, send: createHttpsClient(authority), nodes, authority }
}
