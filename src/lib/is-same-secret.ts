import { timingSafeEqual } from 'node:crypto'

/** Whether two secrets are equal. The time of the comparison depends only on their length, which is no secret. */
export function isSameSecret(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
