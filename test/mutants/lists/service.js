// The service: records and their rules, lists, tokens, sign-in and limits. The names say the rule of the API that is broken,
// so that a mutant can be found a new place when the code moves.

/** @type {import('../mutants.js').MutatedFile[]} */
export const service = [
  {
    file: 'src/service/resources/time-entries.ts',
    mutants: [
      {
        name: 'POST accepts an entry that ends before it starts',
        replace: "      changes(write, 'time_start') || changes(write, 'time_end')",
        with: "      write.stored && (changes(write, 'time_start') || changes(write, 'time_end'))",
      },
      {
        name: 'PATCH accepts an end before the stored start of an entry',
        replace: "      changes(write, 'time_start') || changes(write, 'time_end')",
        with: "      changes(write, 'time_start')",
      },
      {
        name: 'PATCH accepts a start after the stored end of an entry',
        replace: "      changes(write, 'time_start') || changes(write, 'time_end')",
        with: "      changes(write, 'time_end')",
      },
      {
        name: 'rejects an entry that ends when it starts',
        replace: '${write.next.time_end} >= ${write.next.time_start})`',
        with: '${write.next.time_end} > ${write.next.time_start})`',
      },
      {
        name: 'counts the first instant after the closed period as closed for entries',
        replace: 'closed_before > ${start}`',
        with: 'closed_before >= ${start}`',
      },
      {
        name: 'lists the entries of all users',
        replace: 'const conditions = [sql`time_entries.user_id = ${context.userId}`, ...',
        with: 'const conditions = [sql`time_entries.user_id > 0`, ...',
      },
      {
        name: 'leaves out entries longer than a day when a list is filtered by their end',
        replace: 'Math.min(end - dayMs, long?.start ?? end)',
        with: 'end - dayMs',
      },
      {
        name: 'counts the use of tasks in the last 8 days instead of 7',
        replace: 'until - 7 * dayMs',
        with: 'until - 8 * dayMs',
      },
      {
        name: 'sorts the most used tasks from the least used one',
        replace: 'order by used.entries desc,',
        with: 'order by used.entries,',
      },
      {
        name: 'responds to an unknown external ID with 200',
        replace: "if (!row) throw notFound('You have no time entry with that external_id.')",
        with: 'if (!row) return jsonResponse([])',
      },
      {
        name: 'rejects a change within the day of an entry whose assignment has ended',
        replace: 'if (isOnDay) alternatives.push(',
        with: 'if (isOnDay && day.from < 0) alternatives.push(',
      },
      {
        name: 'accepts an entry after the last day of an assignment',
        replace: 'assignments.ends_on >= ${day.name}',
        with: 'assignments.ends_on <> ${day.name}',
      },
      {
        name: 'accepts an entry before the first day of an assignment',
        replace: 'assignments.starts_on <= ${day.name}',
        with: 'assignments.starts_on <> ${day.name}',
      },
      {
        name: 'rejects an entry on the last day of an assignment',
        replace: 'assignments.ends_on >= ${day.name}',
        with: 'assignments.ends_on > ${day.name}',
      },
      {
        name: 'POST accepts an entry of a project that the user is not assigned to',
        replace: 'if (seesEverything || !day) return undefined',
        with: 'if (seesEverything || !day || !stored) return undefined',
      },
      {
        name: 'PATCH moves an entry to a day on which the user is not assigned to its project',
        replace: 'if (seesEverything || !day) return undefined',
        with: "if (seesEverything || !day || (stored && !changes(write, 'task_link_id'))) return undefined",
      },
    ],
  },
  {
    file: 'src/service/resources/expenses.ts',
    mutants: [
      {
        name: 'accepts an expense in the closed period',
        replace: 'closed_until >= ${day}`',
        with: 'closed_until > ${day}`',
      },
      {
        name: 'stores an expense without a currency instead of that of the company',
        replace: 'coalesce(${value}, (select currency from company))',
        with: 'coalesce(${value}, (select null from company))',
      },
      {
        name: 'accepts an expense of a project that the user does not see',
        replace: "'projects', visibleProjects)",
        with: "'projects', (viewer) => visibleProjects(viewer).slice(1))",
      },
      {
        name: 'lists archived expense types',
        replace: '[sql`expense_types.active = 1`]',
        with: '[sql`expense_types.active >= 0`]',
      },
    ],
  },
  {
    file: 'src/service/resources/fields.ts',
    mutants: [
      {
        name: 'accepts notes longer than 64 KiB',
        replace: 'if (value.length > maxTextLength)',
        with: 'if (value.length > 2 * maxTextLength)',
      },
      {
        name: 'accepts NUL in notes',
        replace: "return isStorable(value) ? value : new FieldProblem('must not",
        with: "return true ? value : new FieldProblem('must not",
      },
      {
        name: 'accepts an empty external ID',
        replace: "value !== '' && value.length <= maxExternalIdLength",
        with: 'value.length <= maxExternalIdLength',
      },
      {
        name: 'accepts an external ID of 256 characters',
        replace: 'value.length <= maxExternalIdLength && isStorable',
        with: 'value.length <= maxExternalIdLength + 1 && isStorable',
      },
      {
        name: 'accepts an amount with five decimal places',
        replace: 'return decimals <= decimalPlaces && digits',
        with: 'return decimals <= decimalPlaces + 1 && digits',
      },
      {
        name: 'accepts a currency that does not exist',
        replace: "typeof value === 'string' && isCurrency(value)",
        with: "typeof value === 'string' && (value.length === 3 || isCurrency(value))",
      },
      {
        name: 'lists projects without their archived state',
        replace: "boolean: { column: 'bigint', toJson: (value) => value === 1 }",
        with: "boolean: { column: 'bigint' }",
      },
    ],
  },
  {
    file: 'src/service/resources/values.ts',
    mutants: [
      {
        name: 'reads an offset of a time with the opposite sign',
        replace: "sign === '-' ? local + offsetMs : local - offsetMs",
        with: "sign === '-' ? local - offsetMs : local + offsetMs",
      },
      {
        name: 'accepts 24:00:00 as a time',
        replace: 'if (Number(clock.slice(0, 2)) > 23) return undefined',
        with: 'if (Number(clock.slice(0, 2)) > 24) return undefined',
      },
      {
        name: 'writes a cached date for another day',
        replace: 'if (days[place] !== day) {',
        with: 'if (Number.isNaN(days[place])) {',
      },
      {
        name: 'stores 12.5 as 12.5 instead of 12.50',
        replace: 'Math.max(decimals, 2)',
        with: 'Math.max(decimals, 1)',
      },
      {
        name: 'rounds negative numbers of a filter up',
        replace: 'isExact || digits >= 0n ? units : units - 1n',
        with: 'units',
      },
      { name: 'accepts 0 as an ID', replace: '/^[1-9]\\d{0,15}$/', with: '/^\\d{1,16}$/' },
    ],
  },
  {
    file: 'src/service/resources/visibility.ts',
    mutants: [
      {
        name: 'shows all projects where the company shows assigned projects only',
        replace: 'joinSql([showsAllProjects, ...alternatives],',
        with: 'joinSql([sql`1 = 1`, ...alternatives],',
      },
      {
        name: 'hides the projects of entries whose assignment has ended',
        replace:
          'sql`projects.id in (select project_id from task_links where id in ${usedTaskLinks(userId)})`,',
        with: '',
      },
      {
        name: 'hides the projects of expenses whose assignment has ended',
        replace: 'sql`projects.id in ${usedProjects(userId)}`,',
        with: '',
      },
      {
        name: 'shows the task links of other users',
        replace:
          'sql`task_links.project_id in (select project_id from assignments where user_id = ${userId})`,',
        with: 'sql`task_links.project_id in (select project_id from assignments where user_id <> ${userId} or user_id = ${userId})`,',
      },
    ],
  },
  {
    file: 'src/service/resources/fields.ts',
    mutants: [
      {
        name: 'accepts If-Match with the tag of an earlier version',
        replace: 'if (allowed === undefined || allowed.includes(Number(version))) return',
        with: 'return',
      },
      {
        name: 'ignores an unreadable If-Match',
        replace: 'if (!tagList.test(value)) return []',
        with: 'if (!tagList.test(value)) return undefined',
      },
      {
        name: 'compares a weak tag in If-Match as a strong one',
        replace: 'const [, version] = /^"(\\d+)"$/.exec(tag) ?? []',
        with: 'const [, version] = /^(?:W\\/)?"(\\d+)"$/.exec(tag) ?? []',
      },
      {
        name: 'rejects If-Match: *',
        replace: "if (value === undefined || value === '*') return undefined",
        with: 'if (value === undefined) return undefined',
      },
    ],
  },
  {
    file: 'src/service/resources/writes.ts',
    mutants: [
      {
        name: 'creates a second record for a repeated Idempotency-Key',
        replace: 'idempotency_key: key, idempotency_fingerprint: fingerprint',
        with: 'idempotency_key: `${key}-${Math.random()}`, idempotency_fingerprint: fingerprint',
      },
      {
        name: 'accepts an Idempotency-Key with other fields',
        replace: 'if (stored === fingerprint) return row',
        with: 'return row',
      },
      {
        name: 'takes the order of fields for other fields of an Idempotency-Key',
        replace: '.sort()\n',
        with: '\n',
      },
      {
        name: 'creates a record again for the Idempotency-Key of a deleted one',
        replace: '    key === undefined\n      ? []',
        with: '    key !== undefined\n      ? []',
      },
      {
        name: 'returns the record of another user for an Idempotency-Key',
        replace: 'where user_id = ${userId} and idempotency_key = ${key}`)\n  const stored',
        with: 'where user_id >= 0 and idempotency_key = ${key} order by user_id`)\n  const stored',
      },
      {
        name: 'finds the record of another user by its external ID',
        replace: 'return findOne(queries, record, userId, sql`external_id = ${externalId}`)',
        with: 'return findOne(queries, record, 0, sql`(external_id = ${externalId} or user_id <> 0) and external_id = ${externalId} or 1 = 0`)',
      },
      {
        name: 'creates a second record with the same external ID',
        replace: '      on conflict do nothing returning ${columnsOf(record)}`',
        with: '      returning ${columnsOf(record)}`',
      },
      {
        name: 'PATCH sets an external ID that another record has',
        replace: 'if (other && other.id !== id) throw conflict',
        with: 'if (other && other.id === id) throw conflict',
      },
      {
        name: 'PATCH changes the record of another user',
        replace: '    const own = [sql`id = ${id}`, sql`user_id = ${userId}`]\n    if (!errors)',
        with: '    const own = [sql`id = ${id}`]\n    if (!errors)',
      },
      {
        name: 'DELETE removes the record of another user',
        replace: '  const own = [sql`id = ${id}`, sql`user_id = ${userId}`]\n  await queries.transaction',
        with: '  const own = [sql`id = ${id}`]\n  await queries.transaction',
      },
      {
        name: 'GET shows the record of another user',
        replace: '[condition, sql`user_id = ${userId}`]',
        with: '[condition]',
      },
      {
        name: 'PATCH ignores If-Match',
        replace: '[...own, ...isVersion(allowed), ...rulesOfWrite]',
        with: '[...own, ...rulesOfWrite]',
      },
      {
        name: 'DELETE ignores If-Match',
        replace: 'delete from ${table} where ${allOf(...own, ...isVersion(allowed), ',
        with: 'delete from ${table} where ${allOf(...own, ',
      },
      {
        name: 'PATCH leaves the entity tag of a record unchanged',
        replace: 'sql`version = version + ${versionStep()}`,',
        with: 'sql`version = version + 0`,',
      },
      {
        name: 'PATCH sets an earlier time of change after the clock was set back',
        replace: 'sql`updated_at = ${latest}(${presentTime(context)}, updated_at + 1)`,',
        with: 'sql`updated_at = ${latest}(${presentTime(context)}, 0)`,',
      },
      {
        name: 'responds to a create with 200 instead of 201',
        replace: 'recordResponse(record, inserted, 201)',
        with: 'recordResponse(record, inserted, 200)',
      },
      {
        name: 'responds without the entity tag in the header',
        replace: 'return jsonResponse(record, status, { ETag: String(record.etag) })',
        with: 'return jsonResponse(record, status)',
      },
      {
        name: 'sets the currency of the company when another field of an expense changes',
        replace: 'const next = { ...stored, ...expressionsOf(record, columns) }',
        with: 'if (writable.defaults) columns.currency ??= sql`(select currency from company)`\n  const next = { ...stored, ...expressionsOf(record, columns) }',
      },
    ],
  },
  {
    file: 'src/service/resources/ransack.ts',
    mutants: [
      {
        name: 'filters with _gteq as if it were greater than',
        replace: 'sql`${column} >= ${value}`',
        with: 'sql`${column} > ${value}`',
      },
      {
        name: 'filters with _lt as if it were less than or equal',
        replace: 'sql`${column} < ${value}`',
        with: 'sql`${column} <= ${value}`',
      },
      {
        name: 'returns records for _eq with a number between two stored units',
        replace: "if (matcher === 'eq' && !isExact) return sql`${column} <> ${column}`",
        with: '',
      },
      {
        name: 'filters with _cont only for text in the same case',
        replace: 'text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())',
        with: 'text',
      },
      {
        name: 'reads a date of a filter in UTC instead of the time zone of the company',
        replace: 'return startOfDay(day, await timeZoneOf(source))',
        with: "return startOfDay(day, 'UTC')",
      },
      {
        name: 'reads a time of a filter without an offset in UTC',
        replace: 'return instantAt(time.wall, await timeZoneOf(source))',
        with: 'return time.wall',
      },
      {
        name: 'ignores a filter by an unknown field',
        replace: 'conditions.push(await toCondition(key, value, record, source))',
        with: 'conditions.push(await toCondition(key, value, record, source).catch(() => sql`1 = 1`))',
      },
      {
        name: 'filters with _eq null as if nothing were null',
        replace: "if (matcher === 'eq') return sql`${column} is null`",
        with: "if (matcher === 'eq') return sql`${column} is not null`",
      },
      {
        name: 'limits a large number of a filter to the wrong end of the range',
        replace: 'units > bound ? bound : units < -bound ? -bound : units',
        with: 'units > bound ? -bound : units < -bound ? bound : units',
      },
      {
        name: 'ignores a parameter that looks like a condition',
        replace: '} else if (isLikeCondition(name, record)) {',
        with: "} else if (name === 'q[]' && isLikeCondition(name, record)) {",
      },
      {
        name: 'uses the last of two equal conditions in a JSON filter',
        replace: 'if (duplicate !== undefined) throw repeated(duplicate)',
        with: '',
      },
      {
        name: 'uses the last of two equal conditions in the parameters',
        replace: 'if (bracketed.has(key)) throw repeated(key)',
        with: '',
      },
    ],
  },
  {
    file: 'src/service/http/list.ts',
    mutants: [
      {
        name: 'accepts more than 1,000 records per page',
        replace: 'perPage > maxPerPage',
        with: 'perPage > 10 * maxPerPage',
      },
      {
        name: 'links from the last page to a next one',
        replace: 'if (page < last) links',
        with: 'if (page <= last) links',
      },
      {
        name: 'links from the first page to a previous one',
        replace: 'if (page > 1) links',
        with: 'if (page > 0) links',
      },
      {
        name: 'ignores page without per_page',
        replace: "if (pageText !== undefined) throw badRequest('page requires per_page.')",
        with: '',
      },
      {
        name: 'counts a full last page as one page more',
        replace: 'Math.ceil(total / perPage)',
        with: 'Math.floor(total / perPage) + 1',
      },
      {
        name: 'repeats the last record of a part of a long list in the next one',
        replace: 'sql`(${orderOf(record)}) > (${joinSql(position)})`',
        with: 'sql`(${orderOf(record)}) >= (${joinSql(position)})`',
      },
      {
        name: 'accepts a position in a long list that is not from a Link header',
        replace: 'return isValid ? values : undefined',
        with: 'return isValid || values ? values : undefined',
      },
    ],
  },
  {
    file: 'src/service/http/list.ts',
    mutants: [
      {
        name: 'sends a total from before the latest change',
        replace: 'if (cached.version === (read?.version ?? current)) return cached.total',
        with: 'return cached.total',
      },
    ],
  },
  {
    file: 'src/service/http/app.ts',
    mutants: [
      {
        name: 'lets a token write that may only read',
        replace: 'if (!user.scopes.has(scope)) return insufficientScopeResponse(scope)',
        with: '',
      },
      {
        name: 'lets a known token write that may only read',
        replace: 'if (handler && expected?.user.scopes.has(scope)) {',
        with: 'if (handler && expected) {',
      },
      {
        name: 'reveals to requests without a token which methods exist',
        replace:
          'if (!user) return unauthorizedResponse(token !== undefined)\n  if (!handler) return methodNotAllowedResponse(method, Object.keys(route.methods))',
        with: 'if (!handler) return methodNotAllowedResponse(method, Object.keys(route.methods))\n  if (!user) return unauthorizedResponse(token !== undefined)',
      },
      {
        name: 'does not announce that it supports the Idempotency-Key',
        replace: "{ 'Idempotency-Key-Supported': '?1', 'If-Match-Supported'",
        with: "{ 'Idempotency-Key-Supported': '?0', 'If-Match-Supported'",
      },
      {
        name: 'responds to HEAD with a body',
        replace: "request.method === 'HEAD' ? { ...response, body: null } : response",
        with: 'response',
      },
    ],
  },
  {
    file: 'src/service/accounts/authentication.ts',
    mutants: [
      {
        name: 'runs the first statement of a request without the conditions of its token',
        replace: 'isConfirmed ? conditions : [...conditions, sql`exists (${check})`]',
        with: 'conditions',
      },
      {
        name: 'answers a request whose token was revoked since the last one',
        replace:
          'const rows = await queries.all(check)\n    if (rows.length === 0) throw new UnexpectedTokenError()',
        with: 'await queries.all(check)',
      },
      {
        name: 'reads a record for a token that was revoked since the last request',
        replace: '      if (rows.length === 0) await confirm()\n',
        with: '',
      },
      {
        name: 'changes a record for a token that was revoked since the last request',
        replace: 'change: checked((conditions, build) => queries.change(conditions, build))',
        with: 'change: (conditions, build) => queries.change(conditions, build)',
      },
    ],
  },
  {
    file: 'src/service/http/request-context.ts',
    mutants: [
      {
        name: 'reads a body above 1 MiB with a Content-Length',
        replace: 'if (Number(contentLength) > maxBodyBytes) throw tooLarge()',
        with: '',
      },
      {
        name: 'reads a body above 1 MiB in chunks',
        replace: 'if (size > maxBodyBytes) throw tooLarge()',
        with: '',
      },
    ],
  },
  {
    file: 'src/service/http/client-address.ts',
    mutants: [
      {
        name: 'trusts an address that the client itself has put into X-Forwarded-For',
        replace: 'if (!isTrusted(address, index + 1, proxies)) break',
        with: '',
      },
      {
        name: 'trusts X-Forwarded-For without trusted proxies',
        replace: 'if (!proxies || !isTrusted(remote, 0, proxies)) return remote.toString()',
        with: 'if (!proxies) return remote.toString()',
      },
      {
        name: 'counts each address of an IPv6 network by itself',
        replace: 'address.toByteArray().slice(0, 8)',
        with: 'address.toByteArray().slice(0, 16)',
      },
    ],
  },
  {
    file: 'src/service/http/app.ts',
    mutants: [
      {
        name: 'lets one user have more requests in progress than the limit',
        replace: 'if (inProgress >= this.#limit) return this.#wait(userId)',
        with: 'if (inProgress > this.#limit) return this.#wait(userId)',
      },
      {
        name: 'loses the turn of a request that has given up waiting',
        replace: 'clearTimeout(timer)\n        waiting.delete(begin)',
        with: 'clearTimeout(timer)',
      },
    ],
  },
  {
    file: 'src/service/accounts/authentication.ts',
    mutants: [
      {
        name: 'accepts a revoked token',
        replace: 'where tokens.hash = ${hash} and tokens.revoked_at is null and users.active = 1`)',
        with: 'where tokens.hash = ${hash} and users.active = 1`)',
      },
      {
        name: 'accepts a token of a deactivated user',
        replace: 'tokens.revoked_at is null and users.active = 1`)',
        with: 'tokens.revoked_at is null`)',
      },
      {
        name: 'accepts an expired token',
        replace: 'if (!found || expiry === undefined || expiry <= now) return undefined',
        with: 'if (!found || expiry === undefined) return undefined',
      },
      {
        name: 'grants all scopes to a token with one',
        replace: 'scopes.filter((scope) => granted.includes(scope))',
        with: 'scopes.filter(() => granted.length > 0)',
      },
    ],
  },
  {
    file: 'src/service/accounts/tokens.ts',
    mutants: [
      {
        name: 'accepts legacy keys after the age that the company allows',
        replace: 'token.created_at + company.legacy_key_days * dayMs',
        with: 'token.created_at + 2 * company.legacy_key_days * dayMs',
      },
      {
        name: 'accepts legacy keys of a company that has disabled them',
        replace: 'if (company.legacy_keys === 0) return 0',
        with: '',
      },
    ],
  },
  {
    file: 'src/service/accounts/tokens.ts',
    mutants: [
      {
        name: 'keeps browser sessions when the password is reset',
        replace: 'delete from sessions where user_id = ${userId}',
        with: 'delete from sessions where user_id = -${userId}',
      },
      {
        name: 'issues tokens to a user who was deactivated in the meantime',
        replace: 'where id = ${userId} and active = 1 ${lock}',
        with: 'where id = ${userId} ${lock}',
      },
    ],
  },
  {
    file: 'src/service/accounts/legacy-key.ts',
    mutants: [
      {
        name: 'issues a key for a password that was reset during the sign-in',
        replace: 'if (user?.password !== passwordHash) return undefined',
        with: 'if (!user) return undefined',
      },
      {
        name: 'issues legacy keys of a company that has disabled them',
        replace: 'if (!(await acceptsKeys(context.storage))) {',
        with: 'if (!(await acceptsKeys(context.storage)) && name === undefined) {',
      },
    ],
  },
  {
    file: 'src/service/accounts/sign-in-limits.ts',
    mutants: [
      {
        name: 'blocks sign-ins from one network only after six wrong passwords',
        replace: '{ subject: pair, maxFailures: 5,',
        with: '{ subject: pair, maxFailures: 6,',
      },
      {
        name: 'never doubles the time of a block',
        replace: '2 ** Math.min(blocks, maxDoublings)',
        with: '1 ** Math.min(blocks, maxDoublings)',
      },
      {
        name: 'blocks a user in a known network because of failures elsewhere',
        replace: '...(knownNetwork\n      ? []\n      : [',
        with: '...(knownNetwork && now < 0\n      ? []\n      : [',
      },
    ],
  },
  {
    file: 'src/service/accounts/check-credentials.ts',
    mutants: [
      {
        name: 'accepts the password of a deactivated user',
        replace: 'user?.active ? user.password : null',
        with: 'user?.password ?? null',
      },
      {
        name: 'writes what was typed as an unknown email address into the audit log',
        replace: 'const actor = user ? attempt.email : null',
        with: 'const actor = attempt.email',
      },
    ],
  },
  {
    file: 'src/service/accounts/passwords.ts',
    mutants: [
      {
        name: 'accepts a password of nine characters',
        replace: 'const minLength = 10',
        with: 'const minLength = 9',
      },
      {
        name: 'accepts a password made of the email address',
        replace: "return letters !== '' && (letters === lettersOf(name) || letters === lettersOf(email))",
        with: "return letters !== '' && letters === lettersOf(email)",
      },
      {
        name: 'accepts one of the most common passwords',
        replace: 'if (commonPasswords.has(normal)) throw',
        with: 'if (commonPasswords.has(password.toUpperCase())) throw',
      },
    ],
  },
  {
    file: 'src/service/oauth/grants/grants.ts',
    mutants: [
      { name: 'accepts a code twice', replace: 'code.used_at === null &&', with: '' },
      { name: 'accepts an expired code', replace: 'code.expires_at > request.now &&', with: '' },
      {
        name: 'accepts a code with another redirect URI',
        replace: 'code.redirect_uri === request.redirectUri &&',
        with: '',
      },
      {
        name: 'accepts a code with a wrong PKCE verifier',
        replace: 'actual.length === expected.length && timingSafeEqual(actual, expected)',
        with: 'actual.length === expected.length || timingSafeEqual(actual, expected)',
      },
      {
        name: 'accepts the code of another application',
        replace: 'if (!code || grant.application_id !== request.applicationId) return undefined',
        with: 'if (!code) return undefined',
      },
      {
        name: 'keeps the tokens of a code that is used again',
        replace: '      await revokeGrant(queries, grant.id, request.now)\n      return undefined',
        with: '      return undefined',
      },
    ],
  },
  {
    file: 'src/service/oauth/grants/grants.ts',
    mutants: [
      {
        name: 'refreshes with more scopes than the user has allowed',
        replace: "if (request.scopes?.some((scope) => !granted.includes(scope))) return 'invalid_scope'",
        with: '',
      },
      {
        name: 'accepts a used refresh token whose replacement has been used',
        replace: ' and used_at is null returning id`',
        with: ' returning id`',
      },
      {
        name: 'keeps the tokens of an application whose refresh token is reused',
        replace: '      await revokeGrant(queries, grant.id, request.now)\n      await appendAudit',
        with: '      await appendAudit',
      },
      {
        name: 'accepts an expired refresh token',
        replace: 'if (!isActive(grant) || token.expires_at <= request.now)',
        with: 'if (!isActive(grant))',
      },
      {
        name: 'accepts the refresh token of another application',
        replace: 'if (!token || grant.application_id !== request.applicationId)',
        with: 'if (!token)',
      },
      {
        name: 'rejects a refresh that is repeated because its response was lost',
        replace: 'return newest.parent_id\n',
        with: 'return undefined\n',
      },
    ],
  },
  {
    file: 'src/service/oauth/grants/grants.ts',
    mutants: [
      {
        name: 'keeps access tokens of a revoked consent',
        replace: 'from refresh_tokens where grant_id = ${id})`',
        with: 'from refresh_tokens where grant_id = -${id})`',
      },
      {
        name: 'issues access tokens for a day instead of two hours',
        replace: 'accessTokenSeconds = 2 * 60 * 60',
        with: 'accessTokenSeconds = 24 * 60 * 60',
      },
      {
        name: 'revokes the token of another application',
        replace: 'if (grant.application_id !== request.applicationId) return false',
        with: '',
      },
      {
        name: 'refreshes the tokens of a revoked consent',
        replace: 'revoked_at === null && active === 1',
        with: 'active === 1',
      },
    ],
  },
  {
    file: 'src/service/operation/clean-up.ts',
    mutants: [
      {
        name: 'forgets a used code at its expiry, so that its reuse revokes nothing',
        replace: "'id', 'expires_at', dayMs)",
        with: "'id', 'expires_at')",
      },
      {
        name: 'deletes the consent of today before its first token',
        replace: 'and created_at <= ${now - dayMs}',
        with: '',
      },
    ],
  },
  {
    file: 'src/service/oauth/applications.ts',
    mutants: [
      {
        name: 'accepts a redirect URI with another path on a loopback address',
        replace: 'host === requestedHost && rest === requestedRest && isPort',
        with: 'host === requestedHost && isPort',
      },
      {
        name: 'accepts a redirect URI that begins with a registered one',
        replace: 'registered === uri || isSameLoopback',
        with: 'uri.startsWith(registered) || isSameLoopback',
      },
      {
        name: 'registers http for an address that is not loopback',
        replace: "['127.0.0.1', '[::1]', 'localhost'].includes(hostname)",
        with: "hostname !== ''",
      },
    ],
  },
  {
    file: 'src/service/oauth/authorize/authorize.ts',
    mutants: [
      {
        name: 'accepts an authorization request without PKCE',
        replace: "if (read('code_challenge_method') !== 'S256') {",
        with: "if (read('code_challenge_method') === 'S512') {",
      },
      {
        name: 'redirects to a URI that is not registered',
        replace: 'if (!isRegisteredRedirectUri(redirectUri, application.redirectUris)) {',
        with: 'if (!isRegisteredRedirectUri(redirectUri, [redirectUri])) {',
      },
      {
        name: 'accepts an unknown scope next to a known one',
        replace: 'names.length > 0 && names.every((name)',
        with: 'names.length > 0 && names.some((name)',
      },
    ],
  },
  {
    file: 'src/service/oauth/authorize/sessions.ts',
    mutants: [
      {
        name: 'accepts a form without its CSRF token',
        replace: "isSameSecret(token ?? '', createFormToken(session))",
        with: 'isSameSecret(token ?? createFormToken(session), createFormToken(session))',
      },
      {
        name: 'accepts a browser session after twelve hours',
        replace: ' and sessions.expires_at > ${now} and users.active',
        with: ' and users.active',
      },
      {
        name: 'keeps the session of before the sign-in, which another site may know',
        replace: 'await deleteSession(context, session)\n  return storage',
        with: 'return storage',
      },
      {
        name: 'sends the session cookie over unencrypted connections',
        replace: "'Path=/; Secure'",
        with: "'Path=/'",
      },
    ],
  },
  {
    file: 'src/service/oauth/token-endpoint.ts',
    mutants: [
      {
        name: 'accepts a confidential application without its secret',
        replace: 'return application?.isPublic ? application : undefined',
        with: 'return application',
      },
      {
        name: 'accepts credentials in the header and in the body',
        replace: 'if (header !== null && (secret !== undefined ||',
        with: 'if (header !== null && secret === null && (secret !== undefined ||',
      },
    ],
  },
  {
    file: 'src/service/oauth/identity-provider/provider-sign-in.ts',
    mutants: [
      {
        name: 'signs in with an email address that the provider has not verified',
        replace: "if (!emailVerified) return 'email-unverified'",
        with: '',
      },
    ],
  },
  {
    file: 'src/service/imports/invalid-entries.ts',
    mutants: [
      {
        name: 'imports an entry that ends before it starts',
        replace: 'time_end: sql`entry.end_at`',
        with: 'time_end: sql`entry.start_at`',
      },
      {
        name: 'imports an entry in the closed period',
        replace: 'time_start: sql`entry.start_at`',
        with: 'time_start: sql`null`',
      },
      {
        name: 'updates an entry in the closed period by an import',
        replace: 'time_start: sql`stored.time_start`',
        with: 'time_start: sql`null`',
      },
      {
        name: 'imports an entry of an archived task',
        replace: "coalesce(json_extract(combination.task_link, '$'),",
        with: "coalesce(json_extract(combination.task_link, '$') * null,",
      },
      {
        name: 'imports an entry of an archived client',
        replace: 'if (client?.active === 0) return',
        with: 'if (client?.active === 2) return',
      },
    ],
  },
  {
    file: 'src/service/imports/entry-imports.ts',
    mutants: [
      {
        name: 'fails for an imported entry whose external ID exists, instead of skipping it',
        replace: '    on conflict (user_id, external_id) where external_id is not null do nothing`',
        with: '`',
      },
    ],
  },
  {
    file: 'src/service/imports/entry-imports.ts',
    mutants: [
      {
        name: 'undoes an import with entries in the closed period',
        replace: 'if (!row) return []\n  await requireOpen(queries, row)\n',
        with: 'if (!row) return []\n',
      },
      {
        name: 'does not count the entries of an import that were changed since',
        replace: 'changed: created.changed + updated.changed,',
        with: 'changed: updated.changed,',
      },
    ],
  },
  {
    file: 'src/service/imports/new-links.ts',
    mutants: [
      {
        name: 'deletes a task of an undone import that other entries use',
        replace: "where id in (select value from json_each(${ids})) ${joinSql(used, ' ')}`",
        with: "where id in (select value from json_each(${ids})) ${table === 'task_links' ? sql`` : joinSql(used, ' ')}`",
      },
      {
        name: 'uses the project of another client with the same name',
        replace: 'where projects.name = ${project} and clients.name is ${client}`',
        with: 'where projects.name = ${project} and coalesce(clients.name, ${client}) is not 0`',
      },
    ],
  },
  {
    file: 'src/records/records.ts',
    mutants: [
      {
        name: 'POST accepts an entry without a task',
        replace: "task_link_id: { type: 'reference', write: 'required' }",
        with: "task_link_id: { type: 'reference', write: 'optional' }",
      },
      {
        name: 'accepts an expense without an amount',
        replace: "amount: { type: 'decimal', write: 'required' }",
        with: "amount: { type: 'decimal', write: 'optional' }",
      },
      {
        name: 'lists entries in the order of their creation instead of their start',
        replace: "order: ['time_start', 'id'],",
        with: "order: ['id'],",
      },
    ],
  },
  {
    file: 'src/service/resources/rules.ts',
    mutants: [
      {
        name: 'POST accepts an entry of an archived task',
        replace: "conditions: [sql`${identifier(table, 'active')} = 1`],",
        with: "conditions: table === 'task_links' ? [] : [sql`${identifier(table, 'active')} = 1`],",
      },
      {
        name: 'POST accepts an entry in the closed period',
        replace: 'const values = [...new Set([write.stored?.[field], write.next[field]])]',
        with: 'const values = [...new Set([write.stored?.[field], write.stored && write.next[field]])]',
      },
      {
        name: 'PATCH accepts a task without checking it',
        replace: 'if (!changes(write, field)) return undefined',
        with: 'if (!changes(write, field) || write.stored) return undefined',
      },
      {
        name: 'accepts an expense of an archived type or project',
        replace: "conditions: [sql`${identifier(table, 'active')} = 1`],",
        with: "conditions: table === 'task_links' ? [sql`${identifier(table, 'active')} = 1`] : [],",
      },
      {
        name: 'rejects a change of an expense whose type was archived later',
        replace: 'return sql`(${id} is null or ${before ? sql`${id} = ${before} or ` : sql``}${isFound})`',
        with: 'return sql`(${id} is null or ${isFound})`',
      },
      {
        name: 'accepts a task that does not exist',
        replace: '      condition: found((viewer) => ({ conditions: visible?.(viewer) ?? [] })),',
        with: '      condition: () => undefined,',
      },
      {
        name: 'accepts an archived task',
        replace: "conditions: [sql`${identifier(table, 'active')} = 1`],",
        with: "conditions: [sql`${identifier(table, 'active')} >= 0`],",
      },
      {
        name: 'DELETE removes an entry in the closed period',
        replace: '    appliesToDeletion: true,\n',
        with: '',
      },
      {
        name: 'PATCH moves an entry out of the closed period',
        replace: '[...new Set([write.stored?.[field], write.next[field]])]',
        with: '[write.next[field]]',
      },
      {
        name: 'PATCH moves an entry into the closed period',
        replace: '[...new Set([write.stored?.[field], write.next[field]])]',
        with: '[write.stored?.[field] ?? write.next[field]]',
      },
    ],
  },
  {
    file: 'src/service/http/list.ts',
    mutants: [
      {
        name: 'skips a record between two pages',
        replace: 'const offset = (page - 1) * perPage',
        with: 'const offset = (page - 1) * (perPage + 1)',
      },
    ],
  },
]
