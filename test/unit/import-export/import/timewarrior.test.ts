import { describe, expect, test } from 'vitest'
import { fixture, texts } from './read.js'

describe('the JSON of timew export', () => {
  test('has UTC times, tags, annotations and open intervals', async () => {
    expect(await texts('timewarrior', fixture('timewarrior.json'))).toEqual([
      '2: 2024-05-01T07:30Z – 2024-05-01T08:30Z #Acme #front end Fix the "logo" # again',
      '3: 2024-05-01T08:30Z – 2024-05-01T08:30Z',
      '4: 2024-05-02T08:00Z – 2024-05-02T09:00Z only a note',
      '5: 2024-05-03T08:00Z – open #open',
    ])
  })

  test('yields an invalid row for each wrong value and continues', async () => {
    const text = [
      '[{"start":"20240501T073000Z","end":"20240501T063000Z"},',
      '  {"start":"2024-05-01T07:30:00Z"},',
      ' {"start":"20240231T073000Z"}, 7, {"tags":["a"]},',
      '{"start":"20240501T073000Z","tags":"a"},{"start":"20240501T073000Z",},',
      '{"start":"20240501T073000Z"}',
    ].join('\n')
    expect(await texts('timewarrior', text)).toEqual([
      'file:1:2: end is "20240501T063000Z", not a time at or after the start.',
      'file:2:3: start is "2024-05-01T07:30:00Z", not a UTC time such as 20240501T073000Z.',
      'file:3:2: start is "20240231T073000Z", not a UTC time such as 20240501T073000Z.',
      'file:3:32: "7", not a JSON object.',
      'file:3:35: start is empty, not a UTC time such as 20240501T073000Z.',
      'file:4:1: tags is "\\"a\\"", not a list of texts.',
      'file:4:41: "{\\"start\\":\\"20240501T073000Z\\",}", not valid JSON.',
      '5: 2024-05-01T07:30Z – open',
      'file:5:29: the text is empty, not the end of the list, "]".',
    ])
  })
})

describe('a data file', () => {
  test('has quoted tags, annotations and open intervals', async () => {
    expect(await texts('timewarrior', fixture('2024-05.data'))).toEqual([
      '1: 2024-05-01T07:30Z – 2024-05-01T08:30Z ##hash #Acme #a-b #back\\slash #front end #it\'s #q"x Fix the "logo" # again',
      '2: 2024-05-01T08:30Z – 2024-05-01T08:30Z',
      '3: 2024-05-02T08:00Z – 2024-05-02T09:00Z only a note',
      '4: 2024-05-02T10:00Z – 2024-05-02T11:00Z #t words without quotation marks',
      '5: 2024-05-03T08:00Z – open #open',
    ])
  })

  test('has escapes in quoted words', async () => {
    const line = String.raw`inc 20240501T073000Z # "a\\b" "n\nx" a\nb # "say \"hi\" \\ \t \u00e9 \x"`
    expect(await texts('timewarrior', line)).toEqual([
      '1: 2024-05-01T07:30Z – open #a\\b #n\nx #a\\nb say "hi" \\ \t é \\x',
    ])
  })

  test('yields an invalid row for another line', async () => {
    expect(await texts('timewarrior', 'inc 20240501T073000Z\nexc monday\ninc 2024\n\ninc\n')).toEqual([
      '1: 2024-05-01T07:30Z – open',
      'file:2:1: "exc monday", not an interval such as inc 20240501T073000Z - 20240501T083000Z # tag.',
      'file:3:1: "inc 2024", not an interval such as inc 20240501T073000Z - 20240501T083000Z # tag.',
      'file:5:1: start is empty, not a UTC time such as 20240501T073000Z.',
    ])
  })
})
