import { afterAll } from 'vitest'

// Gives back the time zone and the directory of the process, which the files of a worker share.
const { TZ } = process.env
const directory = process.cwd()

afterAll(() => {
  process.chdir(directory)
  if (TZ === undefined) delete process.env.TZ
  else process.env.TZ = TZ
})
