// The name under which a client's changes stand in task files: a word that can be taken for nothing else.

const LONGEST = 40;

/** @param name what the client calls itself; anything at all */
export function nameOfClient(name: unknown): string {
  const words = typeof name === 'string' ? name.normalize('NFKC').toLowerCase() : '';
  const clean = words
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, LONGEST)
    .replace(/-+$/, '');
  return clean === '' ? 'mcp' : clean;
}
