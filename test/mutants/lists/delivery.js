// Pending changes, their delivery, history, and the lock of the delivering process.

/** @type {import('../mutants.js').MutatedFile[]} */
export const delivery = [
  {
    file: 'src/outbox/delivery/settling-time.ts',
    mutants: [
      {
        name: 'sends a create with an unknown outcome again before the service can no longer apply it',
        replace: 'Math.max(0, settlingMs - Math.min(...elapsed))',
        with: '0',
      },
      {
        name: 'trusts the clock that shows the longer time since a request, such as one that was set forward',
        replace: 'settlingMs - Math.min(...elapsed)',
        with: 'settlingMs - Math.max(...elapsed)',
      },
      {
        name: 'takes a record that was read before a sleep of the machine for a fresh one',
        replace: 'elapsedMs.every((ms) => Math.abs(ms) <= recentMs)',
        with: 'elapsedMs.some((ms) => Math.abs(ms) <= recentMs)',
      },
    ],
  },
  {
    file: 'src/outbox/delivery/change-sender.ts',
    mutants: [
      {
        name: 'sends a create with an unknown outcome again without looking it up',
        replace: 'mayExist && !supportsKeys() ? await',
        with: 'mayExist && supportsKeys() ? await',
      },
      {
        name: 'updates a record without reading it first',
        replace: '= isFresh ? undefined : await this.read(change)\n    let responses',
        with: '\n    let responses',
      },
      {
        name: 'deletes a record that another client has changed',
        replace: 'const rejection = stored && (await conflicts()).changedElsewhere(stored, change)',
        with: 'const rejection = undefined',
      },
      {
        name: 'takes 404 of a gateway for a deleted record',
        replace:
          "if (isNotFound(error) || isMissingEndpoint(error))\n              return (await this.#findListed(target, error)) ?? 'gone'",
        with: "if (isNotFound(error) || isMissingEndpoint(error)) return 'gone'",
      },
      {
        name: 'takes an incomplete list without a record for its deletion',
        replace: 'if (found || listed.incomplete === undefined) return found',
        with: 'return found',
      },
      {
        name: 'sends an update without If-Match to a service that supports it',
        replace: 'return this.#parts.supportsConditions() && typeof',
        with: 'return !this.#parts.supportsConditions() && typeof',
      },
      {
        name: 'does not read a record again after 412',
        replace: "if (etag !== undefined && isPreconditionFailure(error)) return 'changed'",
        with: '',
      },
      {
        name: 'counts a request that never left the machine as one with an unknown outcome',
        replace: 'if (isUnsent || isUnauthorized(error) || isRepeated) removeRecord()',
        with: 'if (isUnauthorized(error) || isRepeated) removeRecord()',
      },
      {
        name: 'takes the accepted response to an update for its effect, although the service did not store it',
        replace: 'if (!isUntouched(response, fields, change)) return updated',
        with: 'return updated',
      },
      {
        name: 'takes an invalid response to a deletion for its success',
        replace: "if (current !== 'gone') throw new NotDeletedError(failure)",
        with: '',
      },
      {
        name: 'creates nothing for the second of two equal creates whose record was taken for the first',
        replace: 'if (mayExist && isCreatedHere(kind, String(record.id))) record',
        with: 'if (!mayExist && isCreatedHere(kind, String(record.id))) record',
      },
    ],
  },
  {
    file: 'src/outbox/delivery/change-settler.ts',
    mutants: [
      {
        name: 'does not record on disk that a change is being sent',
        replace: 'attempts, knownUntil, outcomeUnknown: true })',
        with: 'attempts, knownUntil })',
      },
      {
        name: 'leaves later changes of a new record with its local name',
        replace: 'outbox.renameRecord(kind, record, id)\n        // A service',
        with: '// A service',
      },
      {
        name: 'compares later changes of a record with the values before the delivered change',
        replace: '...other.base, ...stored } })',
        with: '...stored, ...other.base } })',
      },
      {
        name: 'settles a change that another process has merged a new one into',
        replace: 'if (outbox.get(seq)?.revision !== revision) throw',
        with: 'if (!outbox.get(seq) && revision < 0) throw',
      },
      {
        name: 'does not look up duplicates of a create that was sent twice',
        replace: 'if (isResent && !facts.supportsKeys()) {',
        with: 'if (isResent && facts.supportsKeys()) {',
      },
      {
        name: 'does not warn when the service stores other values than those sent',
        replace: 'if (different.length === 0) return',
        with: 'if (different.length >= 0) return',
      },
      {
        name: 'overwrites values at the service that the user has not seen when a conflict is retried',
        replace: 'const seen = { ...(stored && { base: stored }), ...(fields && { fields }) }',
        with: 'const seen = { ...(fields && { fields }) }',
      },
    ],
  },
  {
    file: 'src/outbox/delivery/conflicts.ts',
    mutants: [
      {
        name: 'overwrites a field that another client has changed',
        replace: 'if (isChanged) differences.conflicting[name] = value\n    else',
        with: '',
      },
      {
        name: 'reports a conflict when another client has set the same value',
        replace:
          'const isDone = isSameValue(stored, value) || (isChanged && isEquivalent(name, value, stored))',
        with: 'const isDone = !isChanged && isSameValue(stored, value)',
      },
      {
        name: 'does not compare the end of an entry before it deletes it',
        replace: "entry: ['time_start', 'time_end', 'notes', 'task_link_id'],\n  expense",
        with: "entry: ['time_start', 'notes', 'task_link_id'],\n  expense",
      },
      {
        name: 'treats null and an empty text as different values',
        replace: "const [left, right] = [a ?? '', b ?? '']",
        with: "const [left, right] = [a ?? 'null', b ?? 'null']",
      },
    ],
  },
  {
    file: 'src/outbox/delivery/lost-create.ts',
    mutants: [
      {
        name: 'adopts one record for two equal creates',
        replace: 'taken.add(pair.record)',
        with: '',
      },
      {
        name: 'adopts a record that this machine knew before the create',
        replace: '(knownUntil !== null && cache?.wasKnownAt(kind, name, knownUntil) === true)',
        with: '(knownUntil !== null && cache?.wasKnownAt(kind, name, knownUntil) === false)',
      },
      {
        name: 'adopts a record that another create of this machine has made',
        replace: 'outbox.isCreatedHere(kind, name) ||',
        with: '',
      },
      {
        name: 'adopts a record that the service created before the create was sent',
        replace: 'createdMs(record) < times.first - clockToleranceMs',
        with: 'createdMs(record) < times.first - 1000 * clockToleranceMs',
      },
      {
        name: 'prefers records whose times differ more from those that were sent',
        replace: 'a.distanceMs - b.distanceMs ||',
        with: 'b.distanceMs - a.distanceMs ||',
      },
      {
        name: 'does not adopt the timer that was stopped elsewhere since its create was sent',
        replace: "(name === 'time_end' && isEquivalent(name, fields[name], null)) ||",
        with: '',
      },
      {
        name: 'searches only the day itself for an entry whose create was lost',
        replace: 'time_start_gteq: addDays(day, -2), time_start_lt: addDays(day, 3)',
        with: 'time_start_gteq: addDays(day, 1), time_start_lt: addDays(day, 2)',
      },
      {
        name: 'adopts a record only because of its external ID field, although it differs',
        replace: 'if (identified && identified.external_id === fields.external_id) return',
        with: 'if (identified) return',
      },
    ],
  },
  {
    file: 'src/outbox/delivery/unknown-create.ts',
    mutants: [
      {
        name: 'sends a create again while the list of the service is incomplete',
        replace: 'if (incomplete !== undefined)\n    return',
        with: 'if (incomplete !== undefined && edited)\n    return',
      },
      {
        name: 'sends an ambiguous create again instead of letting the user decide',
        replace: "return { name: 'ambiguous', candidates, rejection: ambiguousCreate(change, candidates) }",
        with: "return candidates.length > 0 ? undefined : { name: 'ambiguous', candidates, rejection: ambiguousCreate(change, candidates) }",
      },
      {
        name: 'takes the entry that another client changed for a new one when its notes differ',
        replace: 'if (edited) {',
        with: 'if (edited && settling) {',
      },
      {
        name: 'looks a create up in vain forever',
        replace: 'clock().getTime() - sentAt > maxFailedLookupsMs',
        with: 'clock().getTime() - sentAt > 1000 * maxFailedLookupsMs',
      },
    ],
  },
  {
    file: 'src/outbox/delivery/delivery.ts',
    mutants: [
      {
        name: 'sends a later change while the service may still apply an earlier one of the same record',
        replace: 'return unsettled && this.#untilOf(unsettled)',
        with: 'return undefined',
      },
      {
        name: 'does not read a record again after the service can no longer apply a late request',
        replace: 'if (ms !== 0) continue',
        with: 'if (ms !== undefined) continue',
      },
      {
        name: 'stops the delivery of all changes when one record cannot be read',
        replace: 'if (result.delivered === 0 && failedCount >= maxUnreadable) throw failure',
        with: 'throw failure',
      },
      {
        name: 'fails the command when the service cannot be reached',
        replace: 'if (!(error instanceof TtError) || !stopsDelivery(error)) throw error',
        with: 'throw error',
      },
      {
        name: 'lets the user adopt the record of another create',
        replace: 'if (this.#parts.outbox.isCreatedHere(kind, String(record.id)))',
        with: 'if (!record.id)',
      },
    ],
  },
  {
    file: 'src/outbox/delivery/delivery-errors.ts',
    mutants: [
      {
        name: 'goes on with other changes when the service does not accept the token',
        replace: "return error.code === 'unauthenticated' || error.code === 'insufficient_scope'",
        with: "return error.code === 'insufficient_scope'",
      },
    ],
  },
  {
    file: 'src/outbox/delivery/delivery-errors.ts',
    mutants: [
      {
        name: 'rejects a running timer of a service that accepts no open entries',
        replace: "if (kind !== 'entry' || !mayConcernEnd(error)) return false",
        with: "if (kind !== 'expense' || !mayConcernEnd(error)) return false",
      },
      {
        name: 'lets a change on which the service always fails block the others forever',
        replace: 'if (attempts < maxFailures) return undefined',
        with: 'if (attempts < 100 * maxFailures) return undefined',
      },
    ],
  },
  {
    file: 'src/outbox/delivery/check-again.ts',
    mutants: [
      {
        name: 'leaves the older values of a late request at the service',
        replace: 'if (!confirmed || late.length === 0 ||',
        with: 'if (!confirmed || late.length >= 0 ||',
      },
      {
        name: 'overwrites a change of another client together with a late request',
        replace: 'const isConflict = changed.length > late.length',
        with: 'const isConflict = changed.length < late.length',
      },
      {
        name: 'deletes a record again that another client has restored',
        replace: 'isReplaced || isRestored(current, deletion)) forget',
        with: 'isReplaced) forget',
      },
    ],
  },
  {
    file: 'src/outbox/delivery/duplicates.ts',
    mutants: [
      {
        name: 'reports the adopted record as its own duplicate',
        replace: '.filter(({ id }) => id !== originalId)',
        with: '',
      },
    ],
  },
  {
    file: 'src/outbox/field-equality.ts',
    mutants: [
      {
        name: 'treats times that the service rounded to the minute as different',
        replace: 'roundingMs = minuteMs',
        with: 'roundingMs = 1000',
      },
      {
        name: 'treats 12.50 and 12.5 as different amounts',
        replace: "text.includes('.') ? trimEnd(trimEnd(text, '0'), '.') : text",
        with: "text.includes('.') ? trimEnd(text, '.') : text",
      },
      {
        name: 'sends fields of a record that only the service sets, such as the user',
        replace: 'documented[kind].includes(name) || sent.has(name)',
        with: "documented[kind].includes(name) || sent.has(name) || name.endsWith('_id')",
      },
    ],
  },
  {
    file: 'src/outbox/outbox.ts',
    mutants: [
      {
        name: 'sends a change of a record before its pending create',
        replace: "AND before.seq < outbox.seq AND before.op = 'create'",
        with: "AND before.seq < outbox.seq AND before.op = 'update'",
      },
      {
        name: 'sends the next entry although the timer that overlaps it is postponed',
        replace: '!records.has(nameOf(change)) && !timers.some((timer) => isOverlapped(change, timer))',
        with: '!records.has(nameOf(change))',
      },
      {
        name: 'lets a later change overtake a postponed one of the same record',
        replace: '!records.has(nameOf(change)) && !timers',
        with: '!timers',
      },
      {
        name: 'merges a change into one that may be at the service already',
        replace: 'return !outcomeUnknown\n',
        with: 'return !outcomeUnknown || outcomeUnknown\n',
      },
      {
        name: 'sends a create and a deletion of an entry that only existed offline',
        replace: "if (unsent.some(({ op }) => op === 'create')) return undefined",
        with: '',
      },
      {
        name: 'keeps an update that restores the values at the service',
        replace: 'if (Object.keys(fields).length === 0) {\n      this.remove(last.seq)',
        with: 'if (fields === null) {\n      this.remove(last.seq)',
      },
      {
        name: 'retries a rejected create with the same key, whose response the service may repeat',
        replace: 'change.outcomeUnknown ? change.key : crypto.randomUUID()',
        with: 'change.key',
      },
      {
        name: 'retries a create with an unknown outcome with another key',
        replace: 'change.outcomeUnknown ? change.key : crypto.randomUUID()',
        with: 'crypto.randomUUID()',
      },
      {
        name: 'keeps a local timer local after it was stopped',
        replace: "change.state === 'held' && isEnded ?",
        with: "change.state === 'held' && !isEnded ?",
      },
    ],
  },
  {
    file: 'src/outbox/history.ts',
    mutants: [
      {
        name: 'can redo an undone change after another change',
        replace: 'UPDATE history SET undone = 1 WHERE undone = 2',
        with: 'UPDATE history SET undone = 2 WHERE undone = 2',
      },
      {
        name: 'undoes the oldest change first',
        replace: "this.#entries('undone = 0 ORDER BY seq DESC', limit)",
        with: "this.#entries('undone = 0 ORDER BY seq', limit)",
      },
      {
        name: 'redoes the change that was undone first',
        replace: "this.#entries('undone = 2 ORDER BY seq', limit)",
        with: "this.#entries('undone = 2 ORDER BY seq DESC', limit)",
      },
    ],
  },
  {
    file: 'src/outbox/history.ts',
    mutants: [
      {
        name: 'undoes only the last of several changes of a record in one command',
        replace: 'first ? { ...step, before: first.before } : step',
        with: 'step',
      },
    ],
  },
  {
    file: 'src/outbox/change-applier.ts',
    mutants: [
      {
        name: 'keeps a change that the local workspace has rejected',
        replace: 'if (result.failure) throw result.failure\n    this.#throwIfRejected(queued, result)',
        with: 'if (result.failure) throw result.failure',
      },
      {
        name: 'keeps a change although the service does not accept the token',
        replace: 'this.#writer.withdraw(queued)\n      throw failure',
        with: 'throw failure',
      },
      {
        name: 'does not warn that a change is pending',
        replace: 'if (count > 0) this.#warnAfterOutput(queuedMessage',
        with: 'if (count > 1) this.#warnAfterOutput(queuedMessage',
      },
      {
        name: 'does not warn about a rejected change of an earlier command',
        replace: 'this.#warnAboutRejected(result?.rejected ?? [])\n    if (isLocalFailure',
        with: 'if (isLocalFailure',
      },
    ],
  },
  {
    file: 'src/outbox/change-writer.ts',
    mutants: [
      {
        name: 'withdraws a change that the service may have',
        replace: 'if (change && (!current || current.outcomeUnknown)) return false',
        with: 'if (change && !current) return false',
      },
      {
        name: 'records a change that changes nothing',
        replace: "if (op === 'update' && Object.keys(fields).length === 0) {",
        with: "if (op === 'update' && Object.keys(fields).length < 0) {",
      },
      {
        name: 'sends a running timer to a service that rejects open entries',
        replace: "this.#isLocalTimer(step) ? 'held' : 'waiting'",
        with: "'waiting'",
      },
    ],
  },
  {
    file: 'src/outbox/sync.ts',
    mutants: [
      {
        name: 'retries a change of a deleted record as an update',
        replace: 'if (change.rejection?.gone && change.base) this.#recreate(change)\n        else',
        with: '',
      },
      {
        name: 'discards a create but not the changes that depend on it',
        replace: "const dependent = op === 'create' ? outbox.changesOf(kind, record) : []",
        with: "const dependent = op === 'delete' ? outbox.changesOf(kind, record) : []",
      },
      {
        name: 'ignores Retry-After between attempts of tt sync',
        replace: 'await pause(Math.max(retryAfterMs, pauseMs))',
        with: 'await pause(pauseMs)',
      },
      {
        name: 'retries without end while the service does not respond',
        replace: '{ afterResponse: 10, withoutResponse: 3 }',
        with: '{ afterResponse: 10, withoutResponse: 30 }',
      },
      {
        name: 'ends tt sync --wait before creates with an unknown outcome are settled',
        replace: 'while (wait && !total.failure && total.settling.some(hasEnd)) {',
        with: 'while (wait && total.failure && total.settling.some(hasEnd)) {',
      },
    ],
  },
  {
    file: 'src/outbox/pending.ts',
    mutants: [
      {
        name: 'shows the values of a rejected update as if they were stored',
        replace: "return state === 'waiting' || state === 'held' || op === 'create'",
        with: 'return true',
      },
      {
        name: 'lists an entry whose deletion is pending',
        replace: "if (change.op === 'delete') return undefined",
        with: "if (change.op === 'delete') return known",
      },
    ],
  },
  {
    file: 'src/outbox/pending.ts',
    mutants: [
      {
        name: 'lists pending records outside the filter',
        replace: '({ record, pending }) => !pending || matchesPredicates(record, predicates, zone)',
        with: '({ pending }) => pending || !pending || matchesPredicates({}, predicates, zone)',
      },
      {
        name: 'shows a change twice, once as pending and once from the service',
        replace: 'overlayPending(withoutUncertainRecords(records, changes, known), changes)',
        with: 'overlayPending(withoutUncertainRecords(records, [], known), changes)',
      },
    ],
  },
  {
    file: 'src/outbox/plan.ts',
    mutants: [
      {
        name: 'reports a change in conflict as delivered',
        replace: "if (current?.state === 'conflict') return",
        with: "if (current?.state === 'refused') return",
      },
    ],
  },
  {
    file: 'src/lib/lock.ts',
    mutants: [
      {
        name: 'lets two processes hold a lock at the same time',
        replace: "database.exec('BEGIN IMMEDIATE')",
        with: "database.exec('BEGIN')",
      },
      {
        name: 'fails at once when another process holds the lock',
        replace: 'if (!isBusy(error)) throw error\n      if (isOver()) return undefined',
        with: 'throw error',
      },
    ],
  },
]
