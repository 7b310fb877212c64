import type { Context } from '../../cli/context.js'
import type { Input } from '../../cli/input.js'
import type { RecordedChange } from '../../cli/recorded-change.js'
import type { appCommands } from '../../program/declarations/admin-access.js'
import { recordView } from '../views/record.js'

interface ApplicationRecord {
  client_id: string
  name: string
  redirect_uris: string[]
  public: boolean
}

const loadApplications = () => import('../../service/oauth/applications.js')

export const add = {
  view: recordView<ApplicationRecord>({ client_id: 'Client ID', client_secret: 'Client secret' }, ''),
  async run(
    ctx: Context,
    { args: { name }, options }: Input<typeof appCommands.add>,
    recorded: RecordedChange,
  ) {
    const { addApplication } = await loadApplications()
    const storage = await ctx.storage(options.database)
    const { redirectUri: redirectUris, public: isPublic = false } = options
    const application = await recorded(storage, (storage) =>
      addApplication(storage, { name, redirectUris, isPublic, clock: ctx.host.now }),
    )
    const secret = isPublic ? 'It has no secret.' : 'The secret cannot be shown again.'
    ctx.terminal.message(`Added the application ${application.name}. ${secret}`)
    return application
  },
}

export const list = {
  view: recordView<ApplicationRecord>(
    { client_id: 'Client ID', name: 'Name', redirect_uris: 'Redirect URIs', public: 'Public' },
    'No applications. Run `tt admin app add NAME --redirect-uri URI` to register one.',
  ),
  async run(ctx: Context, { options }: Input<typeof appCommands.list>): Promise<ApplicationRecord[]> {
    const { listApplications } = await loadApplications()
    return listApplications(await ctx.storage(options.database))
  },
}

export const rm = {
  view: list.view,
  messageReplacesValue: true,
  async run(
    ctx: Context,
    { args: { id }, options }: Input<typeof appCommands.rm>,
    recorded: RecordedChange,
  ): Promise<ApplicationRecord | undefined> {
    const { getApplication, removeApplication } = await loadApplications()
    const storage = await ctx.storage(options.database)
    const application = await getApplication(storage, id)
    const question = `Remove ${application.name} and revoke all its tokens?`
    if (!(await ctx.terminal.confirm(question))) return undefined
    await recorded(storage, (storage) => removeApplication(storage, id))
    ctx.terminal.message(`Removed ${application.name} and revoked its tokens.`)
    return application
  },
}
