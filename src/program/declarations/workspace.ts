import type { Command } from 'commander'
import { command, examples, type LazyAction, listCommand, whereOption } from '../lazy-commands.js'

/** What the workspace holds. */
export function declareWorkspace(program: Command, lazily: LazyAction) {
  listCommand(program, 'projects', 'list projects', (command) =>
    command
      .addOption(whereOption())
      .addHelpText('after', examples('tt projects', 'tt projects --where name_cont=web'))
      .action(lazily(() => import('../../commands/projects.js'))),
  )
  listCommand(program, 'clients', 'list clients', (command) =>
    command
      .addOption(whereOption())
      .addHelpText('after', examples('tt clients', 'tt clients --json'))
      .action(lazily(() => import('../../commands/clients.js'))),
  )
  listCommand(program, 'tasks', 'list tasks', (command) =>
    command
      .addOption(whereOption())
      .addHelpText('after', examples('tt tasks', 'tt tasks --csv'))
      .action(lazily(() => import('../../commands/tasks.js'))),
  )
  listCommand(program, 'links', 'list task links (project and task combinations)', (command) =>
    command
      .addOption(whereOption())
      .addHelpText('after', examples('tt links', 'tt links --fields id,label'))
      .action(lazily(() => import('../../commands/links.js'))),
  )
  listCommand(program, 'assignments', 'list your project assignments', (command) =>
    command
      .addOption(whereOption())
      .addHelpText('after', examples('tt assignments', 'tt assignments --fields project,starts_on,ends_on'))
      .action(lazily(() => import('../../commands/assignments.js'))),
  )
  command(program, 'company', 'show your company', (command) =>
    command
      .addHelpText('after', examples('tt company', 'tt company --json | jq -r .currency'))
      .action(lazily(() => import('../../commands/company.js'))),
  )
  listCommand(program, 'frequent', 'list the task links used most in the last 7 days', (command) =>
    command
      .addHelpText('after', examples('tt frequent', 'tt frequent --fields id,label'))
      .action(lazily(() => import('../../commands/frequent.js'))),
  )
}
