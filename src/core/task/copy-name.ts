// Which of two files that carry the same id is the original, where nobody remembers: the one with the plain name.

const BEFORE = /^(?:copy|kopie|copie|copia|cópia|kopia|kopi) (?:\(\d+\) )?(?:of|von|de|van|di|av|af) $/i;
// What programs put behind a name: " (1)", " copy", "-copy", ".sync-conflict-…", "_BACKUP_12".
const BEHIND = /^[\s(._~-]/;

/** True when `name` is `plain` with something put before or behind it, as programs name copies. */
export function isCopyName(name: string, plain: string): boolean {
  if (plain === '' || name.length <= plain.length) return false;
  if (name.startsWith(plain)) return BEHIND.test(name.slice(plain.length));
  return name.endsWith(plain) && BEFORE.test(name.slice(0, -plain.length));
}

export interface NamedFile {
  name: string;
  mtimeMs: number;
}

/** True when `a` is the original rather than `b`: it has the plain name or, where neither has, it is older. */
export function isOriginal(a: NamedFile, b: NamedFile): boolean {
  if (isCopyName(b.name, a.name)) return true;
  return !isCopyName(a.name, b.name) && a.mtimeMs < b.mtimeMs;
}
