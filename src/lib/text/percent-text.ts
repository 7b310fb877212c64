/**
 * Returns a share from 0 to 1 as whole percents: "12%". Shares that are neither none nor all are never shown as such: "<1%",
 * ">99%".
 */
export function percentText(share: number): string {
  const percents = Math.round(share * 100)
  if (share > 0 && percents === 0) return '<1%'
  return share < 1 && percents === 100 ? '>99%' : `${percents}%`
}
