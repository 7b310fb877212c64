import { cpSync, mkdirSync, readFileSync, realpathSync, statSync, symlinkSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { Copy, DockerfileParser, type Instruction } from 'dockerfile-ast'
import { cleanEnvironment, root, run, temporaryDirectory } from './process.js'

/** A stage of the Dockerfile, built below a directory. Paths in it are those of this machine. */
interface Stage {
  name: string
  /** Where the root of the file system of the stage is. */
  directory: string
  workingDirectory: string
  env: Record<string, string>
  user: string
  command: string[]
  healthCheck: string[]
  /** Replaces paths of the image, such as /data, by those of this machine. */
  resolve(text: string): string
}

/** The last stage, and the numbers of its user. */
export type ContainerImage = Stage & { uid: number; gid: number }

/** Returns the instructions of the Dockerfile. */
export function readDockerfile(): Instruction[] {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8')
  return DockerfileParser.parse(text).getInstructions()
}

/** Returns the stage from which COPY copies; undefined for the build context. */
export function stageOf(instruction: Instruction): string | undefined {
  const flags = instruction instanceof Copy ? instruction.getFlags() : []
  return flags.find((flag) => flag.getName() === 'from')?.getValue() ?? undefined
}

export const argumentsOf = (instruction: Instruction): string[] =>
  instruction.getArguments().map((argument) => argument.getValue())

/** Returns the command in the exec form `CMD ["program", "argument"]`; throws SyntaxError for the shell form. */
export function execForm(instruction: Instruction): string[] {
  const text = instruction.getArgumentsContent() ?? ''
  return JSON.parse(text.replace(/^CMD\s+/, ''))
}

/** Installs also the packages of development, which takes most of the time of a build. */
export const developmentInstallation = 'npm ci --ignore-scripts'

/**
 * Builds the image without a container: copies the files and runs the commands of the Dockerfile, with a directory of the
 * test as the root of each stage, and this machine in place of the base image. Instead of `developmentInstallation`, which
 * has been run in the checkout, it links the packages there. Throws Error if a command fails.
 *
 * @param env additional variables of the commands, such as the cache of npm
 */
export async function buildImage(env: Record<string, string>): Promise<ContainerImage> {
  const [base, instructions] = [temporaryDirectory(), readDockerfile()]
  const stages: Stage[] = []
  const paths = imagePaths(instructions)
  for (const instruction of instructions) {
    if (instruction.getKeyword() === 'FROM')
      stages.push(startStage(base, argumentsOf(instruction)[2] ?? 'image', paths))
    else await execute(instruction, lastOf(stages), stages, env)
  }
  const image = lastOf(stages)
  const [uid = 0, gid = 0] = image.user.split(':').map(Number)
  return { ...image, uid, gid }
}

function lastOf(stages: Stage[]): Stage {
  const stage = stages.at(-1)
  if (!stage) throw new Error('The Dockerfile does not begin with FROM.')
  return stage
}

/** @param paths the directories of the image that commands may name */
function startStage(base: string, name: string, paths: string[]): Stage {
  const directory = join(base, name)
  mkdirSync(join(directory, 'usr', 'local', 'bin'), { recursive: true })
  const [workingDirectory, command, healthCheck] = [directory, [], []]
  const pattern = new RegExp(`(?<![\\w./-])(?:${paths.join('|')})(?![\\w-])`, 'g')
  const resolve = (text: string) => text.replace(pattern, `${directory}$&`)
  return { name, directory, workingDirectory, env: {}, user: '0:0', command, healthCheck, resolve }
}

/** Returns the directories that the Dockerfile names, and that of its commands. */
function imagePaths(instructions: Instruction[]): string[] {
  const named = instructions.filter((each) => ['WORKDIR', 'VOLUME'].includes(each.getKeyword()))
  return [...named.flatMap(argumentsOf), '/usr/local/bin']
}

async function execute(instruction: Instruction, stage: Stage, stages: Stage[], env: Record<string, string>) {
  const [words, { resolve }] = [argumentsOf(instruction), stage]
  switch (instruction.getKeyword()) {
    case 'WORKDIR':
      stage.workingDirectory = resolve(words[0] ?? '')
      mkdirSync(stage.workingDirectory, { recursive: true })
      return
    case 'COPY':
      return copy(words, sourceOf(instruction, stages), stage)
    case 'RUN':
      return runCommand(resolve(instruction.getArgumentsContent() ?? ''), stage, env)
    case 'ENV':
      for (const word of words) {
        const [name = '', ...value] = word.split('=')
        stage.env[name] = resolve(value.join('='))
      }
      return
    case 'USER':
      stage.user = words[0] ?? ''
      return
    case 'CMD':
      stage.command = execForm(instruction).map(resolve)
      return
    case 'HEALTHCHECK':
      stage.healthCheck = execForm(instruction).map(resolve)
      return
    case 'VOLUME':
    case 'EXPOSE':
      return
    default:
      throw new Error(`The test cannot execute ${instruction.getKeyword()}.`)
  }
}

/** Returns where COPY reads: the directory of a stage, or the build context. */
function sourceOf(instruction: Instruction, stages: Stage[]): (path: string) => string {
  const from = stageOf(instruction)
  if (from !== undefined) {
    const stage = stages.find(({ name }) => name === from)
    if (!stage) throw new Error(`COPY --from=${from}: no such stage.`)
    return (path) => join(stage.directory, path)
  }
  return (path) => {
    if (!isInBuildContext(path)) throw new Error(`COPY ${path}: .dockerignore excludes it.`)
    return join(root, path)
  }
}

/** Whether .dockerignore includes this file or directory of the checkout: the last pattern that matches decides. */
export function isInBuildContext(path: string): boolean {
  const [first = ''] = path.split('/')
  const lines = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')
  const patterns = lines.filter((line) => line !== '' && !line.startsWith('#'))
  const last = patterns.findLast((pattern) => ['*', first].includes(pattern.replace('!', '')))
  return last === undefined || last.startsWith('!')
}

function copy(words: string[], source: (path: string) => string, { workingDirectory }: Stage) {
  const [target = '', ...paths] = [...words].reverse()
  if (isAbsolute(target)) throw new Error('The test copies only to paths relative to WORKDIR.')
  for (const path of paths) {
    const from = source(path)
    // A directory is copied with its content, a file into a directory that ends with a slash.
    const isInto = target.endsWith('/') && !statSync(from).isDirectory()
    const to = join(workingDirectory, target, isInto ? basename(path) : '')
    mkdirSync(dirname(to), { recursive: true })
    cpSync(from, to, { recursive: true, verbatimSymlinks: true })
  }
}

async function runCommand(command: string, stage: Stage, more: Record<string, string>) {
  if (command === developmentInstallation) {
    symlinkSync(realpathSync(join(root, 'node_modules')), join(stage.workingDirectory, 'node_modules'))
    return
  }
  const env = cleanEnvironment({ ...stage.env, HOME: stage.directory, ...more })
  const { status, stderr } = await run('sh', ['-c', command], { cwd: stage.workingDirectory, env })
  if (status !== 0) throw new Error(`RUN ${command}: ${stderr}`)
}
