import { expect, it } from 'vitest'
import { createLog, type LogFormat, type LogLevel } from '../../../../src/service/operation/log.js'

const clock = () => new Date('2024-05-08T12:00:00Z')

function collect(format: LogFormat, level: LogLevel = 'info') {
  let text = ''
  const write = (part: string) => {
    text += part
  }
  /** Returns what was written as JSON. */
  const records = () =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  return { log: createLog(write, { format, level, clock }), text: () => text, records }
}

it('writes one JSON object per event', () => {
  const { log, records } = collect('json')
  log.info({ status: 200, user_id: 3 }, 'Request')
  log.warn({}, 'No proxy.')
  expect(records()).toEqual([
    { level: 'info', time: '2024-05-08T12:00:00.000Z', status: 200, user_id: 3, message: 'Request' },
    { level: 'warn', time: '2024-05-08T12:00:00.000Z', message: 'No proxy.' },
  ])
})

it('writes readable lines', () => {
  const { log, text } = collect('text')
  log.info({ status: 200, user_id: 3 }, 'Request')
  expect(text()).toBe('2024-05-08T12:00:00.000Z info Request status=200 user_id=3\n')
})

it.each<[LogLevel, string[]]>([
  ['debug', ['debug', 'info', 'warn', 'error']],
  ['warn', ['warn', 'error']],
  ['silent', []],
])('writes messages from level %s', (level, written) => {
  const { log, records } = collect('json', level)
  for (const name of ['debug', 'info', 'warn', 'error'] as const) log[name]({}, name)
  expect(records().map((record) => record.level)).toEqual(written)
  const readable = collect('text', level)
  for (const name of ['debug', 'info', 'warn', 'error'] as const) readable.log[name]({}, name)
  expect(readable.text()).toBe(written.map((name) => `${clock().toISOString()} ${name} ${name}\n`).join(''))
})

it('writes the stack of an error, but none of its other properties', () => {
  const error = Object.assign(new TypeError('not unique'), {
    code: '23505',
    detail: 'Key (email)=(ada@example.com)',
  })
  const json = collect('json')
  json.log.error({ request_id: 'r-1', error }, 'A request failed.')
  expect(JSON.parse(json.text())).toMatchObject({
    request_id: 'r-1',
    error: { name: 'TypeError', message: 'not unique', code: '23505', stack: error.stack },
  })
  expect(json.text()).not.toContain('ada@example.com')
  const readable = collect('text')
  readable.log.error({ error: new Error('not unique') }, 'A request failed.')
  expect(readable.text()).toMatch(/^\S+ error A request failed\.\nError: not unique\n\s+at /)
  const thrown = collect('json')
  thrown.log.error({ error: 'only a text' }, 'A request failed.')
  expect(JSON.parse(thrown.text()).error).toEqual({ message: 'only a text' })
  const readableText = collect('text')
  readableText.log.error({ error: 'only a text' }, 'A request failed.')
  expect(readableText.text()).toMatch(/ error A request failed\.\nonly a text\n$/)
})
