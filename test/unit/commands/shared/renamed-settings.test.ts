import { expect, test } from 'vitest'
import { renameInCommand } from '../../../../src/commands/shared/renamed-settings.js'
import { renamePath } from '../../../../src/tracking/catalog/links.js'

const change = { from: ['Acme', 'Web'], to: ['Acme', 'Web shop'] }

test.each([
  ['start Acme/Web/Design', "start 'Acme/Web shop/Design'"],
  ['start Web/Design -n Web', "start 'Web shop/Design' -n Web"],
  ['log --project Web --client Acme', "log --project 'Web shop' --client Acme"],
  ['log --project=web', "log --project='Web shop'"],
  ['log --project "Acme/Web"', "log --project 'Acme/Web shop'"],
  ['report --client Web', 'report --client Web'],
  ['start Globex/Web/Design', 'start Globex/Web/Design'],
])('the alias %s becomes %s', (before, after) => {
  expect(renameInCommand(before, (path) => renamePath(path, change))).toBe(after)
})

test.each([
  ['log --client Acme', 'log --client Apex'],
  ['start Acme/Web/Design', 'start Apex/Web/Design'],
  ['log --project Acme/Web', 'log --project Apex/Web'],
  ['start Acme', 'start Acme'],
])('the alias %s of a renamed client becomes %s', (before, after) => {
  expect(renameInCommand(before, (path) => renamePath(path, { from: ['Acme'], to: ['Apex'] }))).toBe(after)
})
