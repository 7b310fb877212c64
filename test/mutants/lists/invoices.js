/** @type {import('../mutants.js').MutatedFile[]} */
export const invoices = [
  {
    file: 'src/report/invoice/lines.ts',
    mutants: [
      {
        name: 'bills entries with different rates in one line',
        replace: 'JSON.stringify([entry.order, entry.description, entry.rate])',
        with: 'JSON.stringify([entry.order, entry.description])',
      },
      {
        name: 'lists the lines of a description from the lowest rate',
        replace: 'return Number(b.rate) - Number(a.rate)',
        with: 'return Number(a.rate) - Number(b.rate)',
      },
      {
        name: 'adds up positions with different tax rates for one tax',
        replace: 'const key = `${tax_category} ${tax_percent}`',
        with: 'const key = tax_category',
      },
      {
        name: 'computes the total of an invoice without its tax',
        replace: 'total: sumOf([net, tax], currency)',
        with: 'total: net',
      },
      {
        name: 'lists the days of an annex once for each entry',
        replace: '(days.get(entry.day) ?? 0n) + hundredths',
        with: 'hundredths',
      },
      {
        name: 'lists entries of an invoice in the order of its lines instead of their start',
        replace: 'rows.sort((a, b) => Date.parse(a.entry.time_start) - Date.parse(b.entry.time_start))',
        with: 'rows.sort(() => 0)',
      },
    ],
  },
  {
    file: 'src/report/invoice/decimals.ts',
    mutants: [
      {
        name: 'rounds half a cent of an invoice to the even cent',
        replace: 'new Big(amount).round(places, Big.roundHalfUp)',
        with: 'new Big(amount).round(places, Big.roundHalfEven)',
      },
      {
        name: 'writes the zero of a cancellation with a minus sign',
        replace: 'if (/^-?0*(\\.0*)?$/.test(amount)) return amount',
        with: '',
      },
    ],
  },
  {
    file: 'src/lib/decimals.ts',
    mutants: [
      {
        name: 'drops the zeros before small amounts of an invoice',
        replace: ".padStart(places + 1, '0')",
        with: ".padStart(places, '0')",
      },
    ],
  },
  {
    file: 'src/report/invoice/numbers.ts',
    mutants: [
      {
        name: 'accepts a pattern of invoice numbers with two counts',
        replace: 'counts.length !== 1 ||',
        with: 'counts.length < 1 ||',
      },
      {
        name: 'writes invoice numbers without leading zeros',
        replace: "String(n).padStart(digits, '0')",
        with: 'String(n)',
      },
      {
        name: 'counts invoice numbers of all series',
        replace: 'each.series === series ? (each.count ?? 0) : []',
        with: 'each.count ?? 0',
      },
      {
        name: 'gives an invoice the number that the user has chosen for another one',
        replace: 'while (taken.has(pattern.format(day, count))) count++',
        with: '',
      },
      {
        name: 'uses an invoice.start of another series',
        replace: 'return isInSeries && hasDigits ? Number(middle) : undefined',
        with: 'return hasDigits ? Number(middle) : undefined',
      },
      {
        name: 'accepts an invoice.start that the pattern does not match',
        replace: 'if (start !== undefined) pattern.checkStart(start)',
        with: '',
      },
      {
        name: 'accepts invoice numbers of more than 40 characters',
        replace: '&& number.length <= maxLength',
        with: '',
      },
      {
        name: 'accepts spaces around an invoice number',
        replace: 'hasValidCharacters && number.trim() === number',
        with: 'hasValidCharacters',
      },
    ],
  },
  {
    file: 'src/report/invoice/taken-numbers.ts',
    mutants: [
      {
        name: 'frees a reserved number whose invoice was stored',
        replace: '(await this.#parts.hasInvoice(taken.profile, taken.invoice)) === false',
        with: 'true',
      },
      {
        name: 'frees a reserved number of a profile that cannot be read',
        replace: '(await this.#parts.hasInvoice(taken.profile, taken.invoice)) === false',
        with: '(await this.#parts.hasInvoice(taken.profile, taken.invoice)) !== true',
      },
      {
        name: 'keeps a reserved number without an invoice forever',
        replace: 'if (!isFree) settled.push([number, taken])',
        with: 'settled.push([number, taken])',
      },
      {
        name: 'stores an invoice before its number is reserved',
        replace:
          'this.#write({ ...numbers, [number]: { ...taken, reserved: true } })\n      await store(choice)',
        with: 'await store(choice)',
      },
      {
        name: 'forgets the numbers of a file when a backup is restored over it',
        replace: 'return { ...second, ...first }',
        with: 'return { ...second }',
      },
    ],
  },
  {
    file: 'src/lib/git/commits.ts',
    mutants: [
      {
        name: 'shows commits of other authors',
        replace: 'if (!address.includes(email)) continue',
        with: '',
      },
      {
        name: 'shows a commit once for each branch with a copy of it',
        replace: 'if (!commits.has(key)) commits.set(key, commit)',
        with: 'commits.set(commit.hash, commit)',
      },
      {
        name: 'shows commits at the end of the period',
        replace: '(end && commit.time >= end)',
        with: '(end && commit.time > end)',
      },
      {
        name: 'compares the address of the user with upper case',
        replace: 'return email.trim().toLowerCase()',
        with: 'return email.trim()',
      },
    ],
  },
  {
    file: 'src/program/aliases.ts',
    mutants: [
      {
        name: 'lets an alias replace a command',
        replace: 'if (name === undefined || isCommand(name)) return undefined',
        with: 'if (name === undefined) return undefined',
        survives: 'expandAlias ignores aliases with the name of a command, too; this saves reading the file',
      },
      {
        name: 'drops the options before an alias',
        replace: 'words: [...options, ...expansion.words]',
        with: 'words: expansion.words',
      },
      {
        name: 'takes the value of an option before an alias for its name',
        replace: "optionsWithValue.includes(argv[index] ?? '') ? 2 : 1",
        with: '1',
      },
    ],
  },
  {
    file: 'src/report/invoice/document.ts',
    mutants: [
      {
        name: 'charges tax on expenses that are passed through',
        replace: "parts.expenseMode === 'gross' ? passedThrough : tax",
        with: 'tax',
      },
      {
        name: 'bills expenses that the user leaves out',
        replace: "parts.expenseMode === 'none' ? [] : parts.expenses",
        with: 'parts.expenses',
      },
      {
        name: 'cancels an invoice with the amounts of its expenses unchanged',
        replace: '({ ...expense, amount: negate(expense.amount) })',
        with: '({ ...expense })',
      },
      {
        name: 'cancels an invoice with its tax unchanged',
        replace: 'tax: negate(invoice.tax),',
        with: 'tax: invoice.tax,',
      },
      {
        name: 'asks for payment of a cancellation',
        replace: 'date, due: null },',
        with: 'date },',
      },
      {
        name: 'does not name the invoice that is cancelled',
        replace: 'cancels: invoice.number, date',
        with: 'cancels: null, date',
      },
    ],
  },
  {
    file: 'src/commands/invoice/collect.ts',
    mutants: [
      {
        name: 'bills the entries of other clients',
        replace:
          'if (String(entry.link?.client?.id) !== String(client.id) || entry.invoice !== null) continue',
        with: 'if (entry.invoice !== null) continue',
      },
      {
        name: 'bills an entry again that is on an invoice',
        replace: '!== String(client.id) || entry.invoice !== null) continue',
        with: '!== String(client.id)) continue',
      },
      {
        name: 'bills entries before the period without a question',
        replace: "if (isEarlier && rate) omitted.addEntry('earlier', seconds, rate)\n      else if",
        with: 'if',
      },
      {
        name: 'bills a running timer',
        replace: "else if (entry.end === null) omitted.addEntry('running', seconds, rate)\n",
        with: '',
      },
      {
        name: 'bills entries that the service does not have yet',
        replace: "else if (entry.pending) omitted.addEntry('pending', seconds, rate)\n",
        with: '',
      },
      {
        name: 'bills exact durations although the settings round',
        replace: 'usedRounding ? roundSeconds(exactSeconds, usedRounding) : exactSeconds',
        with: 'exactSeconds',
      },
      {
        name: 'bills an expense again that is on an invoice',
        replace: '!== String(client.id) || invoice !== null) return false',
        with: '!== String(client.id)) return false',
      },
      {
        name: 'bills expenses before the period without a question',
        replace:
          "if (first !== undefined && (wire.spent_on ?? '') < first) omitted.addExpense('earlier', expense)\n    else if",
        with: 'if',
      },
      {
        name: 'bills expenses that the service does not have yet',
        replace: "else if (pending) omitted.addExpense('pending', expense)\n",
        with: '',
      },
      {
        name: 'bills entries of another currency with the amount of their rate',
        replace: 'if (rate.currency === currency) return true\n    omitted.addEntry',
        with: 'return true\n    omitted.addEntry',
      },
      {
        name: 'chooses one of several currencies of a client',
        replace: 'if (only !== undefined && used.size === 1) return only',
        with: 'if (only !== undefined) return only',
      },
      {
        name: 'shows the tags of notes as tags to a client',
        replace: 'replaceTags(text.trim(), (tag) => tag.slice(1))',
        with: 'replaceTags(text.trim(), (tag) => tag)',
      },
    ],
  },
]
