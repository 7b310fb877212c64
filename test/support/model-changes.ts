import { type ExpectedRecord, type Model, nextModel } from './model.js'

/** Effects of the commands on a model. */

export const isRunning = ({ kind, fields }: ExpectedRecord) => kind === 'entry' && fields.time_end === null

export const findRunning = ({ records }: Model) => records.find(isRunning)

export function createRecord(model: Model, record: ExpectedRecord): Model {
  return nextModel(model, [...model.records, record])
}

/** Starts a timer and stops the running one at the same time. */
export function startTimer(model: Model, record: ExpectedRecord): Model {
  return nextModel(model, [...endRunning(model, { time_end: record.fields.time_start }), record])
}

/** Stops the timer. Returns undefined if none runs. */
export function stopTimer(model: Model, fields: ExpectedRecord['fields']): Model | undefined {
  return findRunning(model) && nextModel(model, endRunning(model, fields))
}

export function updateRecord(
  model: Model,
  { kind, mark }: ExpectedRecord,
  fields: ExpectedRecord['fields'],
): Model {
  const isTarget = (record: ExpectedRecord) => record.kind === kind && record.mark === mark
  return nextModel(
    model,
    model.records.map((record) => (isTarget(record) ? withFields(record, fields) : record)),
  )
}

export function removeRecords(model: Model, isRemoved: (record: ExpectedRecord) => boolean): Model {
  return nextModel(
    model,
    model.records.filter((record) => !isRemoved(record)),
  )
}

function endRunning({ records }: Model, fields: ExpectedRecord['fields']): ExpectedRecord[] {
  return records.map((record) => (isRunning(record) ? withFields(record, fields) : record))
}

const withFields = (record: ExpectedRecord, fields: ExpectedRecord['fields']): ExpectedRecord => ({
  ...record,
  fields: { ...record.fields, ...fields },
})
