import { expect, test } from 'vitest'
import { share } from '../support/share.js'
import { startTestService } from '../support/sign-in.js'

const publicUrl = ['--public-url', 'https://time.example.com']

const proxies = share('trusted proxies', [
  ['ignores X-Forwarded-For with --no-trust-proxy', [...publicUrl, '--no-trust-proxy'], 429],
  [
    'counts by the caller that X-Forwarded-For names, with --trust-proxy,',
    [...publicUrl, '--trust-proxy'],
    401,
  ],
  ['trusts the proxies of a network', [...publicUrl, '--trust-proxy', '127.0.0.0/8,::1'], 401],
] as const)

test.each(proxies)('tt serve %s when it limits attempts to sign in', async (_, options, sixth) => {
  const { url, email } = await startTestService(...options)
  const attempt = async (caller: string) => {
    const body = new URLSearchParams({ application: 'tt', email, password: 'wrong' })
    const headers = { 'X-Forwarded-For': caller }
    return (await fetch(`${url}/authenticate`, { method: 'POST', body, headers })).status
  }
  const statuses: number[] = []
  for (let caller = 1; caller <= 6; caller++) statuses.push(await attempt(`192.0.2.${caller}`))
  expect(statuses).toEqual([401, 401, 401, 401, 401, sixth])
})
