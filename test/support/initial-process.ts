/** The time zone and the directory of the process before the first file of its tests. */
export const [zone, directory] = [process.env.TZ ?? '', process.cwd()]
