// Values of front matter keys, each as the type it must have. A value of another type is a problem with its place, and
// reads as if the key were missing.
import type { ParsedDocument } from '../document/document.ts';
import type { Problem } from '../errors.ts';

export type KeyReader = ReturnType<typeof createKeyReader>;

const TRUE = new Set(['true', 'yes', 'on']);
const FALSE = new Set(['false', 'no', 'off']);

/** True and false, also as yes/no and on/off; null for anything else. */
export function parseFlag(value: unknown): boolean | null {
  const word = String(value).trim().toLowerCase();
  return TRUE.has(word) ? true : FALSE.has(word) ? false : null;
}

/** @param path of the file, for problems */
export function createKeyReader(doc: ParsedDocument, path: string) {
  const problems: Problem[] = [];
  const report = (key: string, message: string, expected: string, hint?: string | null): null => {
    const { line, col } = doc.places(key);
    problems.push({ path, line, col, message, expected, ...(hint ? { hint } : {}) });
    return null;
  };
  /** As the parser gave it; null for a missing or empty key. */
  const value = (key: string): unknown => (Object.hasOwn(doc.data, key) ? (doc.data[key] ?? null) : null);
  return {
    problems,
    report,
    value,
    text(key: string): string | null {
      const found = value(key);
      if (found === null) return null;
      if (typeof found === 'object')
        return report(key, `${key} holds a ${Array.isArray(found) ? 'list' : 'map'}`, 'one text');
      // A number or a boolean is taken as it was written: `id: 007` is "007".
      const written = doc.sources[key] ?? String(found);
      if (written.trim() === '') return null;
      return typeof found === 'string' ? found : written;
    },
    /** False for a missing key. */
    flag(key: string): boolean {
      const found = value(key);
      const flag = found === null ? false : parseFlag(found);
      if (flag === null)
        report(key, `${key} is ${JSON.stringify(found)}`, 'true or false (yes/no and on/off too)');
      return flag ?? false;
    },
    number(key: string): number | null {
      const found = value(key);
      if (found === null || (typeof found === 'number' && Number.isFinite(found))) return found;
      return report(key, `${key} is ${doc.sources[key] ?? JSON.stringify(found)}`, 'a number');
    },
    /** Texts; one text with commas between is a list too. Empty for a missing key. */
    list(key: string): string[] {
      const found = value(key);
      if (found === null) return [];
      if (typeof found === 'object' && !Array.isArray(found)) {
        report(key, `${key} holds a map`, 'a list of texts', `write it as a list: ${key}: [one, two]`);
        return [];
      }
      const items = Array.isArray(found) ? found : String(found).split(',');
      if (items.some((item) => typeof item === 'object' && item !== null))
        report(key, `${key} holds more than texts`, 'a list of texts');
      return items.map((item) => String(item ?? '').trim()).filter((item) => item !== '');
    },
  };
}
