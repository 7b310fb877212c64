/** The differences of the current test: of responses from the OpenAPI document, of JSON from the shape of its command. */
export const violations: string[] = []
