import fc from 'fast-check'

/** Runs `work` in this time zone, then restores the previous one. */
export function inZone<Result>(zone: string, work: () => Result): Result {
  const before = process.env.TZ
  process.env.TZ = zone
  try {
    return work()
  } finally {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  }
}

/** Runs asynchronous work in this time zone, then restores the previous one. */
export async function inZoneAsync<Result>(zone: string, work: () => Promise<Result>): Promise<Result> {
  const before = process.env.TZ
  process.env.TZ = zone
  try {
    return await work()
  } finally {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  }
}

/** Ordinary zones, and zones with half an hour of summer time, no midnight in spring, or a skipped or repeated day. */
const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'Asia/Beirut',
  'Pacific/Apia',
  'Pacific/Kwajalein',
  'America/St_Johns',
  'America/Toronto',
  'Africa/Monrovia',
]

export const anyZone = fc.constantFrom(...zones)

/** Instants with milliseconds, from the days of local mean time to the next century. */
export const anyInstant = fc.date({
  min: new Date('1850-01-01T00:00:00Z'),
  max: new Date('2100-01-01T00:00:00Z'),
  noInvalidDate: true,
})

/** Random text, and text composed of parts of valid input, which is closer to it. */
export const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(...'0123456789:-+. wdhmsptz'),
        fc.constantFrom(...'now ago in last this week month year today yesterday mon'.split(' ')),
        fc.constantFrom(...'monday may noon midnight am pm hours 2024 -05 -01 -W18'.split(' '), ' '),
      ),
      { maxLength: 12 },
    )
    .map((pieces) => pieces.join('')),
)
