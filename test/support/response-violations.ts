/** The differences between the responses of the current test and the OpenAPI document. */
export const violations: string[] = []
