import type { Command } from 'commander'
import { examples, group, type Lazily, leaf, list } from './declaring.js'

/** `tt login` and the other words about accounts. */
export function declareAccounts(program: Command, lazily: Lazily) {
  leaf(program, 'login', 'sign in to a service', (command) =>
    command
      .option('--base-url <url>', 'address of the service; ends in /api/v1')
      .option('--auth-url <url>', 'where it signs people in; default: the origin of the base URL')
      .option('--client-id <id>', 'of the OAuth application that is registered there')
      .option('--client-secret-stdin', 'read the client secret from standard input')
      .option('--scope <scopes>', 'what to ask for; default: "service:read service:write"')
      .option('--redirect-uri <uri>', 'as it is registered; default: http://127.0.0.1/callback with any port')
      .option('--no-browser', 'open no browser: show the address, and take the answer by paste')
      .option('--key', 'use a legacy key instead: email and password')
      .option('--email <address>', 'with --key')
      .option('--password-stdin', 'with --key: read the password from standard input')
      .option('--insecure-storage', 'keep the secrets in a file of your own instead of the keychain')
      .option('--insecure-http', 'allow http: to another machine')
      .addHelpText(
        'after',
        examples(
          'tt login --base-url https://acme.example.com/api/v1 --client-id ID',
          'tt login --no-browser --profile acme',
          'tt login --key --email ada@example.com --password-stdin < password.txt',
        ),
      )
      .action(lazily(() => import('../commands/login.js'))),
  )
  leaf(program, 'logout', 'sign out: have the tokens revoked, and forget them', (command) =>
    command
      .addHelpText('after', examples('tt logout', 'tt logout --profile acme'))
      .action(lazily(() => import('../commands/logout.js'))),
  )
  leaf(program, 'whoami', 'who is signed in where, by which method, until when', (command) =>
    command
      .addHelpText('after', examples('tt whoami', 'tt whoami --json | jq -r .scope'))
      .action(lazily(() => import('../commands/whoami.js'))),
  )
  group(program, 'profiles', 'list, choose and remove accounts', (command) =>
    declareProfiles(command, lazily),
  )
}

function declareProfiles(profiles: Command, lazily: Lazily) {
  const load = () => import('../commands/profiles.js')
  profiles.addHelpText('after', examples('tt profiles', 'tt profiles use acme', 'tt profiles use local'))
  list(
    profiles,
    'list',
    'list accounts',
    (command) =>
      command
        .addHelpText('after', examples('tt profiles', 'tt profiles list --json'))
        .action(lazily(async () => (await load()).list)),
    true,
  )
  leaf(profiles, 'use', 'make an account the current one', (command) =>
    command
      .argument('<name>', 'a profile; "local" is the local workspace')
      .addHelpText('after', examples('tt profiles use acme', 'tt profiles use local'))
      .action(lazily(async () => (await load()).use)),
  )
  leaf(profiles, 'rm', 'sign out of an account and forget it', (command) =>
    command
      .argument('<name>', 'a profile')
      .addHelpText('after', examples('tt profiles rm acme', 'tt profiles rm acme --yes'))
      .action(lazily(async () => (await load()).rm)),
  )
}
