/** Returns a figure with separators of thousands: "-1,234.5678", "1,234h 05m". Separates the first number, before its point. */
export function groupDigits(text: string): string {
  return text.replace(/(?<![.,\d])\d{4,}/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ','))
}
