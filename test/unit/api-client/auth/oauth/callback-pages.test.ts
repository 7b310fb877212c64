import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  alreadyUsedPage,
  failedPage,
  signedInPage,
  unexpectedRequestPage,
} from '../../../../../src/api-client/auth/oauth/callback-pages.js'
import { TtError } from '../../../../../src/lib/errors.js'

const pages = [
  ['success', signedInPage()],
  ['failure', failedPage(new TtError('rejected', 'No.', { hint: 'Try again.' }), ({ hint }) => hint)],
  ['unexpected request', unexpectedRequestPage('It has no state.')],
  ['repeated', alreadyUsedPage()],
] as const

test.each(pages)(
  'the %s page has a language, a title, one main with one heading, and a role',
  (_, { html }) => {
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(html).toMatch(/<title>[^<]+ – tt<\/title>/)
    for (const part of ['<main>', '<h1>', '<div role="']) expect(html.split(part)).toHaveLength(2)
    expect(html).toContain('width=device-width')
  },
)

test.each(pages)('the %s page contains no external resources, scripts or forms', (_, { html }) => {
  expect(html).not.toMatch(/<script|<form|<img|<iframe|\son\w+=|url\(|@import|https?:/i)
  expect([...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, to]) => to)).toEqual(['data:,'])
})

test.each(pages)(
  'the content security policy of the %s page allows only its own style',
  (_, { html, headers }) => {
    const style = /<style>([\s\S]*)<\/style>/.exec(html)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    expect(headers['content-security-policy']).toContain(`style-src 'sha256-${hash}';`)
    expect(headers['content-security-policy']).not.toContain('unsafe')
    expect(html).not.toContain('style="')
  },
)

test.each(pages)('the %s page cannot be framed', (_, { headers }) => {
  expect(headers['content-security-policy']).toMatch(/; frame-ancestors 'none'$/)
  expect(headers['x-frame-options']).toBe('DENY')
})

test.each(pages)('the %s page refers to the terminal', (_, { html }) => {
  expect(html).toContain('terminal')
})

test('the failure page shows message and hint, escaped', () => {
  const { html, status } = failedPage(new TtError('rejected', `<b>"'&`, { hint: '<i>' }), ({ hint }) => hint)
  expect(status).toBe(200)
  expect(html).toContain('<p>&lt;b&gt;&quot;&#39;&amp;</p>')
  expect(html).toContain('<p>&lt;i&gt;</p>')
})

test('the failure page formats a command as code', () => {
  const { html } = failedPage(new TtError('rejected', 'No.'), () => 'Run `tt login --scope "<x>"` again.')
  expect(html).toContain('<p>Run <code>tt login --scope &quot;&lt;x&gt;&quot;</code> again.</p>')
})
