import { commandsIn, defineCommand, defineGroup } from '../../cli/declaration.js'
import { summaries } from '../command-list.js'

const profiles = commandsIn(() => import('../../commands/profiles.js'))

/** `tt login`, `logout`, `whoami` and `profiles`. */
export const commands = {
  login: defineCommand({
    summary: summaries.login,
    optionGroups: {
      Service: {
        '--base-url <url>': 'base URL of the service, such as https://acme.example.com/api/v1',
        '--auth-url <url>': 'URL of the OAuth server (default: the origin of the base URL)',
        '--client-id <id>': 'client ID of your OAuth application',
        '--client-secret-stdin': 'read the client secret from standard input',
        '--scope <scopes>': 'scopes to request (default: "service:read service:write")',
        '--redirect-uri <uri>':
          'registered redirect URI (default: http://127.0.0.1/callback on any free port)',
        '--no-browser':
          'print the sign-in URL instead of opening a browser, and prompt for the redirected URL',
      },
      'API key': {
        '--key': {
          description: 'get a legacy API key with email and password',
          conflicts: ['--client-id', '--client-secret-stdin', '--redirect-uri', '--scope'],
          conflictReason: 'it signs in with email and password',
        },
        '--email <address>': { description: 'email address', needs: '--key' },
        '--password-stdin': { description: 'read the password from standard input', needs: '--key' },
      },
      Security: {
        '--insecure-storage':
          'store secrets in plain text, in a file that only you can read, instead of in the keychain',
        '--insecure-http': 'allow unencrypted HTTP to hosts other than this machine',
      },
    },
    examples: [
      'tt login --base-url https://acme.example.com/api/v1 --client-id ID',
      'tt login --no-browser --profile acme',
      'tt login --key --email ada@example.com --password-stdin < password.txt',
    ],
    load: () => import('../../commands/login.js'),
  }),
  logout: defineCommand({
    summary: summaries.logout,
    examples: ['tt logout', 'tt logout --profile acme'],
    load: () => import('../../commands/logout.js'),
  }),
  whoami: defineCommand({
    summary: summaries.whoami,
    examples: ['tt whoami', 'tt whoami --jq .scope'],
    load: () => import('../../commands/whoami.js'),
  }),
  profiles: defineGroup({
    summary: summaries.profiles,
    default: 'list',
    commands: {
      list: defineCommand({
        summary: 'list profiles',
        hasFormats: true,
        examples: ['tt profiles', 'tt profiles list --json'],
        load: profiles('list'),
      }),
      use: defineCommand({
        summary: 'switch to a profile',
        args: { '<name>': 'profile name ("local" is the local workspace)' },
        examples: ['tt profiles use acme', 'tt profiles use local'],
        load: profiles('use'),
      }),
      rm: defineCommand({
        summary: 'sign out of a profile and remove it',
        args: { '<name>': 'profile name' },
        examples: ['tt profiles rm acme', 'tt profiles rm acme --yes'],
        load: profiles('rm'),
      }),
    },
    examples: ['tt profiles', 'tt profiles use acme', 'tt profiles use local'],
  }),
}
