import { commandsIn, defineCommand, defineGroup } from '../../cli/declaration.js'
import { summaries } from '../command-list.js'
import { entryFilters } from '../options/entry-filters.js'
import { periodArgument, periodOptions, whereOption } from '../options/shared-options.js'
import { catalogCommands } from './catalog.js'

const changes = catalogCommands('workspace')
const tags = commandsIn(() => import('../../commands/tags.js'))

const archivedNotes = (records: string) => [
  `Archived ${records} are listed with \`--where active_eq=false\`.`,
]

/** The commands that list and change reference data, such as `tt projects`. */
export const commands = {
  projects: defineGroup({
    summary: summaries.projects,
    default: 'list',
    commands: {
      list: defineCommand({
        summary: 'list projects',
        optionGroups: { Filters: whereOption },
        hasFormats: true,
        notes: archivedNotes('projects'),
        examples: ['tt projects', 'tt projects list --where name_cont=web'],
        load: () => import('../../commands/projects.js'),
      }),
      ...changes.projects,
    },
    examples: ['tt projects', 'tt projects rename Website Acme/Website'],
  }),
  clients: defineGroup({
    summary: summaries.clients,
    default: 'list',
    commands: {
      list: defineCommand({
        summary: 'list clients',
        optionGroups: { Filters: whereOption },
        hasFormats: true,
        notes: archivedNotes('clients'),
        examples: ['tt clients', 'tt clients list --json'],
        load: () => import('../../commands/clients.js'),
      }),
      ...changes.clients,
    },
    examples: ['tt clients', 'tt clients rename Acme "Acme Ltd"'],
  }),
  tasks: defineGroup({
    summary: summaries.tasks,
    default: 'list',
    commands: {
      list: defineCommand({
        summary: 'list tasks with their projects',
        optionGroups: { Filters: whereOption },
        hasFormats: true,
        notes: archivedNotes('tasks'),
        examples: ['tt tasks', 'tt tasks list --fields id,label'],
        load: () => import('../../commands/tasks.js'),
      }),
      ...changes.tasks,
    },
    examples: ['tt tasks', 'tt tasks rename Website/Design Layout'],
  }),
  assignments: defineCommand({
    summary: summaries.assignments,
    optionGroups: { Filters: whereOption },
    hasFormats: true,
    examples: ['tt assignments', 'tt assignments --fields project,starts_on,ends_on'],
    load: () => import('../../commands/assignments.js'),
  }),
  company: defineCommand({
    summary: summaries.company,
    examples: ['tt company', 'tt company --jq .currency'],
    load: () => import('../../commands/company.js'),
  }),
  tags: defineGroup({
    summary: summaries.tags,
    default: 'list',
    commands: {
      list: defineCommand({
        summary: 'list tags in notes with their time (default: the last 7 days)',
        args: periodArgument('last 7 days'),
        optionGroups: { Filters: { ...periodOptions, ...entryFilters } },
        hasFormats: true,
        notes: ['A tag is a word in the notes with # before it, such as #logo.'],
        examples: ['tt tags', 'tt tags list 2024 --client Acme'],
        load: tags('list'),
      }),
      rename: defineCommand({
        summary: 'rename a tag in the notes of all entries',
        args: { '<tag>': 'tag, with or without #', '<name>': 'new name' },
        examples: ['tt tags rename logo branding', 'tt tags rename logo branding --yes'],
        load: tags('rename'),
      }),
    },
    examples: ['tt tags', 'tt tags rename logo branding'],
  }),
  frequent: defineCommand({
    summary: summaries.frequent,
    hasFormats: true,
    notes: ['`tt start` takes the ID of a task.'],
    examples: ['tt frequent', 'tt frequent --fields id,label'],
    load: () => import('../../commands/frequent.js'),
  }),
}
