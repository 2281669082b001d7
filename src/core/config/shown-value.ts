// How a setting's value is quoted in what is said about it.

/** A value as it is quoted in a message: JSON, at most 60 characters. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
}
