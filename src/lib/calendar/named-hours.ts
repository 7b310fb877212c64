/** Hours that have a name, as in `--at noon`. */
export const hoursByName = { noon: 12, midnight: 0 } as const
