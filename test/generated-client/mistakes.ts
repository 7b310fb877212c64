// Mistakes that the compiler finds: `@ts-expect-error` is an error where the next line compiles.
import { client, filter, type Schemas } from './service.js'

const [time_start, task_link_id] = ['2024-05-01T09:00:00Z', 1]

export const mistakes = [
  // @ts-expect-error: There is no such path.
  () => client.GET('/api/v1/timesheet'),
  // @ts-expect-error: The path has no such method.
  () => client.DELETE('/api/v1/projects'),
  // @ts-expect-error: A record has an ID.
  () => client.GET('/api/v1/timesheets/{id}'),
  // @ts-expect-error: The list has no such parameter.
  () => client.GET('/api/v1/timesheets', { params: { query: { limit: 5 } } }),
  // @ts-expect-error: The only value is "ms".
  () => client.GET('/api/v1/timesheets', { params: { query: { times: 's' } } }),
  // @ts-expect-error: An entry requires a task link.
  () => client.POST('/api/v1/timesheets', { body: { time_start } }),
  // @ts-expect-error: An entry has no field "duration". The compiler accepts it without a named type of the body.
  (): Schemas['NewTimeEntry'] => ({ time_start, task_link_id, duration: 3600 }),
  // @ts-expect-error: The ID of a task link is a number.
  () => client.POST('/api/v1/timesheets', { body: { time_start, task_link_id: 'design' } }),
  // @ts-expect-error: The fields of an expense are in "expense".
  () => client.POST('/api/v1/expenses', { body: { spent_on: '2024-05-01', amount: '12.50' } }),
  // @ts-expect-error: Numbers have no matcher "cont".
  () => filter('TimeEntryFilter', { task_link_id_cont: 'design' }),
  async () => {
    const { data } = await client.GET('/api/v1/projects')
    // @ts-expect-error: The list is missing after an error.
    const [project] = data
    // @ts-expect-error: A project has no field "title".
    return [project, data?.[0]?.title]
  },
]
