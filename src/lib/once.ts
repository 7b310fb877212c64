/** Returns a function that creates the value on its first call and then returns it; a call that throws stores nothing. */
export function once<Value>(create: () => Value): () => Value {
  let created: { value: Value } | undefined
  return () => {
    created ??= { value: create() }
    return created.value
  }
}
