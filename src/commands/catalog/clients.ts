import type { Client } from '../../api-client/types.js'
import type { Context } from '../../cli/context.js'
import type { DatabaseOptions } from '../admin/user.js'
import type { CommandInput } from '../shared/command.js'
import { clientView } from '../views/workspace.js'
import type { CatalogTarget } from './catalog-command.js'

const loadAdministration = () => import('../../service/admin/administration.js')
const parts = { view: clientView, messageReplacesValue: true } as const

export const list = {
  view: clientView,
  async run(ctx: Context, { options }: CommandInput<DatabaseOptions>): Promise<Client[]> {
    const { listClients } = await loadAdministration()
    return listClients(await ctx.storage(options.database))
  },
}

export const add = {
  ...parts,
  async run(_: Context, { name }: { name: string }, { change }: CatalogTarget): Promise<Client> {
    const { addClient } = await loadAdministration()
    return change(
      (storage) => addClient(storage, name),
      (client) => `Added the client ${client.name}`,
    )
  },
}

export const rename = {
  ...parts,
  async run(
    _: Context,
    { client, name }: { client: string; name: string },
    { change }: CatalogTarget,
  ): Promise<Client> {
    const { renameClient } = await loadAdministration()
    const { record } = await change(
      (storage) => renameClient(storage, client, name),
      ({ from, to }) => `Renamed the client ${from[0]} to ${to[0]}`,
      (renamed) => renamed,
    )
    return record
  },
}

export const merge = {
  ...parts,
  async run(ctx: Context, names: { from: string; into: string }, { change }: CatalogTarget): Promise<Client> {
    const { mergeClients } = await loadAdministration()
    const { record } = await change(
      (storage) => mergeClients(storage, names, ctx.now),
      ({ from, to }) => `Merged the client ${from[0]} into ${to[0]}`,
      (renamed) => renamed,
    )
    return record
  },
}

export const archive = { ...parts, run: activation(false, 'Archived') }
export const restore = { ...parts, run: activation(true, 'Restored') }

export const rm = {
  ...parts,
  async run(_: Context, { client }: { client: string }, { change }: CatalogTarget): Promise<Client> {
    const { removeClient } = await loadAdministration()
    return change(
      (storage) => removeClient(storage, client),
      ({ name }) => `Deleted the client ${name}`,
    )
  },
}

function activation(active: boolean, verb: string) {
  return async (_: Context, { client }: { client: string }, { change }: CatalogTarget): Promise<Client> => {
    const { setClientActive } = await loadAdministration()
    return change(
      (storage) => setClientActive(storage, client, active),
      ({ name }) => `${verb} the client ${name}`,
    )
  }
}
