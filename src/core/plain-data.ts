// Plain data: members left out, keys spelled as files and JSON spell them; and values that are made when first asked for.

/** The members of `values` that are not undefined: for optional properties that must not be there as `undefined`. */
export function defined<Values extends object>(values: Values) {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Values]?: Exclude<Values[Key], undefined> };
}

export type Camel<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Key;

/** `created_by` → `createdBy` */
export const camelOf = (key: string) => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

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

/** Makes a shape at the first call; every call returns that one. */
export function once<Shape>(make: () => Shape): () => Shape {
  let made: Shape | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
