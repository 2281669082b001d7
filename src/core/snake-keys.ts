// Keys of objects in snake_case, as files and JSON spell them.

type Camel<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Key;

export type CamelKeys<T> = T extends readonly (infer Item)[]
  ? CamelKeys<Item>[]
  : T extends object
    ? { [Key in keyof T as Camel<Key & string>]: CamelKeys<T[Key]> }
    : T;

/** Keys of plain data in snake_case, at every depth; for data whose keys are all ours. */
export function snakeKeys(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(snakeKeys);
  if (data === null || typeof data !== 'object') return data;
  const entries = Object.entries(data).map(([key, value]) => [
    key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    snakeKeys(value),
  ]);
  return Object.fromEntries(entries);
}
