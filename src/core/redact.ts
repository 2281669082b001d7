// Takes the values of secrets out of texts that people, logs and the ledger are shown, however a text came to hold one.

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
