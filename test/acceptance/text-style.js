// @ts-nocheck: this runs in the page; including the DOM types would add them to all of src.

/**
 * Returns the computed text style of an element. The browser receives its source, so it uses nothing from outside.
 *
 * @returns {{ color: string, background: string, direction: string }}
 */
export function textStyleOf(element) {
  const { color, backgroundColor, direction } = getComputedStyle(element)
  return { color, background: backgroundColor, direction }
}
