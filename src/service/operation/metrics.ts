import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Disk } from '../storage/disk.js'

/** Connections to the database. */
export interface PoolState {
  active: number
  idle: number
  /** Requests that wait for a connection. */
  waiting: number
}

interface RequestMeasurement {
  method: string
  route: string
  status: number
  responseMs: number | undefined
}

/** The measurements of a service, in the format of Prometheus. */
export interface Metrics {
  contentType: string
  text(): Promise<string>
  countRequest(request: RequestMeasurement): void
  countSignIn(outcome: 'success' | 'wrong' | 'blocked'): void
  /** Counts a clean-up that has succeeded. */
  countCleanUp(result: { deleted: number; durationMs: number }): void
  countFailedCleanUp(): void
}

export interface MetricsOptions {
  version: string
  /** Returns the state of the connection pool; missing for a database without one. */
  poolState?: (() => PoolState) | undefined
  /** Returns which parts of the service are ready. */
  readiness?: (() => Promise<Readonly<Record<string, boolean>>>) | undefined
  /** The disk of the database; missing for one on a server of its own. */
  disk?: Disk | undefined
}

/** From a read by an index to a list of many entries, in seconds. */
const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Creates the metrics of a service, with those of its process: memory, processor time and event-loop lag. */
export function createMetrics({ version, poolState, readiness, disk }: MetricsOptions): Metrics {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const registers = [register]
  const requests = new Counter({
    name: 'tt_http_requests_total',
    help: 'Requests by method, route and status; 499 for clients that disconnected before the response.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'tt_http_request_duration_seconds',
    help: 'Time from the end of a request to the beginning of its response, without slow clients.',
    labelNames: ['method', 'route'],
    buckets: durationBuckets,
    registers,
  })
  /** The time series of requests: finding them by their labels takes longer than counting. */
  const series = new Map<string, { count: Counter.Internal; duration: Histogram.Internal<string> }>()
  const signIns = new Counter({
    name: 'tt_sign_ins_total',
    help: 'Attempts to sign in with a password, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const cleanUps = createCleanUpMetrics(registers)
  for (const outcome of ['success', 'wrong', 'blocked']) signIns.inc({ outcome }, 0)
  new Gauge({ name: 'tt_info', help: 'The version of tt.', labelNames: ['version'], registers }).set(
    { version },
    1,
  )
  if (poolState) addPoolGauges(registers, poolState)
  if (readiness) addReadinessGauge(registers, readiness)
  if (disk) addDiskGauges(registers, disk)
  return {
    contentType: register.contentType,
    text: () => register.metrics(),
    countRequest({ method, route, status, responseMs }) {
      const key = `${method} ${route} ${status}`
      const known = series.get(key)
      const { count, duration } = known ?? {
        count: requests.labels(method, route, String(status)),
        duration: durations.labels(method, route),
      }
      if (!known) series.set(key, { count, duration })
      count.inc()
      if (responseMs !== undefined) duration.observe(responseMs / 1000)
    },
    countSignIn: (outcome) => signIns.inc({ outcome }),
    ...cleanUps,
  }
}

function createCleanUpMetrics(registers: Registry[]): Pick<Metrics, 'countCleanUp' | 'countFailedCleanUp'> {
  const runs = new Counter({
    name: 'tt_clean_up_runs_total',
    help: 'Runs of the hourly clean-up, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const deletions = new Counter({
    name: 'tt_clean_up_deleted_total',
    help: 'Expired records that the hourly clean-up has deleted.',
    registers,
  })
  const seconds = new Counter({
    name: 'tt_clean_up_seconds_total',
    help: 'Time that the hourly clean-up has taken.',
    registers,
  })
  const lastSuccess = new Gauge({
    name: 'tt_clean_up_last_success_timestamp_seconds',
    help: 'Unix time at which a clean-up last succeeded; 0 before the first.',
    registers,
  })
  for (const outcome of ['success', 'failure']) runs.inc({ outcome }, 0)
  return {
    countCleanUp({ deleted, durationMs }) {
      runs.inc({ outcome: 'success' })
      deletions.inc(deleted)
      seconds.inc(durationMs / 1000)
      lastSuccess.setToCurrentTime()
    },
    countFailedCleanUp: () => runs.inc({ outcome: 'failure' }),
  }
}

function addReadinessGauge(registers: Registry[], readiness: NonNullable<MetricsOptions['readiness']>) {
  new Gauge({
    name: 'tt_ready',
    help: 'Whether each check of /readyz passes: 1 or 0.',
    labelNames: ['check'],
    registers,
    async collect() {
      for (const [check, isReady] of Object.entries(await readiness())) this.set({ check }, Number(isReady))
    },
  })
}

function addDiskGauges(registers: Registry[], disk: Disk) {
  const add = (name: string, help: string, part: 'freeBytes' | 'sizeBytes') =>
    new Gauge({
      ...{ name, help, registers },
      async collect() {
        this.set((await disk.space())[part])
      },
    })
  add('tt_disk_free_bytes', 'Free space on the disk of the SQLite database.', 'freeBytes')
  add('tt_disk_size_bytes', 'Size of the disk of the SQLite database.', 'sizeBytes')
}

function addPoolGauges(registers: Registry[], poolState: () => PoolState) {
  new Gauge({
    name: 'tt_database_connections',
    help: 'Connections to the database, by state.',
    labelNames: ['state'],
    registers,
    collect() {
      const { active, idle } = poolState()
      this.set({ state: 'active' }, active)
      this.set({ state: 'idle' }, idle)
    },
  })
  new Gauge({
    name: 'tt_database_waiting_requests',
    help: 'Requests that wait for a connection to the database.',
    registers,
    collect() {
      this.set(poolState().waiting)
    },
  })
}
