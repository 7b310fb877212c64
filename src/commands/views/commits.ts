import { toRfc3339 } from '../../lib/calendar/time.js'
import type { Commit } from '../../lib/git/commits.js'
import type { CommitJson } from '../../records/shapes/entries.js'
import type { View } from '../../ui/view.js'
import { commitText } from '../shared/commits.js'

/** Returns the JSON of a commit. */
export function commitJson({ hash, time, subject }: Commit): CommitJson {
  return { hash, time: toRfc3339(time), subject }
}

/** Adds the commits of each row to a view, as its last column and as the JSON key `commits`. */
export function withCommits<Row extends { commits?: Commit[] }>(view: View<Row>): View<Row> {
  return {
    ...view,
    columns: [
      ...view.columns,
      {
        key: 'commits',
        title: 'Commits',
        canWrap: true,
        text: ({ commits = [] }) => commits.map(commitText).join('; '),
      },
    ],
    json: (row) => ({ ...view.json(row), commits: (row.commits ?? []).map(commitJson) }),
  }
}
