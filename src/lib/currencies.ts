/**
 * The currencies and funds of ISO 4217 by the number of their decimals: list one of 2026 without metals and test codes,
 * and for reports about the past the codes withdrawn since 2020 (ANG, BGN, CUC, HRK, SLL, ZWL). `Intl` is no source for
 * them: it lacks CLF, has no decimals for IDR and IQD, and changes with the runtime, which must not change the amounts of
 * an invoice.
 */
const codesByDecimals: readonly [decimals: number, codes: string][] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [
    2,
    `AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY
    COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HRK HTG HUF IDR ILS
    INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR
    MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP
    STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG XDR XSU XUA YER ZAR
    ZMW ZWG ZWL`,
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
]

let decimalsByCode: ReadonlyMap<string, number> | undefined

function knownDecimals(code: string): number | undefined {
  decimalsByCode ??= new Map(
    codesByDecimals.flatMap(([decimals, codes]) =>
      codes.split(/\s+/).map((code): [string, number] => [code, decimals]),
    ),
  )
  return decimalsByCode.get(code)
}

/** Whether the text is a currency code of ISO 4217, in capitals. */
export function isCurrency(code: string): boolean {
  return knownDecimals(code) !== undefined
}

/** Returns the number of decimals of a currency (ISO 4217); 2 for an unknown code. */
export function currencyDecimals(code: string): number {
  return knownDecimals(code) ?? 2
}
