// Requests and their failures, sign-in, files of the user, hooks, backup, completion, and the tools for agents.

/** @type {import('../mutants.js').MutatedFile[]} */
export const system = [
  {
    file: 'src/api-client/http/client.ts',
    mutants: [
      {
        name: 'sends the token to another host',
        replace: 'if (target.origin !== from.origin) {',
        with: "if (target.origin !== from.origin && target.protocol === 'ftp:') {",
      },
      {
        name: 'sends a change as GET after a redirect',
        replace: "if (status < 307 && method !== 'GET' && method !== 'HEAD') {",
        with: "if (status < 300 && method !== 'GET' && method !== 'HEAD') {",
      },
      {
        name: 'follows redirects without end',
        replace: 'const maxRedirects = 5',
        with: 'const maxRedirects = 50',
      },
    ],
  },
  {
    file: 'src/api-client/http/base-url.ts',
    mutants: [
      {
        name: 'sends the token over an unencrypted connection',
        replace: "if (url.protocol === 'http:' && !insecureHttp && !isLoopback(url.hostname)) {",
        with: "if (url.protocol === 'http:' && insecureHttp && !isLoopback(url.hostname)) {",
      },
      {
        name: 'takes an address that begins with 127 for this machine',
        replace: '/^127\\.\\d+\\.\\d+\\.\\d+$/.test(hostname)',
        with: '/^127\\./.test(hostname)',
      },
      {
        name: 'accepts a password in the address of a service',
        replace: 'if (url.username || url.password || url.search || url.hash) {',
        with: 'if (url.search || url.hash) {',
      },
    ],
  },
  {
    file: 'src/api-client/http/circuit-breaker.ts',
    mutants: [
      {
        name: 'waits the same time after each failure',
        replace: 'firstWaitMs * 2 ** (failures - 1)',
        with: 'firstWaitMs * 2 ** 0',
      },
      {
        name: 'waits longer and longer after failures',
        replace: 'Math.min(longestWaitMs, firstWaitMs *',
        with: 'Math.max(0, firstWaitMs *',
      },
      {
        name: 'sends requests during the pause that the service requested',
        replace: 'if (!record || remainingMs === 0) return this.#openedBy',
        with: 'if (!record || remainingMs >= 0) return this.#openedBy',
      },
      {
        name: 'stops sending for years after the clock was set back',
        replace: 'return remainingMs > 0 && remainingMs <= longestPauseMs ? remainingMs : 0',
        with: 'return remainingMs > 0 ? remainingMs : 0',
      },
      {
        name: 'takes a page of a proxy with status 404 for an unreachable service',
        replace: 'isInconclusive(error) && error.status !== 403 && error.status !== 404)',
        with: 'isInconclusive(error) && error.status !== 403)',
      },
    ],
  },
  {
    file: 'src/api-client/http/status-errors.ts',
    mutants: [
      {
        name: 'takes a page with status 404 for a missing record',
        replace: "if (text.trim() !== '' && !isJson(text))\n      return new InvalidResponseError(notFound",
        with: "if (text.trim() === '' && !isJson(text))\n      return new InvalidResponseError(notFound",
      },
      {
        name: 'takes 429 for a request that may have been applied',
        replace: 'isUnsent: status === 429,',
        with: 'isUnsent: false,',
      },
      {
        name: 'takes 503 for a rejection of the change',
        replace: '[408, 425, 429].includes(status) || status >= 500',
        with: '[408, 425, 429].includes(status) || status === 500',
      },
    ],
  },
  {
    file: 'src/api-client/paging/numbered-pages.ts',
    mutants: [
      {
        name: 'takes a list with missing pages for a complete one',
        replace: 'if (isAnnounced) return missingPages(reader, pagesRead)',
        with: 'if (isAnnounced) return undefined',
      },
      {
        name: 'takes a single rejected page for the end of a list',
        replace: 'if (error instanceof RejectedError) return open()\n    throw error',
        with: 'throw error',
      },
    ],
  },
  {
    file: 'src/api-client/filter/conditions.ts',
    mutants: [
      {
        name: 'filters pending records with _gteq as if it were greater than',
        replace:
          "if (matcher === 'eq') return order === 0\n  return matcher === 'gteq' ? order >= 0 : order < 0",
        with: "if (matcher === 'eq') return order === 0\n  return matcher === 'gteq' ? order > 0 : order < 0",
      },
      {
        name: 'lets a pending record without the field pass a filter',
        replace: 'if (!condition || !Object.hasOwn(record, condition.field)) return false',
        with: 'if (!condition || !Object.hasOwn(record, condition.field)) return true',
      },
    ],
  },
  {
    file: 'src/api-client/auth/session.ts',
    mutants: [
      {
        name: 'sends a refresh token that another process has used',
        replace: "if (current.method === 'key' || current.access_token !== rejected) {",
        with: "if (current.method === 'key') {",
      },
      {
        name: 'keeps the old refresh token although the response has a new one',
        replace: 'refresh_token: grant.refreshToken ?? current.refresh_token,',
        with: 'refresh_token: current.refresh_token,',
      },
      {
        name: 'loses the refresh token when the response has none',
        replace: 'refresh_token: grant.refreshToken ?? current.refresh_token,',
        with: 'refresh_token: grant.refreshToken,',
      },
      {
        name: 'sends one refresh for each of several requests',
        replace: 'if (inFlight?.rejected !== rejected) {',
        with: 'if (inFlight?.rejected !== rejected || inFlight) {',
        survives: 'The lock of the profile shares the refresh as well; this saves waiting for it.',
      },
      {
        name: 'ends the sign-in when the response to a refresh is lost',
        replace: 'if (isResponseLost(error)) return send()\n',
        with: '\n',
      },
      {
        name: 'keeps a refresh token that the service has rejected',
        replace:
          "await options.store.write({ ...current, access_token: '', refresh_token: null, expires_at: null })",
        with: '',
      },
    ],
  },
  {
    file: 'src/api-client/auth/oauth/authorization-response.ts',
    mutants: [
      {
        name: 'accepts the response of another sign-in',
        replace: 'if (!isSameSecret(state, expected.state))',
        with: 'if (state.length !== expected.state.length)',
      },
      {
        name: 'accepts a response from another issuer',
        replace: 'if (mismatch) return { error: mismatch }',
        with: '',
      },
      {
        name: 'accepts a response with a repeated parameter',
        replace: 'if (new Set(names).size !== names.length) return',
        with: 'if (names.length === 0) return',
      },
      {
        name: 'accepts a pasted address of another site',
        replace: "(['protocol', 'host', 'pathname'] as const).every(",
        with: "(['protocol', 'pathname'] as const).every(",
      },
    ],
  },
  {
    file: 'src/api-client/auth/oauth/callback-server.ts',
    mutants: [
      {
        name: 'accepts an unencrypted redirect URI of another machine',
        replace: "if (new URL(text).protocol === 'http:') {",
        with: "if (new URL(text).protocol === 'ftp:') {",
      },
    ],
  },
  {
    file: 'src/api-client/auth/oauth/oauth-client.ts',
    mutants: [
      {
        name: 'sends secrets to an endpoint of another origin',
        replace: 'new URL(address).origin === base.origin',
        with: 'new URL(address).origin !== ""',
      },
      {
        name: 'signs in at a server without PKCE',
        replace: "if (Array.isArray(challengeMethods) && !challengeMethods.includes('S256')) {",
        with: 'if (Array.isArray(challengeMethods) && challengeMethods.length === 0) {',
      },
    ],
  },
  {
    file: 'src/api-client/auth/credentials/credentials.ts',
    mutants: [
      {
        name: 'reads credentials that other users can read',
        replace: 'if (mode & 0o077) {',
        with: 'if (mode & 0o022) {',
      },
      {
        name: 'follows a link to the credentials',
        replace: 'readConfigFile(path, { noFollow: true, check',
        with: 'readConfigFile(path, { noFollow: false, check',
      },
      {
        name: 'leaves the directory of credentials open to other users',
        replace: 'restrictToOwner(dirname(file))\n',
        with: '\n',
      },
    ],
  },
  {
    file: 'src/lib/private-file.ts',
    mutants: [
      {
        name: 'writes private files that other users can read',
        replace: "openSync(path, 'wx', 0o600)",
        with: "openSync(path, 'wx', 0o644)",
      },
      {
        name: 'leaves a temporary file after a failed write',
        replace: 'removeIfExists(temporary)\n    throw error',
        with: 'throw error',
      },
    ],
  },
  {
    file: 'src/lib/output-file.ts',
    mutants: [
      {
        name: 'replaces a link with a file',
        replace: 'existsSync(path) && !descriptorPath.test(path) ? realpathSync(path) : path',
        with: 'path',
      },
      {
        name: 'changes the permissions of a file that it replaces',
        replace: 'if (!isNew) fchmodSync(file, statSync(this.#target).mode & 0o777)',
        with: '',
      },
      {
        name: 'replaces a file that is protected against writing',
        replace: 'if (!isNew) accessSync(this.#target, constants.W_OK)',
        with: '',
        survives: 'The tests run as root, whom no permission stops.',
      },
      {
        name: 'leaves a part of the output after a failure',
        replace: 'if (this.#temporary !== undefined) rmSync(this.#temporary, { force: true })',
        with: '',
      },
    ],
  },
  {
    file: 'src/lib/is-same-secret.ts',
    mutants: [
      {
        name: 'takes secrets of equal length for the same',
        replace: 'left.length === right.length && timingSafeEqual(left, right)',
        with: 'left.length === right.length || timingSafeEqual(left, right)',
      },
    ],
  },
  {
    file: 'src/lib/currencies.ts',
    mutants: [
      {
        name: 'takes an unknown currency for one without decimals',
        replace: 'return knownDecimals(code) ?? 2',
        with: 'return knownDecimals(code) ?? 0',
      },
    ],
  },
  {
    file: 'src/config/directory-file.ts',
    mutants: [
      {
        name: 'uses a directory file of another user',
        replace: ".every((owner) => owner === ownUid || owner === 0)) return 'belongs to another user'",
        with: ".some((owner) => owner === ownUid || owner === 0)) return 'belongs to another user'",
      },
      {
        name: 'uses a directory file below a directory that every user can write to',
        replace: '(statSync(directory).mode & 0o1002) === 0o002',
        with: '(statSync(directory).mode & 0o1002) === 0o1002',
      },
      {
        name: 'looks for the directory file in the current directory only',
        replace: 'if (dirname(here) === here) return undefined\n  }\n}\n\n/** Whether the file exists.',
        with: 'return undefined\n  }\n}\n\n/** Whether the file exists.',
      },
      {
        name: 'ignores a value of a directory file that is not a text',
        replace: 'else throw new ConfigFileError(`has a "${key}" that is not a text`)',
        with: '',
      },
    ],
  },
  {
    file: 'src/config/config-file.ts',
    mutants: [
      {
        name: 'reads a configuration file of any size',
        replace: 'throw new ConfigFileError(`is larger than ${limitBytes / 1024} KiB`)',
        with: "return bytes.toString('utf8', 0, length)",
      },
      {
        name: 'waits for a pipe in place of a configuration file',
        replace: 'if (!stats.isFile()) throw notRegularError()',
        with: '',
        survives: 'Reading the pipe would block the tests.',
      },
    ],
  },
  {
    file: 'src/config/profile.ts',
    mutants: [
      {
        name: 'prefers TT_PROFILE to the profile of the command line',
        replace: 'if (requested !== undefined) return findProfile(env, requested)',
        with: 'if (requested !== undefined && !env.TT_PROFILE) return findProfile(env, requested)',
      },
      {
        name: 'uses the local workspace when only one of TT_BASE_URL and TT_TOKEN is set',
        replace: 'if (!baseUrl && !token) return undefined',
        with: 'if (!baseUrl || !token) return undefined',
      },
      {
        name: 'prefers the directory file to TT_PROFILE',
        replace: "if (env.TT_PROFILE) return findProfile(env, env.TT_PROFILE, ', which TT_PROFILE names')",
        with: "if (env.TT_PROFILE && !directory()?.profile) return findProfile(env, env.TT_PROFILE, ', which TT_PROFILE names')",
      },
    ],
  },
  {
    file: 'src/config/profiles.ts',
    mutants: [
      {
        name: 'delivers the pending changes of a service to another one after a sign-in',
        replace: 'isSameService ? previous.state : newStateKey(name)',
        with: 'previous ? previous.state : newStateKey(name)',
      },
      {
        name: 'accepts two profiles that differ in upper and lower case only',
        replace: 'checkCaseConflict(all, name)\n',
        with: '\n',
      },
      {
        name: 'uses a stored profile whose name leads out of its directory',
        replace: 'if (!namePattern.test(name))\n      throw',
        with: 'if (name === "")\n      throw',
      },
    ],
  },
  {
    file: 'src/config/paths.ts',
    mutants: [
      {
        name: 'uses a relative XDG directory',
        replace: '(value && isAbsolutePath(value) ? value : undefined)',
        with: '(value ? value : undefined)',
      },
    ],
  },
  {
    file: 'src/config/settings/setting-values.ts',
    mutants: [
      {
        name: 'spreads the weekly target over the days with a target of their own',
        replace: 'const others = workingDays.filter((day) => days[day] === undefined)',
        with: 'const others = [...workingDays]',
      },
      {
        name: 'loses the seconds of a weekly target that does not divide evenly',
        replace: 'Math.floor(rest / count) + (index < rest % count ? 1 : 0)',
        with: 'Math.floor(rest / count) + (index < 0 ? 1 : 0)',
      },
    ],
  },
  {
    file: 'src/cli/context/prompt-file.ts',
    mutants: [
      {
        name: 'overwrites a file of the user with the line for prompts',
        replace: "if (current === 'foreign') return\n    try",
        with: 'try',
      },
      {
        name: 'keeps the line for prompts after the timer was stopped',
        replace: '} else if (before && current?.startsWith(linePrefix(before))) unlinkSync(paths.file)',
        with: '}',
      },
      {
        name: 'removes the line of the timer of another profile',
        replace: '} else if (before && current?.startsWith(linePrefix(before))) unlinkSync(paths.file)',
        with: '} else if (current) unlinkSync(paths.file)',
      },
    ],
  },
  {
    file: 'src/cli/hooks/run-hooks.ts',
    mutants: [
      {
        name: 'runs a hook that other users can change',
        replace: 'if ((mode & 0o022) === 0) return undefined',
        with: 'if ((mode & 0o020) === 0) return undefined',
      },
      {
        name: 'runs a hook in a directory that other users can change',
        replace: 'accessProblem(statSync(directory), directory) ??',
        with: '',
      },
    ],
  },
  {
    file: 'src/cli/hooks/run-hooks.ts',
    mutants: [
      {
        name: 'runs on-stop for a timer that was deleted',
        replace: 'if (isRunning(old) && changed && !isRunning(changed)) calls',
        with: 'if (isRunning(old) && !isRunning(changed)) calls',
      },
      {
        name: 'runs hooks of a hook without end',
        replace: "{ ...host.env, TT_HOOKS: '0', TT_HOOK: name }",
        with: '{ ...host.env, TT_HOOK: name }',
      },
      {
        name: 'calls a hook for each of thousands of entries',
        replace: 'if (entries.length > maxEntries) return [batchCall',
        with: 'if (entries.length > 1000 * maxEntries) return [batchCall',
      },
    ],
  },
  {
    file: 'src/cli/hooks/hook-queue.ts',
    mutants: [
      {
        name: 'runs hooks although they are switched off',
        replace: "if (options.hooks === false || host.env.TT_HOOKS === '0') return false",
        with: '',
      },
    ],
  },
  {
    file: 'src/commands/remind/due-reminders.ts',
    mutants: [
      {
        name: 'reminds of a missing entry on a day that is not a working day',
        replace: 'const isDue = calendar.isWorkingDay(dayOf(ctx.now)) && isPast',
        with: 'const isDue = isPast',
      },
      {
        name: 'reminds of a target that is reached',
        replace: 'if (seconds >= target) return []',
        with: 'if (seconds > target) return []',
      },
    ],
  },
  {
    file: 'src/backup/replace-data.ts',
    mutants: [
      {
        name: 'sends the creates of a backup again without looking them up',
        replace: 'UPDATE outbox SET in_doubt = 1, sends = max(sends, 1)',
        with: 'UPDATE outbox SET sends = max(sends, 1)',
      },
      {
        name: 'sends a create of a backup again that was delivered since',
        replace: "DELETE FROM main.outbox WHERE op = 'create' AND EXISTS (",
        with: "DELETE FROM main.outbox WHERE op = 'update' AND EXISTS (",
      },
      {
        name: 'takes any newer state for one that continues the backup',
        replace: '.get() !== undefined\n  )\n}\n\nfunction applyLaterDeliveries',
        with: '.get() !== null\n  )\n}\n\nfunction applyLaterDeliveries',
      },
    ],
  },
  {
    file: 'src/backup/restore.ts',
    mutants: [
      {
        name: 'restores pending changes for an account that has signed in since',
        replace: 'checkSignIns(backup.profiles, currentProfiles(paths))\n',
        with: '\n',
      },
      {
        name: 'restores commands in settings that the user has not confirmed',
        replace: 'if (!hasCommands) keepCommandValues(paths, files)',
        with: 'if (hasCommands) keepCommandValues(paths, files)',
      },
      {
        name: 'restores although the user declines',
        replace: 'if (!(await options.confirm(preview))) return undefined',
        with: 'await options.confirm(preview)',
      },
    ],
  },
  {
    file: 'src/backup/replace-data.ts',
    mutants: [
      {
        name: 'removes profiles that are not in the backup',
        replace: 'profiles: { ...current, ...saved.profiles }',
        with: 'profiles: saved.profiles',
      },
      {
        name: 'replaces data without saving it first',
        replace: 'const savedAs = (await shouldSave(locked)) ?',
        with: 'const savedAs = (await shouldSave(locked)) && locked.length < 0 ?',
      },
    ],
  },
  {
    file: 'src/backup/archive/tar.ts',
    mutants: [
      {
        name: 'restores an archive whose header is damaged',
        replace: "text(257, 5) === 'ustar' && Number.parseInt(checksum, 8) === checksumOf(header)",
        with: "text(257, 5) === 'ustar'",
      },
      {
        name: 'restores a link of an archive as a file',
        replace: "if (text(156, 1) !== '0' || text(345, 155) !== '') throw",
        with: "if (text(345, 155) !== '') throw",
      },
      {
        name: 'takes an archive that ends early for a complete one',
        replace: "if (done) throw new TarError('ends early')",
        with: 'if (done) return Buffer.alloc(512)',
      },
    ],
  },
  {
    file: 'src/outbox/cache/cache.ts',
    mutants: [
      {
        name: 'removes cached entries that an incomplete list does not contain',
        replace: 'if (records.incomplete !== undefined) return',
        with: '',
      },
      {
        name: 'keeps a cached entry that the service no longer lists',
        replace:
          'for (const row of known.values()) if (!isFromLaterCommand(row, at)) this.remove(kind, row.id)\n',
        with: '\n',
      },
      {
        name: 'overwrites a cached entry by an older response',
        replace:
          'if (!row || (row.body !== body && !isFromLaterCommand(row, at))) store(kind, record, body, at)\n      }\n      if',
        with: 'if (!row || row.body !== body) store(kind, record, body, at)\n      }\n      if',
      },
    ],
  },
  {
    file: 'src/outbox/cache/migrate-state.ts',
    mutants: [
      {
        name: 'migrates the state without a copy of the old one',
        replace: 'makeCopy(database, `${path}.version-${oldVersion}`, oldVersion)',
        with: '',
      },
      {
        name: 'applies a migration of the state twice',
        replace: 'for (const migration of migrations.slice(version, target)) database',
        with: 'for (const migration of migrations.slice(Math.max(0, version - 1), target)) database',
      },
    ],
  },
  {
    file: 'src/service/storage/migrations/record-versions.ts',
    mutants: [
      {
        name: 'leaves the version of the records unchanged when one is deleted',
        replace: "const changes = { insert: 'new', update: 'new', delete: 'old' }",
        with: "const changes = { insert: 'new', update: 'new' }",
      },
    ],
  },
  {
    file: 'src/service/storage/migrations/record-changes.ts',
    mutants: [
      {
        name: 'leaves the notes of an expense out of the audit log',
        replace: "'expense_type_id', 'project_id', 'notes', 'external_id'],",
        with: "'expense_type_id', 'project_id', 'external_id'],",
      },
      {
        name: 'lets a change of the audit log pass',
        replace: "select raise(abort, 'The audit log is append-only.'); end`",
        with: 'select 1; end`',
      },
    ],
  },
  {
    file: 'src/service/storage/migrations/access-migrations.ts',
    mutants: [
      {
        name: 'gives access back to inactive users by a migration',
        replace: 'select id from users where active = 0`',
        with: 'select id from users where active = 2`',
      },
    ],
  },
  {
    file: 'src/program/completion/complete-word.ts',
    mutants: [
      {
        name: 'completes only what begins with the typed text in the same case',
        replace: '[({ value }) => fold(value).startsWith(folded)]',
        with: '[({ value }) => value.startsWith(folded)]',
      },
      {
        name: 'completes candidates that contain only one of the typed words',
        replace: 'return words.every((word)',
        with: 'return words.some((word)',
      },
    ],
  },
  {
    file: 'src/program/completion/known-records.ts',
    mutants: [
      {
        name: 'completes a path that names two tasks',
        replace: 'counts.get(path) === 1 && !ids.has(path)',
        with: '!ids.has(path)',
      },
    ],
  },
  {
    file: 'src/program/completion/candidates.ts',
    mutants: [
      {
        name: 'completes names with control characters',
        replace: '.filter(({ value }) => isInsertable(value))\n',
        with: '\n',
      },
    ],
  },
  {
    file: 'src/mcp/confirmation.ts',
    mutants: [
      {
        name: 'lets an agent change what the user has not confirmed',
        replace: 'if (!this.#confirmed.includes(digest)) throw',
        with: 'if (this.#confirmed.length > 1000) throw',
      },
      {
        name: 'accepts the confirmation of another change',
        replace: 'if (!this.#confirmed.includes(digest)) throw',
        with: 'if (this.#confirmed.length === 0) throw',
      },
      {
        name: 'accepts a code of confirmation twice',
        replace: 'this.#questions.delete(code)\n    return questions',
        with: 'return questions',
      },
      {
        name: 'goes on after the user has declined',
        replace: "if (response.kind === 'missing' || isAccepted(response)) return",
        with: 'return',
      },
    ],
  },
  {
    file: 'src/mcp/calls.ts',
    mutants: [
      {
        name: 'makes two changes of an agent at the same time',
        replace: 'const result = this.#lastChange.then(() => this.#start(signal, work))',
        with: 'const result = this.#start(signal, work)',
      },
      {
        name: 'makes a change that the client has cancelled',
        replace: 'signal.throwIfAborted()\n',
        with: '\n',
      },
    ],
  },
  {
    file: 'src/mcp/transport.ts',
    mutants: [
      {
        name: 'ends before the responses to the last requests of an agent',
        replace: 'setImmediate(() => void requests.answered().then(() => done()))',
        with: 'setImmediate(() => done())',
      },
    ],
  },
]
