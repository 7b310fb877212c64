import packageJson from '../../package.json' with { type: 'json' }

/** The version of this `tt`, from package.json. */
export const version: string = packageJson.version
