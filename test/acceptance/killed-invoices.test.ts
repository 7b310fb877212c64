import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { invoiceNumbersPath } from '../../src/config/paths.js'
import type { InvoiceBody } from '../../src/records/shapes/invoices.js'
import { readRows } from '../support/database-files.js'
import { checkIntegrity } from '../support/integrity.js'
import { killAfter } from '../support/killed-commands.js'
import { preparedCli } from '../support/prepared-cli.js'
import { tt, ttJson } from '../support/process.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'

const killCount = Number(process.env.TT_INVOICE_KILLS ?? 24)
const months = 6
const entriesEach = 4

interface Stored {
  id: string
  number: string
  cancels: string | null
  body: InvoiceBody
}

/** Returns what the disk has, as the next process finds it. */
async function readDisk(home: string) {
  const numbersPath = invoiceNumbersPath({ config: home, data: home, state: home })
  const { numbers = {} } = existsSync(numbersPath)
    ? (JSON.parse(readFileSync(numbersPath, 'utf8')) as {
        numbers: Record<string, { invoice: string; reserved?: true }>
      })
    : {}
  const workspace = join(home, 'workspace.db')
  const rows = await readRows<Omit<Stored, 'body'> & { body: string }>(
    workspace,
    'SELECT id, number, cancels, body FROM invoice',
  )
  const invoiced = await readRows<{ kind: string; record: string; invoice: string }>(
    workspace,
    'SELECT kind, record, invoice FROM invoiced',
  )
  const invoices = rows.map((row): Stored => ({ ...row, body: JSON.parse(row.body) as InvoiceBody }))
  return { numbers, invoices, invoiced }
}

/** Returns what is wrong: two invoices with a number, an entry on two of them, a number without a record. */
async function flawsOf(home: string, documents: string): Promise<string[]> {
  const { numbers, invoices, invoiced } = await readDisk(home)
  const flaws: string[] = []
  const byNumber = new Map(invoices.map((invoice) => [invoice.number, invoice]))
  if (byNumber.size < invoices.length) flaws.push('two records have one number')
  for (const [number, { invoice, reserved }] of Object.entries(numbers)) {
    const record = byNumber.get(number)
    if (!record && !reserved) flaws.push(`the number ${number} has no record`)
    if (record && record.id !== invoice) flaws.push(`the number ${number} belongs to another record`)
  }
  for (const { number, body } of invoices) {
    if (!Object.hasOwn(numbers, number)) flaws.push(`the number ${number} is not taken`)
    if (body.number !== number) flaws.push(`the record ${number} has the number ${body.number}`)
  }
  const cancelled = new Set(invoices.map(({ cancels }) => cancels))
  const owners = new Map<string, string>()
  for (const { id, number, body } of invoices) {
    if (body.kind === 'cancellation' || cancelled.has(id)) continue
    const records = invoiced.filter(({ invoice }) => invoice === id).map(({ record }) => record)
    if (records.length !== body.entries.length) flaws.push(`${number} has ${records.length} of its entries`)
    for (const { id: entry } of body.entries) {
      const other = owners.get(String(entry))
      if (other !== undefined) flaws.push(`entry ${entry} is on ${other} and ${number}`)
      owners.set(String(entry), number)
    }
  }
  if (owners.size !== invoiced.length)
    flaws.push(`${invoiced.length} entries are invoiced, not ${owners.size}`)
  for (const file of readdirSync(documents).filter((name) => name.endsWith('.json'))) {
    const document = JSON.parse(readFileSync(join(documents, file), 'utf8')) as InvoiceBody
    const record = byNumber.get(String(document.number))
    if (record?.body.total !== document.total) flaws.push(`${file} is not the record ${document.number}`)
  }
  return flaws
}

const createCli = preparedCli('2024-08-01T12:00:00', async (cli) => {
  await cli.json('config', 'set', 'rate.Acme', '95EUR')
  await cli.json('config', 'set', 'invoice.sender.name', 'Ada')
  await cli.json('config', 'set', 'invoice.tax', '19')
  for (let month = 1; month <= months; month++) {
    for (let day = 1; day <= entriesEach; day++) {
      const from = `2024-0${month}-0${day} 9:00`
      await cli.json('add', 'Acme/Website/Design', '--from', from, '--for', `${day}h${month}m`)
    }
  }
})

const createHome = async () => (await createCli()).home

