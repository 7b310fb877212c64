import { expect, test } from 'vitest'
import { parseTag, replaceTags, tagsIn } from '../../../../src/lib/text/tags.js'

test.each<[notes: string, tags: string[]]>([
  ['no tags here', []],
  ['Call about the #logo, then (#Review-2)', ['logo', 'review-2']],
  ['#logo #LOGO #Logo', ['logo']],
  ['#2024-planning and #q3_2024', ['2024-planning', 'q3_2024']],
  ['#größe #設計 #ŽIVO', ['größe', '設計', 'živo']],
  ['#ticket=123 stays one word', ['ticket']],
  ['issue #123, C#, C#sharp, a##b, page/#top, &#x41; and # alone', []],
  ['#first\n#second\t#third', ['first', 'second', 'third']],
])('%j has the tags %j', (notes, tags) => {
  expect(tagsIn(notes)).toEqual(tags)
})

test('replaces every tag with its `#` and nothing else', () => {
  expect(replaceTags('Call #Acme about C# and #logo.', (tag) => `[${tag}]`)).toBe(
    'Call [#Acme] about C# and [#logo].',
  )
})

test.each<[text: string, tag: string | undefined]>([
  ['logo', 'logo'],
  ['#Logo', 'logo'],
  ['##logo', undefined],
  ['two words', undefined],
  ['#', undefined],
  ['123', undefined],
])('%j names the tag %j', (text, tag) => {
  expect(parseTag(text)).toBe(tag)
})
