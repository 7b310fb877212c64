import { expect, test } from 'vitest'
import { RecordBatches } from '../../../../src/service/http/response.js'

test('a list is JSON with one record per line, whatever its texts contain', () => {
  const records = [
    { id: 1, notes: 'a},{"b' },
    { id: 2, notes: '\\},{"' },
    { id: 3, notes: '},\n{"' },
  ]
  const text = new RecordBatches([records.slice(0, 2), records.slice(2)]).text() as string
  expect(JSON.parse(text)).toEqual(records)
  expect(text.split('\n').map((line) => line.slice(0, 8))).toEqual(['[{"id":1', '{"id":2,', '{"id":3,'])
  expect(new RecordBatches([[]]).text()).toBe('[]')
})