test(`invoices and numbers agree after ${killCount} kills of tt invoice, void, undo and restore`, async () => {
  const seed = chooseSeed('killed invoices')
  const random = new SeededRandom(seed)
  const home = await createHome()
  const documents = join(home, 'documents')
  mkdirSync(documents)
  const backup = join(home, 'backup.tar.gz')
  expect(await tt(home, ['backup', backup])).toMatchObject({ status: 0 })
  let count = 0
  const file = () => join(documents, `${count++}.json`)
  const issued = async () => {
    const { invoices } = await readDisk(home)
    const cancelled = new Set(invoices.map(({ cancels }) => cancels))
    return invoices.filter(({ id, body }) => body.kind === 'invoice' && !cancelled.has(id))
  }
  const write = () => ['invoice', 'Acme', `2024-0${random.between(1, months)}`, '--yes', '-o', file()]
  const nextCommand = async (): Promise<string[]> => {
    const invoices = await issued()
    const chosen = invoices.length > 0 ? random.pick(invoices).number : undefined
    if (chosen === undefined) return write()
    const [last] = await ttJson<{ what: string }[]>(home, 'undo', '--list')
    const choice = random.next()
    if (choice < 0.45) return write()
    if (choice < 0.8) return ['invoice', 'void', chosen, '--yes', '-o', file()]
    if (choice < 0.9 && last?.what.startsWith('Invoice')) return ['undo', '--yes']
    return ['restore', backup, '--yes']
  }
  let [killed, durationMs] = [0, 600]
  while (killed < killCount) {
    const argv = await nextCommand()
    if (random.chance(0.2)) {
      // The same command in two processes, one of them killed, if it writes a file: then each writes its own.
      const [, isKilled] = await Promise.all([
        killAfter(home, argv, 60_000),
        argv.includes('-o') && killAfter(home, [...argv.slice(0, -1), file()], random.between(0, durationMs)),
      ])
      if (isKilled) killed++
    } else {
      const start = performance.now()
      if (await killAfter(home, argv, random.between(0, Math.ceil(durationMs * 1.2)))) killed++
      else durationMs = Math.max(200, Math.min(3000, Math.ceil(performance.now() - start)))
    }
    expect({ seed, argv, flaws: await flawsOf(home, documents) }).toEqual({ seed, argv, flaws: [] })
  }
  // The next number settles what was reserved.
  await tt(home, ['add', 'Acme/Website/Design', '--from', '2024-09-01 9:00', '--for', '1h'], { TZ: 'UTC' })
  expect(await tt(home, ['invoice', 'Acme', '2024-09', '--yes', '-o', file()], { TZ: 'UTC' })).toMatchObject({
    status: 0,
  })
  const { numbers, invoices } = await readDisk(home)
  expect(Object.values(numbers).filter(({ reserved }) => reserved)).toEqual([])
  expect(Object.keys(numbers).length).toBe(invoices.length)
  expect((await checkIntegrity(home)).findings).toEqual([])
  process.stdout.write(`${killed} kills, ${invoices.length} invoices and cancellations\n`)
})

test('of many processes, each gets a number of its own, and each entry is billed once', async () => {
  const home = await createHome()
  const documents = join(home, 'documents')
  mkdirSync(documents)
  const results = await Promise.all(
    Array.from({ length: 2 * months }, (_, index) =>
      tt(
        home,
        ['invoice', 'Acme', `2024-0${1 + (index % months)}`, '--yes', '-o', join(documents, `${index}.json`)],
        { TZ: 'UTC' },
      ),
    ),
  )
  // Of two for the same month, one finds nothing left, or what it bills changed.
  for (const { status, stderr } of results)
    if (status !== 0) expect(stderr).toMatch(/nothing to invoice|has changed/)
  expect(results.filter(({ status }) => status === 0).length).toBeGreaterThan(0)
  expect(await flawsOf(home, documents)).toEqual([])
  const { invoices, invoiced } = await readDisk(home)
  expect(invoices.map(({ number }) => number.slice(-3)).sort()).toEqual(
    invoices.map((_, index) => String(index + 1).padStart(3, '0')),
  )
  // An invoice also has the entries of months without one.
  expect(invoiced.length).toBe(invoices.reduce((sum, { body }) => sum + body.entries.length, 0))
  expect(invoiced.length).toBeGreaterThan(0)
})
