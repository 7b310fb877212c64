import type { Command } from 'commander'
import { summaries } from '../command-list.js'
import { command, type LazyAction, listCommand } from '../lazy-commands.js'
import { examples, whereOption, withEntryFilters, withPeriod } from '../shared-options.js'

/** Declares the commands that list reference data, such as `tt projects`. */
export function declareWorkspace(program: Command, lazyAction: LazyAction) {
  listCommand(program, 'projects', summaries.projects, (command) =>
    command
      .addOption(whereOption())
      .addHelpText('after', examples('tt projects', 'tt projects --where name_cont=web'))
      .action(lazyAction(() => import('../../commands/projects.js'))),
  )
  listCommand(program, 'clients', summaries.clients, (command) =>
    command
      .addOption(whereOption())
      .addHelpText('after', examples('tt clients', 'tt clients --json'))
      .action(lazyAction(() => import('../../commands/clients.js'))),
  )
  listCommand(program, 'tasks', summaries.tasks, (command) =>
    command
      .addOption(whereOption())
      .addHelpText('after', examples('tt tasks', 'tt tasks --csv'))
      .action(lazyAction(() => import('../../commands/tasks.js'))),
  )
  listCommand(program, 'links', summaries.links, (command) =>
    command
      .addOption(whereOption())
      .addHelpText('after', examples('tt links', 'tt links --fields id,label'))
      .action(lazyAction(() => import('../../commands/links.js'))),
  )
  listCommand(program, 'assignments', summaries.assignments, (command) =>
    command
      .addOption(whereOption())
      .addHelpText('after', examples('tt assignments', 'tt assignments --fields project,starts_on,ends_on'))
      .action(lazyAction(() => import('../../commands/assignments.js'))),
  )
  command(program, 'company', summaries.company, (command) =>
    command
      .addHelpText('after', examples('tt company', 'tt company --json | jq -r .currency'))
      .action(lazyAction(() => import('../../commands/company.js'))),
  )
  listCommand(program, 'tags', summaries.tags, (command) =>
    withEntryFilters(withPeriod(command, 'entries'))
      .addHelpText('after', '\nA tag is a word in the notes with # before it, such as #logo.')
      .addHelpText('after', examples('tt tags', 'tt tags --year --client Acme'))
      .action(lazyAction(() => import('../../commands/tags.js'))),
  )
  listCommand(program, 'frequent', summaries.frequent, (command) =>
    command
      .addHelpText('after', examples('tt frequent', 'tt frequent --fields id,label'))
      .action(lazyAction(() => import('../../commands/frequent.js'))),
  )
}
