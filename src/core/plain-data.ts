// Plain data: members left out, keys spelled as files and JSON spell them, the values of secrets taken out of texts that people, logs
// and the ledger are shown (by the values themselves, however a text came to hold one); and values that are made when first asked for.

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

export type Redact = (text: string) => string;

export const REDACTED = '[secret]';
const SHORTEST = 6; // Shorter values are words that stand in any text.

/** @param values as the environment has them: of several lines, each line counts too */
export function createRedactor(values: readonly (string | undefined)[]): Redact {
  const forms = values.flatMap((value) => (value === undefined ? [] : formsOf(value)));
  const found = [...new Set(forms)].filter((form) => form.length >= SHORTEST);
  if (found.length === 0) return (text) => text;
  // The longest first: a value may be the beginning of another.
  found.sort((a, b) => b.length - a.length);
  return (text) => found.reduce((left, form) => left.replaceAll(form, REDACTED), text);
}

function formsOf(value: string): string[] {
  const whole = value.trim();
  const lines = value.split(/\r\n|\r|\n|\\n/).map((line) => line.trim());
  return [whole, ...lines].flatMap((text) => [
    text,
    encodeURIComponent(text.toWellFormed()),
    JSON.stringify(text).slice(1, -1),
  ]);
}

export function redactData<T>(data: T, redact: Redact): T {
  if (typeof data === 'string') return redact(data) as T;
  if (Array.isArray(data)) return data.map((item) => redactData(item, redact)) as T;
  if (data === null || typeof data !== 'object' || Object.getPrototypeOf(data) !== Object.prototype)
    return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, redactData(value, redact)]),
  ) as T;
}

/** Makes a shape at the first call; every call returns that one. */
export function once<Shape>(make: () => Shape): () => Shape {
  let made: Shape | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
