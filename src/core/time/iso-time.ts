// Instants as JSON has them.

export function isoOrNull(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}
