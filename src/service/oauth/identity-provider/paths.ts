/** The path of the link on the sign-in page, which is followed by the query of the authorization request. */
export const providerPath = '/oauth/authorize/provider'
/** The path to which the provider redirects the browser. */
export const providerCallbackPath = `${providerPath}/callback`
