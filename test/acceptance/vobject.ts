import { spawnSync } from 'node:child_process'

const python = ['python3', '/usr/bin/python3'].find(
  (program) => spawnSync(program, ['-c', 'import vobject']).status === 0,
)

/** The reason to skip tests with vobject, or undefined where it is installed. */
export const missingVobjectReason =
  python === undefined ? 'the Python package vobject is not installed' : undefined

/** An event; times are in epoch seconds, and texts without a value are empty. */
export interface VobjectEvent {
  uid: string
  start: number
  end: number
  summary: string
  description: string
  categories: string[]
  status: string
}

const script = `
import json, sys, vobject
calendar = vobject.readOne(sys.stdin.read())
text = lambda event, name: getattr(event, name).value if hasattr(event, name) else ''
print(json.dumps([{
  'uid': event.uid.value, 'summary': text(event, 'summary'), 'description': text(event, 'description'),
  'status': text(event, 'status'), 'categories': event.categories.value if hasattr(event, 'categories') else [],
  'start': int(event.dtstart.value.timestamp()),
  'end': int((event.dtend if hasattr(event, 'dtend') else event.dtstart).value.timestamp()),
} for event in calendar.vevent_list]))
`

/** Returns the events that vobject reads from an iCalendar object, in their order. */
export function readWithVobject(calendar: string): VobjectEvent[] {
  const { status, stdout, stderr } = spawnSync(python ?? 'python3', ['-c', script], {
    input: calendar,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, PYTHONIOENCODING: 'utf-8' },
    maxBuffer: 2 ** 26,
  })
  if (status !== 0) throw new Error(`vobject cannot read the calendar: ${stderr}`)
  return JSON.parse(stdout) as VobjectEvent[]
}
