import type { Command } from 'commander'
import { summaries } from '../command-list.js'
import { command, commandGroup, type LazyAction, listCommand } from '../lazy-commands.js'
import { examples } from '../shared-options.js'

/** Declares `tt login`, `logout`, `whoami` and `profiles`. */
export function declareAccounts(program: Command, lazyAction: LazyAction) {
  command(program, 'login', summaries.login, (command) =>
    command
      .optionsGroup('Service:')
      .option('--base-url <url>', 'base URL of the service, such as https://acme.example.com/api/v1')
      .option('--auth-url <url>', 'URL of the OAuth server (default: the origin of the base URL)')
      .option('--client-id <id>', 'client ID of your OAuth application')
      .option('--client-secret-stdin', 'read the client secret from standard input')
      .option('--scope <scopes>', 'scopes to request (default: "service:read service:write")')
      .option(
        '--redirect-uri <uri>',
        'registered redirect URI (default: http://127.0.0.1/callback on any free port)',
      )
      .option(
        '--no-browser',
        'print the sign-in URL instead of opening a browser, and prompt for the redirected URL',
      )
      .optionsGroup('API key:')
      .option('--key', 'get a legacy API key with email and password')
      .option('--email <address>', 'email address (with --key)')
      .option('--password-stdin', 'read the password from standard input (with --key)')
      .optionsGroup('Security:')
      .option(
        '--insecure-storage',
        'store secrets in plain text, in a file that only you can read, instead of in the keychain',
      )
      .option('--insecure-http', 'allow unencrypted HTTP to hosts other than this machine')
      .addHelpText(
        'after',
        examples(
          'tt login --base-url https://acme.example.com/api/v1 --client-id ID',
          'tt login --no-browser --profile acme',
          'tt login --key --email ada@example.com --password-stdin < password.txt',
        ),
      )
      .action(lazyAction(() => import('../../commands/login.js'))),
  )
  command(program, 'logout', summaries.logout, (command) =>
    command
      .addHelpText('after', examples('tt logout', 'tt logout --profile acme'))
      .action(lazyAction(() => import('../../commands/logout.js'))),
  )
  command(program, 'whoami', summaries.whoami, (command) =>
    command
      .addHelpText('after', examples('tt whoami', 'tt whoami --json | jq -r .scope'))
      .action(lazyAction(() => import('../../commands/whoami.js'))),
  )
  commandGroup(program, 'profiles', summaries.profiles, (command) => declareProfiles(command, lazyAction))
}

function declareProfiles(profiles: Command, lazyAction: LazyAction) {
  const load = () => import('../../commands/profiles.js')
  profiles.addHelpText('after', examples('tt profiles', 'tt profiles use acme', 'tt profiles use local'))
  listCommand(
    profiles,
    'list',
    'list profiles',
    (command) =>
      command
        .addHelpText('after', examples('tt profiles', 'tt profiles list --json'))
        .action(lazyAction(async () => (await load()).list)),
    true,
  )
  command(profiles, 'use', 'switch to a profile', (command) =>
    command
      .argument('<name>', 'profile name ("local" is the local workspace)')
      .addHelpText('after', examples('tt profiles use acme', 'tt profiles use local'))
      .action(lazyAction(async () => (await load()).use)),
  )
  command(profiles, 'rm', 'sign out of a profile and remove it', (command) =>
    command
      .argument('<name>', 'profile name')
      .addHelpText('after', examples('tt profiles rm acme', 'tt profiles rm acme --yes'))
      .action(lazyAction(async () => (await load()).rm)),
  )
}
