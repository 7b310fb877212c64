import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { root } from './process.js'

/** The parts of compose.yaml that the tests use. */
export interface ComposeFile {
  services: Record<
    string,
    {
      image: string
      restart?: string
      environment: Record<string, string>
      healthcheck?: { test: string[] }
      depends_on?: Record<string, { condition: string }>
      volumes: string[]
    }
  >
  volumes: Record<string, unknown>
}

export const composeText = () => readFileSync(join(root, 'compose.yaml'), 'utf8')

export const readComposeFile = (): ComposeFile => parse(composeText())

/**
 * Returns the environment of a service with these variables of the file .env. Throws Error if one is missing that has no
 * default.
 */
export function composeEnvironment(
  service: string,
  variables: Record<string, string>,
): Record<string, string> {
  const { environment } = readComposeFile().services[service] ?? { environment: {} }
  return Object.fromEntries(
    Object.entries(environment).map(([name, text]) => [name, interpolate(String(text), variables)]),
  )
}

/** Replaces `${NAME}`, `${NAME:-default}` and `${NAME:?message}`. */
function interpolate(text: string, variables: Record<string, string>): string {
  return text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name, operator, rest = '') => {
    const value = variables[name]
    if (value) return value
    if (operator === '-') return rest
    throw new Error(operator === '?' ? rest : `${name} is not set.`)
  })
}
