import { type CommandDeclaration, type Declaration, isGroup } from '../../cli/declaration.js'
import { type CommandName, commandGroups } from '../../program/command-list.js'
import { loadDeclaration } from '../../program/program.js'

/** A command with its full name, such as `tt config get`. */
export interface DeclaredCommand<Declared extends Declaration = Declaration> {
  path: string
  declaration: Declared
}

/** Commands under a heading of `tt --help`. */
export interface CommandSection {
  heading: string
  commands: DeclaredCommand[]
}

/** Returns the top-level commands in the order of `tt --help`. */
export async function commandSections(): Promise<CommandSection[]> {
  return Promise.all(
    Object.entries(commandGroups).map(async ([heading, commands]) => ({
      heading,
      commands: await Promise.all(
        (Object.keys(commands) as CommandName[]).map(async (name) => ({
          path: `tt ${name}`,
          declaration: await loadDeclaration(name),
        })),
      ),
    })),
  )
}

/** Returns the command itself, or the commands of a group and of the groups in it. */
export function leavesOf({ path, declaration }: DeclaredCommand): DeclaredCommand<CommandDeclaration>[] {
  if (!isGroup(declaration)) return [{ path, declaration }]
  return Object.entries(declaration.commands).flatMap(([name, child]) =>
    leavesOf({ path: `${path} ${name}`, declaration: child }),
  )
}

/** Returns the arguments of a command: their names without brackets, and what they are. */
export function argumentsOf({ args = {} }: CommandDeclaration): [name: string, meaning: string][] {
  return Object.entries(args).map(([term, details]) => [
    term.replace(/[<>[\].]/g, ''),
    typeof details === 'string' ? details : details.description,
  ])
}
