import { expect, it } from 'vitest'
import { style } from '../../../../src/lib/text/page.js'
import { contrast } from './contrast.js'

const channels = (colour = '') =>
  [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16))

const schemes = [...style.matchAll(/:root \{([^}]*)\}/g)].map(([, block = '']) =>
  Object.fromEntries(
    [...block.matchAll(/(--[\w-]+): (#[0-9a-f]{6})/g)].map(([, name, value]) => [name, value]),
  ),
)

it('defines the same colours for the light and the dark scheme', () => {
  expect(schemes.map((colours) => Object.keys(colours))).toEqual([
    Object.keys(schemes[0] ?? {}),
    Object.keys(schemes[0] ?? {}),
  ])
  expect(schemes[0]).not.toEqual(schemes[1])
})

it.each([
  ['--text', '--card', 4.5],
  ['--quiet', '--card', 4.5],
  ['--accent', '--card', 4.5],
  ['--on-accent', '--accent', 4.5],
  ['--on-accent', '--accent-over', 4.5],
  ['--alert', '--alert-page', 4.5],
  ['--field', '--card', 3], // the border of a field: WCAG 2.2, 1.4.11
])('%s on %s has a contrast of at least %d, light and dark', (one, other, least) => {
  for (const colours of schemes) {
    expect(contrast(channels(colours[one]), channels(colours[other]))).toBeGreaterThanOrEqual(least)
  }
})
