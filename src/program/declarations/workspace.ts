import { summaries } from '../command-list.js'
import { defineCommand } from '../declaration.js'
import { entryFilters, periodArgument, periodOptions, whereOption } from '../options/shared-options.js'

/** The commands that list reference data, such as `tt projects`. */
export const commands = {
  projects: defineCommand({
    summary: summaries.projects,
    optionGroups: { Filters: whereOption },
    hasFormats: true,
    examples: ['tt projects', 'tt projects --where name_cont=web'],
    load: () => import('../../commands/projects.js'),
  }),
  clients: defineCommand({
    summary: summaries.clients,
    optionGroups: { Filters: whereOption },
    hasFormats: true,
    examples: ['tt clients', 'tt clients --json'],
    load: () => import('../../commands/clients.js'),
  }),
  tasks: defineCommand({
    summary: summaries.tasks,
    optionGroups: { Filters: whereOption },
    hasFormats: true,
    notes: ['Archived tasks are listed with `--where active_eq=false`.'],
    examples: ['tt tasks', 'tt tasks --fields id,label'],
    load: () => import('../../commands/tasks.js'),
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
  tags: defineCommand({
    summary: summaries.tags,
    args: periodArgument('the last 7 days'),
    optionGroups: { Period: periodOptions('entries'), Filters: entryFilters },
    hasFormats: true,
    notes: ['A tag is a word in the notes with # before it, such as #logo.'],
    examples: ['tt tags', 'tt tags 2024 --client Acme'],
    load: () => import('../../commands/tags.js'),
  }),
  frequent: defineCommand({
    summary: summaries.frequent,
    hasFormats: true,
    examples: ['tt frequent', 'tt frequent --fields id,label'],
    load: () => import('../../commands/frequent.js'),
  }),
}
