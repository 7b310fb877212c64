// @ts-nocheck: it runs in the page, and the types of the DOM would hold for all of src.

/**
 * How an element looks. It is given to the browser as it stands, so it uses nothing from outside.
 *
 * @returns {{ color: string, background: string, direction: string }}
 */
export function textStyleOf(element) {
  const { color, backgroundColor, direction } = getComputedStyle(element)
  return { color, background: backgroundColor, direction }
}
