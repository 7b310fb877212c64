// Entries, the timer, undo, and the catalog with the names that users type.

/** @type {import('../mutants.js').MutatedFile[]} */
export const entries = [
  {
    file: 'src/program/options/entry-filters.ts',
    mutants: [
      {
        name: 'keeps entries that an excluding filter names',
        replace: 'wanted.some(matches)) && !unwanted.some(matches)',
        with: 'wanted.some(matches)) && !unwanted.every(matches)',
      },
      {
        name: 'matches a tag that only begins with the filter',
        replace: 'tags.includes(tag)',
        with: 'tags.some((other) => other.startsWith(tag))',
      },
      {
        name: 'matches names only in the same case',
        replace: 'fold(named.name).includes(fold(typed))',
        with: 'named.name.includes(typed)',
      },
      {
        name: 'ignores the filter for running entries',
        replace: 'end === null',
        with: 'end !== undefined',
      },
      {
        name: 'lists billable entries where others are wanted',
        replace: '!isBillable(link)',
        with: 'isBillable(link)',
      },
      {
        name: 'accepts a filter that both includes and excludes a value',
        replace: 'if (contradiction !== undefined)',
        with: 'if (contradiction === null)',
      },
    ],
  },
  {
    file: 'src/tracking/entries/billable.ts',
    mutants: [
      {
        name: 'counts time with the rate "none" as billable',
        replace: 'if (rate?.text === null ||',
        with: 'if (rate?.text === undefined ||',
      },
      {
        name: 'uses the least specific of several matching rates',
        replace: 'b.pattern.specificity - a.pattern.specificity',
        with: 'a.pattern.specificity - b.pattern.specificity',
      },
    ],
  },
  {
    file: 'src/tracking/entries/rearrange.ts',
    mutants: [
      {
        name: 'shortens an entry before the other pieces of a split exist',
        replace: 'steps: [...creates, { ...shorten, isSeparate: true }, ...createRunning],',
        with: 'steps: [{ ...shorten, isSeparate: true }, ...creates, ...createRunning],',
      },
      {
        name: 'gives the external ID of an entry to each piece of a split',
        replace: 'external_id: ___, ...shared }',
        with: '...shared }',
      },
      {
        name: 'deletes the other entries of a join before the first is extended',
        replace: 'steps: [updateOf(first, fields), ...deletions, ...',
        with: 'steps: [...deletions, updateOf(first, fields), ...',
      },
      {
        name: 'starts a joined timer while another one runs',
        replace: '...changedEnd(first, startsRunning ? provisionalEnd : end),',
        with: '...changedEnd(first, end),',
      },
      {
        name: 'moves the end of a filled entry back',
        replace: 'end > before.end ? { time_end',
        with: 'end >= before.start ? { time_end',
        survives: 'The bounds never end before the entry; the end would be sent unchanged.',
      },
    ],
  },
  {
    file: 'src/tracking/entries/timer-control.ts',
    mutants: [
      {
        name: 'starts a timer in the future',
        replace: 'this.#checkNotInFuture(at)\n    const { entries',
        with: 'const { entries',
      },
      {
        name: 'stops a timer before it started',
        replace: 'if (at >= entry.start) return at',
        with: 'if (at >= entry.start || at) return at',
      },
      {
        name: 'leaves the previous timer running when another one starts',
        replace: '...running.map((entry) => endingAt(entry, this.#endOf(entry, endOf(entry)))),',
        with: '...running.slice(1).map((entry) => endingAt(entry, this.#endOf(entry, endOf(entry)))),',
      },
      {
        name: 'stops a timer in the future',
        replace: 'if (at instanceof Date && !(running && isClockBehind(running, this.#parts.now)))',
        with: 'if (at instanceof Date && running && isClockBehind(running, this.#parts.now))',
      },
    ],
  },
  {
    file: 'src/tracking/entries/running-timer.ts',
    mutants: [
      {
        name: 'does not warn that another client has ended the timer',
        replace: 'if (before && this.#parts.reader.isFresh && !includes(running, before))',
        with: 'if (before && !this.#parts.reader.isFresh && !includes(running, before))',
      },
      {
        name: 'counts the sleep of the machine before the timer started',
        replace: 'clock.uptimeMs >= before.uptimeMs ? before.sleptMs : 0',
        with: 'clock.uptimeMs < before.uptimeMs ? before.sleptMs : 0',
      },
    ],
  },
  {
    file: 'src/tracking/entries/undo.ts',
    mutants: [
      {
        name: 'overwrites fields that another client has changed since, without a question',
        replace: 'return modified.length === 0 ||',
        with: 'return modified.length < 100 ||',
      },
      {
        name: 'undoes the steps of a change in their original order',
        replace: "if (direction === 'undo') return [...steps].reverse()",
        with: "if (direction === 'undo') return [...steps]",
      },
      {
        name: 'blocks undo forever by a change whose record is gone',
        replace: "this.#parts.history.setState(seq, 'discarded')\n    throw",
        with: 'throw',
      },
      {
        name: 'undoes a change a second time after another command has undone it',
        replace: "if (!this.#parts.history.hasState(seq, direction === 'undo' ? 'done' : 'undone')) {",
        with: "if (!this.#parts.history.hasState(seq, 'done') && !this.#parts.history.hasState(seq, 'undone')) {",
        survives: 'Two processes would have to undo the same change at the same moment.',
      },
      {
        name: 'deletes the pieces of a split before the first one has its end again',
        replace: 'steps: [...others, ...deletedLast],',
        with: 'steps: [...deletedLast, ...others],',
      },
    ],
  },
  {
    file: 'src/tracking/entries/closed-period.ts',
    mutants: [
      {
        name: 'saves a change that moves an entry out of the closed period',
        replace: 'return [record?.[field], fields?.[field]].flatMap',
        with: 'return [fields?.[field] ?? record?.[field]].flatMap',
      },
      {
        name: 'saves a change of an expense on the last closed day',
        replace: 'Date.parse(lastDay) + dayMs',
        with: 'Date.parse(lastDay)',
      },
      {
        name: 'saves a change of an entry in the closed period',
        replace: 'times(step).some((time) => time < before)',
        with: 'times(step).some((time) => time > before)',
      },
    ],
  },
  {
    file: 'src/tracking/entries/reading/overlapping-records.ts',
    mutants: [
      {
        name: 'trusts a service that ignores the filter by end',
        replace: 'batch.some((entry) => endsBefore(entry, from))',
        with: 'batch.every((entry) => !endsBefore(entry, from))',
      },
      {
        name: 'does not find a running entry that began before the period',
        replace: 'return { start: mayBeRunning ? openSince : start, ...bound }',
        with: 'return { start, ...bound }',
      },
      {
        name: 'lists an entry twice that was stopped in between',
        replace:
          'yield ids.size === 0 ? batch : batch.filter(({ id }) => !ids.has(id))\n}\n\n/** Yields the times',
        with: 'yield batch\n}\n\n/** Yields the times',
        survives: 'Only a change between the two requests of one command to the local workspace shows it.',
      },
    ],
  },
  {
    file: 'src/tracking/entries/expenses/expenses.ts',
    mutants: [
      {
        name: 'lists expenses after the period',
        replace: '(last === undefined || on <= last)',
        with: '(last === undefined || on <= last || on > last)',
      },
      {
        name: 'lists the expenses of a period from the latest',
        replace: "< String(b.record.spent_on ?? '') ? -1 : 1",
        with: "< String(b.record.spent_on ?? '') ? 1 : -1",
      },
      {
        name: 'shows expenses without a currency as if they had none, instead of that of the company',
        replace: 'const currency = lacksCurrency ? await this.names.currency() : undefined',
        with: 'const currency = undefined',
      },
    ],
  },
  {
    file: 'src/commands/fill.ts',
    mutants: [
      {
        name: 'extends an entry by hours without a question',
        replace: 'const maxUnconfirmedSeconds = 3600',
        with: 'const maxUnconfirmedSeconds = 360_000',
      },
      {
        name: 'extends an entry to a time that the user has not confirmed',
        replace: 'confirmed !== undefined && isSameBounds(filled, confirmed)',
        with: 'confirmed !== undefined',
        survives: 'Another process would have to change the entries during a prompt.',
      },
    ],
  },
  {
    file: 'src/commands/fill.ts',
    mutants: [
      {
        name: 'fills the time outside the working hours',
        replace: 'if (around.isBoundToHours && !hours) return start',
        with: '',
      },
      {
        name: 'fills the time of the next entry',
        replace: 'const limits = [nextToday, nowToday, hours?.end].flatMap',
        with: 'const limits = [nowToday, hours?.end].flatMap',
      },
      {
        name: 'fills the time of the previous entry',
        replace: 'previousEnd && previousEnd > startOfDay(day) ? previousEnd : undefined',
        with: 'undefined as Date | undefined',
      },
      {
        name: 'fills the time after now',
        replace: 'const limits = [nextToday, nowToday, hours?.end].flatMap',
        with: 'const limits = [nextToday, hours?.end].flatMap',
      },
    ],
  },
  {
    file: 'src/commands/adjust/times.ts',
    mutants: [
      {
        name: 'reads the end of an entry without a date as one of the next day, however long the entry is',
        replace:
          'nextDay > start && nextDay.getTime() - start.getTime() <= longestOvernightMs ? nextDay : end',
        with: 'nextDay > start ? nextDay : end',
      },
      {
        name: 'accepts an end before the start without a message',
        replace: 'if ((end ?? now) >= start) return undefined',
        with: 'if ((end ?? now) >= start || end) return undefined',
      },
    ],
  },
  {
    file: 'src/commands/adjust/times.ts',
    mutants: [
      {
        name: 'guesses what 1-3pm means',
        replace: 'checkHalfOfDay(text, from, to, now)\n    return',
        with: 'return',
      },
      {
        name: 'guesses whether 1h30 is a time or a duration',
        replace: 'if (isTime && isDuration) {',
        with: 'if (isTime && !isDuration && text === "") {',
      },
    ],
  },
  {
    file: 'src/commands/join.ts',
    mutants: [
      {
        name: 'joins entries of several tasks without a choice',
        replace: 'if (byLink.size === 1) {',
        with: 'if (byLink.size >= 1) {',
      },
      {
        name: 'repeats equal notes of joined entries',
        replace: "return [...new Set(notes)].join('; ')",
        with: "return notes.join('; ')",
      },
      {
        name: 'joins over untracked time without a question',
        replace: 'if (awayMs >= 1000)',
        with: 'if (awayMs < 0)',
      },
    ],
  },
  {
    file: 'src/commands/split.ts',
    mutants: [
      {
        name: 'splits an entry at its own start',
        replace: 'cut <= entry.start || cut >= (entry.end ?? now)',
        with: 'cut < entry.start || cut > (entry.end ?? now)',
      },
    ],
  },
  {
    file: 'src/commands/shared/prompts/overlap.ts',
    mutants: [
      {
        name: 'does not warn that a new entry overlaps another one',
        replace: 'if (!isPrompting(ctx)) return (saved) => warnOfOverlaps(ctx, others, saved)',
        with: 'if (!isPrompting(ctx)) return async () => {}',
      },
      {
        name: 'reports an overlap of a changed entry that existed before',
        replace: 'return shared > 0 && !(before && shared <=',
        with: 'return shared > 0 && !(before && shared <',
      },
    ],
  },
  {
    file: 'src/commands/shared/prompts/forgotten-timer.ts',
    mutants: [
      {
        name: 'stops another timer than the one that the question was about',
        replace: 'if (isSameEntry(running, forgotten)) return end',
        with: 'if (running) return end',
        survives: 'Two processes would have to change the timer during a prompt.',
      },
    ],
  },
  {
    file: 'src/tracking/catalog/catalog.ts',
    mutants: [
      {
        name: 'starts a timer for an archived task',
        replace: 'return (await this.links()).filter((link) => link.active)',
        with: 'return await this.links()',
      },
      {
        name: 'remembers a task that was created for a change that fails',
        replace: '// The change may fail, and the link is not created then.\n    this.invalidate()',
        with: '',
      },
      {
        name: 'takes the first of several matching tasks',
        replace: 'if (first && matches.length === 1) return existingLink(first)',
        with: 'if (first) return existingLink(first)',
      },
      {
        name: 'takes a task whose name only contains the text inside a word, without a question',
        replace: 'return inside.length > 0\n      ?',
        with: 'if (inside[0]) return existing(inside[0])\n    return inside.length > 0\n      ?',
      },
      {
        name: 'creates a project for a probable typo without a question',
        replace: 'if (!typo) return this.#new(names)',
        with: 'if (!typo || typo) return this.#new(names)',
      },
      {
        name: 'creates a task whose name is that of a client',
        replace: 'if (isOtherName || (!typo && confirmCreation))',
        with: 'if (!typo && confirmCreation)',
      },
      {
        name: 'does not read a task again that was created elsewhere a moment ago',
        replace: 'if (matches.length === 0) {\n      links = await this.#activeNow()',
        with: 'if (matches.length === 0) {\n      links = await this.#active()',
      },
      {
        name: 'does not use the default task of a project that the text names',
        replace: 'return task ? existingLink(task) : this.#pick(typed, matches,',
        with: 'return task && create ? existing(task) : this.#pick(typed, matches,',
      },
    ],
  },
  {
    file: 'src/tracking/catalog/new-task.ts',
    mutants: [
      {
        name: 'takes a different digit for a typo',
        replace: 'every((character) => /\\p{L}/u.test(character))) return false',
        with: 'every((character) => /./u.test(character))) return false',
      },
      {
        name: 'takes short words that differ in a letter for a typo',
        replace: 'const minLetters = 5',
        with: 'const minLetters = 3',
      },
      {
        name: 'does not recognize two swapped letters as a typo',
        replace: 'Math.max(from.length, to.length) === 1 || isSwapped',
        with: 'Math.max(from.length, to.length) === 1 || (isSwapped && from.length === 1)',
      },
      {
        name: 'takes names that differ in two words for a typo',
        replace: 'only !== undefined && others.length === 0 && only',
        with: 'only !== undefined && only',
      },
    ],
  },
  {
    file: 'src/tracking/catalog/new-task.ts',
    mutants: [
      {
        name: 'creates a task in an archived project',
        replace:
          "if (found.length > 0 && !project) throw archivedError('project', names.project, names.client)",
        with: '',
        survives: 'The workspace rejects it as well; this check is earlier.',
      },
      {
        name: 'creates a project that is named like a number',
        replace: '|| !/\\p{L}/u.test(project))',
        with: '|| project === "")',
      },
    ],
  },
  {
    file: 'src/tracking/catalog/name-pattern.ts',
    mutants: [
      {
        name: 'applies the rate of a client before that of its task',
        replace: '2 ** index',
        with: '2 ** (2 - index)',
      },
    ],
  },
  {
    file: 'src/tracking/catalog/reference-data.ts',
    mutants: [
      {
        name: 'uses an incomplete list of tasks as if it were complete',
        replace: 'doubtful: isIncomplete(value)',
        with: 'doubtful: false',
      },
      {
        name: 'uses cached tasks forever after the clock was set back',
        replace: 'Math.abs(this.#options.now.getTime() - at.getTime()) < maxAgeMs',
        with: 'this.#options.now.getTime() - at.getTime() < maxAgeMs',
      },
    ],
  },
  {
    file: 'src/lib/text/match-names.ts',
    mutants: [
      {
        name: 'prefers the beginning of a name to the equal name',
        replace:
          '(path) => endsWith(path, foldedSegments),\n    (path) => inOrder(path, foldedSegments, (name, segment) => name === segment),',
        with: '',
      },
      {
        name: 'matches client, project and task in any order',
        replace: 'if (segment !== undefined && matches(name, segment)) next++',
        with: 'if (segment !== undefined && path.some((other) => matches(other, segment)) && name !== undefined) next++',
      },
      {
        name: 'matches the beginning of any letters instead of words',
        replace: 'if (at === 0 || separators.test(name.charAt(at - 1))) return true',
        with: 'if (at >= 0) return true',
      },
    ],
  },
  {
    file: 'src/lib/text/nearest-names.ts',
    mutants: [
      {
        name: 'suggests names that have nothing in common with the typed one',
        replace: 'return edits <= Math.min(maxEdits, folded.length / 2)',
        with: 'return edits <= maxEdits + folded.length',
      },
      {
        name: 'counts two swapped letters as two typos',
        replace: 'if (swapped) best',
        with: 'if (swapped && i < 0) best',
      },
    ],
  },
  {
    file: 'src/lib/text/tags.ts',
    mutants: [
      {
        name: 'counts a tag in two cases as two tags',
        replace: 'tags.add(tag.toLowerCase())',
        with: 'tags.add(tag)',
      },
      {
        name: 'reads the fragment of an address as a tag',
        replace: '(?<![\\p{L}\\p{N}_#&/])#',
        with: '(?<![\\p{L}\\p{N}_#&])#',
      },
    ],
  },
  {
    file: 'src/service/admin/catalog/catalog-edit.ts',
    mutants: [
      {
        name: 'loses the expenses of a merged project',
        replace: "await edit.move({ table: 'expenses', column: 'project_id', from, to: into }, now)",
        with: '',
      },
      {
        name: 'leaves the entries of a merged task where they were',
        replace: "await edit.move({ table: 'time_entries', column: 'task_link_id', from, to: into }, now)",
        with: '',
      },
      {
        name: 'activates a task of an archived project when it is merged',
        replace: 'active: target?.active === 1 ? active : 0',
        with: 'active',
      },
      {
        name: 'leaves a user assigned twice to a merged project',
        replace: "if (kept.has(keyOf(row))) await edit.remove('assignments', row.id)\n    else",
        with: '',
      },
    ],
  },
  {
    file: 'src/service/admin/catalog/projects.ts',
    mutants: [
      {
        name: 'archives a project but not its tasks',
        replace:
          "for (const link of await linksOf(edit, id)) await edit.update('task_links', link.id, changes)",
        with: '',
      },
      {
        name: 'deletes a project with entries',
        replace:
          "if (await edit.isUsed('task_links', link.id)) throw usedRecord('project', path, 'has entries')",
        with: '',
      },
      {
        name: 'renames a project to the name of another one of its client',
        replace: 'if (existing && existing.id !== before.id)',
        with: 'if (existing && existing.id === before.id)',
      },
      {
        name: 'restores a project of an archived client',
        replace: 'if (active) await requireActiveClient(edit, project)',
        with: '',
      },
    ],
  },
  {
    file: 'src/service/admin/validate-name.ts',
    mutants: [
      {
        name: 'accepts a slash in the name of a project',
        replace: "if (!trimmed.includes('/')) return trimmed",
        with: 'if (trimmed) return trimmed',
      },
      {
        name: 'accepts control characters in names',
        replace: 'if (/[\\p{Control}\\p{Surrogate}]/u.test(trimmed)) {',
        with: 'if (/[\\p{Surrogate}]/u.test(trimmed)) {',
      },
    ],
  },
  {
    file: 'src/service/admin/assignments.ts',
    mutants: [
      {
        name: 'adds an assignment that ends before it starts',
        replace: 'startsOn !== undefined && endsOn !== undefined && endsOn < startsOn',
        with: 'startsOn !== undefined && endsOn !== undefined && endsOn === startsOn',
      },
      {
        name: 'keeps assignments that would begin after the last day',
        replace: 'and starts_on > ${lastDay} returning id',
        with: "and starts_on > '9999-12-31' returning id",
      },
    ],
  },
  {
    file: 'src/service/admin/company.ts',
    mutants: [
      {
        name: 'closes the day after the last one of the period, too',
        replace: 'closed_until === null ? null : await endOfDay(closed_until, time_zone)',
        with: 'closed_until === null ? null : (await endOfDay(closed_until, time_zone)) + 86_400_000',
      },
      {
        name: 'accepts a time zone that does not exist',
        replace: 'if (!isTimeZone(time_zone)) {',
        with: 'if (time_zone === "") {',
      },
    ],
  },
  {
    file: 'src/service/accounts/remove-user.ts',
    mutants: [
      {
        name: 'deletes the records of a user although they were to be kept',
        replace: "if (hasRecords && action === 'keep') await anonymize",
        with: "if (!hasRecords && action === 'keep') await anonymize",
      },
      {
        name: 'keeps the email address of a removed user',
        replace: 'update users set email = ${removedEmail(id)}, name',
        with: 'update users set name',
      },
      {
        name: 'deletes records that were added since the confirmation',
        replace:
          "if (action === 'delete' && confirmed && !hasSameCounts(records, confirmed)) throw changedError(user)",
        with: '',
      },
    ],
  },
]
