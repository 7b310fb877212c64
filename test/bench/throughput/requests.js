// The requests of the throughput benchmark.
import { deepStrictEqual, strictEqual } from 'node:assert'

/**
 * @typedef {object} Request
 * @property {'GET' | 'POST' | 'PATCH'} method
 * @property {string} path
 * @property {Record<string, string>} headers
 * @property {string} [body]
 *
 * @typedef {object} Row
 * @property {string} id
 * @property {string} name
 * @property {Request[]} requests sent in turn
 * @property {number} status of the responses
 * @property {Request[]} [fewer] the same requests over fewer entries, with which a long list is compared
 */

/**
 * @param {import('./data.js').Data} data
 * @returns {Row[]}
 */
export function requestsOf({ tokens, link, entry, entries }) {
  const list = '/api/v1/timesheets'
  /** @param {keyof typeof tokens} user @param {string} path @returns {Request[]} */
  const get = (user, path) => [{ method: 'GET', path, headers: { Authorization: `Bearer ${tokens[user]}` } }]
  const headers = { Authorization: `Bearer ${tokens.writer}`, 'Content-Type': 'application/json' }
  const q = encodeURIComponent(JSON.stringify({ time_start_gteq: '2021-03-01', time_start_lt: '2021-03-08' }))
  /** @param {number} index */
  const post = (index) => ({
    ...{ method: /** @type {const} */ ('POST'), path: list, headers },
    body: JSON.stringify({
      ...{ time_start: `2026-05-0${index + 1}T09:00:00Z`, time_end: `2026-05-0${index + 1}T10:30:00Z` },
      ...{ notes: `First page, "draft" ${index}`, task_link_id: link },
    }),
  })
  /** @param {number} id @param {number} index */
  const patch = (id, index) => ({
    ...{ method: /** @type {const} */ ('PATCH'), path: `${list}/${id}`, headers },
    body: JSON.stringify({ notes: `Second page ${index}`, time_end: '2026-05-01T10:30:00Z' }),
  })
  const week = get('reader', `${list}?q=${q}`)
  /** @param {keyof typeof tokens} user */
  const page = (user) => get(user, `${list}?per_page=50`)
  return [
    { id: 'week', name: 'week by q (21 rows)', requests: week, status: 200 },
    { id: 'page', name: 'page of 50', requests: page('reader'), status: 200 },
    { id: 'entry', name: 'one entry', requests: get('reader', `${list}/${entry}`), status: 200 },
    { id: 'post', name: 'POST', requests: [0, 1, 2].map(post), status: 201 },
    { id: 'patch', name: 'PATCH', requests: entries.map(patch), status: 200 },
    { id: 'long', name: 'page of 50 of 100,000', requests: page('long'), status: 200, fewer: page('short') },
  ]
}

/**
 * Checks that both services respond to each row with the same records: the same fields in the same order, and the same
 * bytes except for line breaks between records, the IDs of new records, the times of changes and entity tags.
 *
 * @param {Row[]} rows
 * @param {string} ours
 * @param {string} theirs
 */
export async function verify(rows, ours, theirs) {
  for (const { name, requests, status } of rows) {
    const [request] = requests
    if (!request) continue
    const [response, rival] = [await send(ours, request), await send(theirs, request)]
    strictEqual(response.status, status, name)
    strictEqual(rival.status, status, name)
    if (request.method === 'GET') strictEqual(response.body.replaceAll(',\n', ','), rival.body, name)
    else deepStrictEqual(fieldsOf(response.body), fieldsOf(rival.body), name)
  }
}

/** Returns names and values in order, without the values that differ between the two services. @param {string} body */
function fieldsOf(body) {
  return Object.entries(JSON.parse(body)).map(([name, value]) =>
    ['id', 'created_at', 'updated_at', 'etag'].includes(name) ? [name] : [name, value],
  )
}

/** @param {string} baseUrl @param {Request} request */
async function send(baseUrl, { path, ...request }) {
  const response = await fetch(new URL(path, baseUrl), request)
  return { status: response.status, body: await response.text() }
}
