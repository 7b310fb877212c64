import { describe, expect, test } from 'vitest'
import { textSourceOf } from '../../../../src/import-export/import/source/text-source.js'
import { readMappingFile } from '../../../../src/import-export/importer/mapping-file.js'
import { assignmentText, localIndex, namesOf, serviceIndex } from './links.js'

const paths = ['Acme/Website/Design', 'Acme/Website/Review', 'App/Review', 'Globex/Website/Design']
const header = 'client,project,task,tags,tt_task'

/** Reads a mapping file with these lines after the header. */
const mappingOf = (lines: string[], { index = localIndex(...paths), first = header } = {}) =>
  readMappingFile(textSourceOf('map.csv', [first, ...lines, ''].join('\n')), index)

const found = async (lines: string[], names: string, first = header) =>
  assignmentText((await mappingOf(lines, { first })).find(namesOf(names)))

describe('a mapping file', () => {
  test.each([
    ['Acme,Site,Design,,App/Review', 'Acme/Site/Design', 'App / Review'],
    ['Acme,Site,Design,,2', 'acme/SITE/design', 'Acme / Website / Review'],
    ['Acme,Site,,,Acme / Website / Design', 'Acme/Site/-', 'Acme / Website / Design'],
    ['Acme,Site,,,App/Review', 'Acme/Site/Design', undefined],
    [',,,"front end, Urgent",App/Review', '#urgent #front', undefined],
    [',,,"#urgent,front",App/Review', '#front #Urgent', 'App / Review'],
    [',,,,App/Review', '-/-/-', 'App / Review'],
    ['Acme,Site,Design,,New project/Task', 'Acme/Site/Design', 'new New project/Task'],
    ["Acme,'=Site,Design,,App/Review", 'Acme/=Site/Design', 'App / Review'],
  ])('with the line %s assigns to %s the task link %s', async (line, names, expected) => {
    expect(await found([line], names)).toBe(expected)
  })

  test('prefers the line with exactly the names, then the first pattern', async () => {
    const lines = ['*,Site,*,*,App/Review', 'Acme,*,*,*,2', 'Acme,Site,Design,,1', 'Acme,Site,Other,,']
    expect(await found(lines, 'Acme/Site/Design')).toBe('Acme / Website / Design')
    expect(await found(lines, 'Acme/Site/Review')).toBe('App / Review')
    expect(await found(lines, 'Acme/App/Review')).toBe('Acme / Website / Review')
    // Its own line leaves it to the names.
    expect(await found(lines, 'Acme/Site/Other')).toBeUndefined()
  })

  test('may lack columns, which then match everything, and have others', async () => {
    expect(await found(['Site,12,App/Review'], 'Acme/Site/Design', 'Project,hours,tt_task')).toBe(
      'App / Review',
    )
    expect(await found(['urgent;App/Review'], '#urgent', 'tags;TT_Task')).toBe('App / Review')
  })

  test('names its lines that match nothing', async () => {
    const mapping = await mappingOf(['Acme,Site,,,1', ',Other,,,1', ',Empty,,,', '*,Any,*,,1'])
    mapping.find(namesOf('Acme/Site/-'))
    expect(mapping.unusedRows()).toEqual([
      'map.csv:3: No entry has these names.',
      'map.csv:5: No entry has these names.',
    ])
  })
})

describe('an error of a mapping file', () => {
  test.each([
    ['Desgn', '"Desgn" matches no task. Did you mean Design'],
    [
      'Website/Design',
      '"Website/Design" matches several tasks: Acme / Website / Design; Globex / Website / Design.',
    ],
    ['99', '"99" matches no task.'],
  ])('names the line, the column and candidates for %s', async (link, message) => {
    for (const index of [localIndex(...paths), serviceIndex(...paths)]) {
      const error = await mappingOf(['Acme,Site,,,1', `Acme,Other,,,${link}`], { index }).catch(
        (error) => error,
      )
      expect(error).toMatchObject({ code: 'usage' })
      expect(error.message).toMatch(/^map\.csv:3:5: tt_task: "/)
      expect(error.message).toContain(message)
    }
  })

  test('names a project that the service does not have', async () => {
    await expect(mappingOf(['Acme,Site,,,New/Task'], { index: serviceIndex(...paths) })).rejects.toThrow(
      'map.csv:2:5: tt_task: "New/Task" matches no task.',
    )
  })

  test('names two lines with the same names and different task links', async () => {
    await expect(mappingOf(['Acme,Site,,,1', 'ACME,site,,,2'])).rejects.toThrow(
      'map.csv:3: Line 2 has the same names.',
    )
    await expect(mappingOf(['Acme,Site,,,1', 'ACME,site,,,1'])).resolves.toBeDefined()
  })

  test.each([
    ['client,project', 'map.csv:1: The column tt_task is missing. The file has: client, project.'],
    ['tt_task,hours', 'map.csv:1: The column client, project, task, tags is missing.'],
  ])('names the columns that %s lacks', async (first, message) => {
    await expect(mappingOf([], { first })).rejects.toMatchObject({
      message: expect.stringContaining(message),
      hint: 'The first line of map.csv must be client,project,task,tags,tt_task.',
    })
  })
})
