// Keys of objects in snake_case, as files and JSON spell them.

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
