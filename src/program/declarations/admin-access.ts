import { commandsIn, defineCommand } from '../../cli/declaration.js'
import { databaseOption, repeatable } from '../options/shared-options.js'

const user = commandsIn(() => import('../../commands/admin/user.js'))
const token = commandsIn(() => import('../../commands/admin/token.js'))
const app = commandsIn(() => import('../../commands/admin/app.js'))

export const emailArgument = { '<email>': 'email address of the user' } as const
const scopeOption = {
  '--scope <scopes>': {
    description: 'scopes of the token, space-separated (default: service:read service:write)',
  },
} as const

/** `tt admin user`. */
export const userCommands = {
  add: defineCommand({
    summary: 'add a user with a password, a new bearer token, or neither',
    args: emailArgument,
    options: {
      '--name <name>': 'display name (default: the part before the @)',
      '--password-stdin': 'read the password from standard input; prints no token',
      '--without-token': 'add no token: the user signs in with OpenID Connect, or gets a password later',
      '--scope <scopes>': {
        ...scopeOption['--scope <scopes>'],
        conflicts: ['--password-stdin', '--without-token'],
        conflictReason: 'it is for tokens',
      },
      ...databaseOption,
    },
    examples: [
      'tt admin user add ada@example.com --password-stdin < password.txt',
      'tt admin user add bob@example.com --name Bob --scope service:read',
    ],
    load: user('add'),
  }),
  list: defineCommand({
    summary: 'list users',
    options: databaseOption,
    hasFormats: true,
    examples: ['tt admin user list', 'tt admin user list --json --database sqlite:team.db'],
    load: user('list'),
  }),
  password: defineCommand({
    summary: 'set the password of a user and revoke all their access',
    args: emailArgument,
    options: {
      '--password-stdin': { description: 'read the password from standard input', required: true },
      ...databaseOption,
    },
    examples: [
      'tt admin user password ada@example.com --password-stdin < password.txt',
      'tt admin user password ada@example.com --password-stdin --database sqlite:team.db < password.txt',
    ],
    load: user('password'),
  }),
  token: defineCommand({
    summary: 'create and print a bearer token',
    args: emailArgument,
    options: { ...scopeOption, ...databaseOption },
    examples: [
      'tt admin user token ada@example.com --scope service:read',
      'tt admin user token ada@example.com --jq .token',
    ],
    load: user('token'),
  }),
  deactivate: defineCommand({
    summary: 'deactivate a user and revoke all their access for good',
    args: emailArgument,
    options: databaseOption,
    examples: [
      'tt admin user deactivate ada@example.com',
      'tt admin user deactivate ada@example.com --database sqlite:team.db',
    ],
    load: user('deactivate'),
  }),
  activate: defineCommand({
    summary: 'activate a deactivated user; revoked tokens stay revoked',
    args: emailArgument,
    options: databaseOption,
    examples: [
      'tt admin user activate ada@example.com',
      'tt admin user activate ada@example.com --database sqlite:team.db',
    ],
    load: user('activate'),
  }),
  sessions: defineCommand({
    summary: 'list the browsers in which a user is signed in',
    args: emailArgument,
    options: databaseOption,
    hasFormats: true,
    examples: [
      'tt admin user sessions ada@example.com',
      'tt admin user sessions ada@example.com --json --database sqlite:team.db',
    ],
    load: user('sessions'),
  }),
  revoke: defineCommand({
    summary: 'revoke all tokens, applications and browser sessions of a user',
    args: emailArgument,
    options: databaseOption,
    examples: [
      'tt admin user revoke ada@example.com',
      'tt admin user revoke ada@example.com --yes --database sqlite:team.db',
    ],
    load: user('revoke'),
  }),
  unlink: defineCommand({
    summary: 'remove the link of a user to an account at an OpenID Connect provider',
    args: emailArgument,
    options: databaseOption,
    notes: [
      'The next sign-in with the same verified email address links the user again. Sign-ins and tokens stay valid: tt admin user revoke ends them.',
    ],
    examples: [
      'tt admin user unlink ada@example.com',
      'tt admin user unlink ada@example.com --database sqlite:team.db',
    ],
    load: user('unlink'),
  }),
  rm: defineCommand({
    summary: 'remove a user with all passwords, tokens and sign-ins',
    args: emailArgument,
    options: {
      '--keep-time': 'keep entries and expenses, for reports and invoices, as those of "Removed user ID"',
      '--delete-time': {
        description: 'delete entries and expenses, too',
        conflicts: ['--keep-time'],
      },
      ...databaseOption,
    },
    notes: [
      'A user with entries or expenses is only removed with one of the two options. A running entry that stays ends now.',
      'The email address, the name and the assignments go as well. Notes and external IDs of entries stay with --keep-time, and the audit log keeps its records except the changes of entries and expenses. A later user with the same email address gets nothing of the removed one.',
      'With --delete-time, removed-user-ID in `tt admin user list` also stands for a user who was removed with --keep-time. The owner of the local workspace cannot be removed.',
    ],
    examples: [
      'tt admin user rm ada@example.com --keep-time',
      'tt admin user rm ada@example.com --delete-time --database sqlite:team.db',
    ],
    load: () => import('../../commands/admin/user-removal.js'),
  }),
}

/** `tt admin token`. */
export const tokenCommands = {
  list: defineCommand({
    summary: 'list tokens, legacy keys and authorized applications',
    options: {
      '--user <email>': 'only those of this user',
      '--all': 'include those that are revoked or expired',
      ...databaseOption,
    },
    hasFormats: true,
    notes: ['Tokens themselves are not stored, only their hashes.'],
    examples: ['tt admin token list', 'tt admin token list --user ada@example.com --all --json'],
    load: token('list'),
  }),
  revoke: defineCommand({
    summary: 'revoke tokens, legacy keys and authorizations of applications',
    args: { '<id...>': 'ID in `tt admin token list`' },
    options: databaseOption,
    examples: ['tt admin token revoke t12', 'tt admin token revoke t12 g5 --yes --database sqlite:team.db'],
    load: token('revoke'),
  }),
}

/** `tt admin app`. */
export const appCommands = {
  add: defineCommand({
    summary: 'register an application and print its client ID and secret',
    args: { '<name>': 'application name shown on the consent page' },
    options: {
      '--redirect-uri <uri>': { ...repeatable('redirect URI'), required: true },
      '--public': 'a program on the machines of its users: PKCE without a client secret',
      ...databaseOption,
    },
    examples: [
      'tt admin app add tt --redirect-uri http://127.0.0.1/callback',
      'tt admin app add tt --public --redirect-uri http://127.0.0.1/callback',
      'tt admin app add Dashboard --redirect-uri https://dashboard.example.com/callback --database sqlite:team.db',
    ],
    load: app('add'),
  }),
  list: defineCommand({
    summary: 'list applications',
    options: databaseOption,
    hasFormats: true,
    examples: ['tt admin app list', 'tt admin app list --fields name,client_id'],
    load: app('list'),
  }),
  rm: defineCommand({
    summary: 'remove an application and revoke all its tokens',
    args: { '<id>': 'client ID' },
    options: databaseOption,
    examples: [
      'tt admin app rm app_5f0c1e9b7a3d4c2e8f6a1b0d',
      'tt admin app rm app_5f0c1e9b7a3d4c2e8f6a1b0d --database sqlite:team.db',
    ],
    load: app('rm'),
  }),
}
