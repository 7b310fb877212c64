// Starts a PostgreSQL server for the benchmark, with its default settings.
import { mkdirSync } from 'node:fs'
import { findFreePort } from '../../support/free-port.js'
import {
  clusterOf,
  createCluster,
  findPostgresPrograms,
  run,
  serverPid,
  spawnServer,
  untilReady,
} from '../../support/postgres-cluster.js'
import { cpuMsWithChildren } from './processor-time.js'

/**
 * Starts a server whose data is in the directory; undefined when none is installed.
 * @param {string} directory
 */
export async function startPostgres(directory) {
  if (findPostgresPrograms() === undefined) return undefined
  mkdirSync(directory)
  createCluster(directory)
  const port = await findFreePort()
  await untilReady(port, spawnServer(directory, port))
  return {
    url: (/** @type {string} */ database) => `postgres://tt@127.0.0.1:${port}/${database}`,
    /** Returns the processor time of all processes of the server; NaN where the system does not show it. */
    cpuMs: () => cpuMsWithChildren(serverPid(directory)),
    stop: () => run('pg_ctl', 'stop', '-m', 'fast', '-D', clusterOf(directory)),
  }
}
