import { expect, test } from 'vitest'
import { type NameChange, pathOfTask, renamePath } from '../../../../src/tracking/catalog/links.js'

const client: NameChange = { from: ['Acme'], to: ['Apex'] }
const project: NameChange = { from: ['Acme', 'Web'], to: ['Acme', 'Site'] }
const internal: NameChange = { from: [null, 'Web'], to: [null, 'Site'] }
const moved: NameChange = { from: [null, 'Web'], to: ['Acme', 'Web'] }
const task: NameChange = { from: ['Acme', 'Web', 'Design'], to: ['Acme', 'Web', 'Layout'] }
const everywhere: NameChange = { from: [null, null, 'Design'], to: [null, null, 'Layout'] }

test.each<[string, NameChange, string | undefined]>([
  ['Acme', client, 'Apex'],
  ['acme/Web', client, 'Apex/Web'],
  ['Acme/*/Design', client, 'Apex/*/Design'],
  ['*/Acme', client, undefined],
  ['*', client, undefined],
  ['Acme/Web', project, 'Acme/Site'],
  ['*/web/Design', project, '*/Site/Design'],
  ['Globex/Web', project, undefined],
  ['Acme', project, undefined],
  ['Web', project, undefined],
  ['*/Web', internal, '*/Site'],
  ['Acme/Web', internal, undefined],
  ['*/Web', moved, '*/Web'],
  ['Acme/Web/Design', task, 'Acme/Web/Layout'],
  ['*/*/Design', task, '*/*/Layout'],
  ['Acme/Shop/Design', task, undefined],
  ['Globex/Shop/Design', everywhere, 'Globex/Shop/Layout'],
  ['*/*/Review', everywhere, undefined],
])('the path %s after %j is %s', (path, change, expected) => {
  expect(renamePath(path.split('/'), change)?.join('/')).toBe(expected)
})

test('the path of a task has names from its end', () => {
  expect(pathOfTask(['Web', 'Design'])).toEqual(['*', 'Web', 'Design'])
})
