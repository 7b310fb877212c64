import { readFileSync } from 'node:fs'
import { parser } from '@prometheus-io/lezer-promql'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { createMetrics } from '../../src/service/operation/metrics.js'

const read = (file: string) => readFileSync(new URL(`../../docs/hosting/${file}`, import.meta.url), 'utf8')

function rules() {
  const { groups } = parse(read('alerts.yml')) as { groups: { rules: { expr: string }[] }[] }
  return groups.flatMap((group) => group.rules)
}

/** Returns the text of the nodes of an expression with this name in the grammar of PromQL. */
function nodesOf(expression: string, name: string): string[] {
  const found: string[] = []
  parser.parse(expression).iterate({
    enter: (node) => void (node.name === name && found.push(expression.slice(node.from, node.to))),
  })
  return found
}

test('the alerts are valid PromQL', () => {
  expect(rules().length).toBeGreaterThan(5)
  const invalid = rules().filter(({ expr }) => nodesOf(expr, '⚠').length > 0)
  expect(invalid).toEqual([])
  expect(nodesOf('rate(tt_http_requests_total[5m)', '⚠')).not.toEqual([])
})

test('the alerts use only metrics and labels of /metrics', async () => {
  const metrics = createMetrics({
    ...{ version: '1', poolState: () => ({ active: 0, idle: 0, waiting: 0 }) },
    readiness: async () => ({ database: true }),
    disk: { isWritable: async () => true, space: async () => ({ freeBytes: 1, sizeBytes: 2 }) },
  })
  metrics.countRequest({ method: 'GET', route: '/', status: 200, responseMs: 1 })
  const text = await metrics.text()
  const names = new Set(text.match(/^\w+/gm))
  const labels = new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, label]) => label))
  const expressions = rules().map(({ expr }) => expr)
  const used = expressions.flatMap((expr) =>
    nodesOf(expr, 'VectorSelector').map((selector) => /^\w+/.exec(selector)?.[0] ?? ''),
  )
  expect(used).toContain('tt_http_requests_total')
  // `up`, `job` and `instance` are those of Prometheus.
  expect(used.filter((name) => name !== 'up' && !names.has(name))).toEqual([])
  const usedLabels = expressions.flatMap((expr) => nodesOf(expr, 'LabelName'))
  expect(usedLabels).toEqual(expect.arrayContaining(['job', 'status', 'outcome', 'le']))
  expect(usedLabels.filter((label) => label !== 'job' && !labels.has(label))).toEqual([])
})

test('the configuration of Prometheus loads the alerts and names their job', () => {
  const { rule_files, scrape_configs } = parse(read('prometheus.yml'))
  expect(rule_files).toEqual(['alerts.yml'])
  const jobs = new Set(
    rules().flatMap(({ expr }) => [...expr.matchAll(/job="(\w+)"/g)].map(([, job]) => job)),
  )
  expect([...jobs]).toEqual(scrape_configs.map(({ job_name }: { job_name: string }) => job_name))
})
