// Instants as JSON has them.

/** ISO text of an instant for JSON, null for none. */
export function isoOrNull(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}
