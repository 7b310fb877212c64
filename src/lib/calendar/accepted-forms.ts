import { hoursByName } from './named-hours.js'

const dates = [
  ...['2024-05-01', '1.5.2024', 'today', 'yesterday', 'monday', '-7d', '7d', 'last week', 'may'],
  ...['q2', '2024-05', '2024-Q2', '2024-W18', '2024'],
] as const

/** Examples of every form of a time, duration, date or period, for help and error messages. */
export const acceptedForms = {
  time: [
    ...['9:30', '930', '9', '9am', ...Object.keys(hoursByName), 'now', '-15m', '15m ago', '+10m', 'in 10m'],
    ...['yesterday 17:00', 'mon 9:00', '2024-05-01 09:30'],
  ],
  duration: ['1h30m', '90m', '1.5h', '1:30', 'PT1H30M'],
  date: dates,
  period: [...dates.filter((form) => form !== '-7d'), 'monday..wednesday', 'all'],
} as const satisfies Record<string, readonly string[]>
