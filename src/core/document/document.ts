// The public face of a markdown file with front matter: bytes → text → values, and edits of single keys that
// leave every other byte as it was. Nothing here knows what a key means.

import type { Problem } from '../errors.ts';
import { lineEndOf, placeOf } from './edits.ts';
import { toProblems } from './fault.ts';
import { type FrontMatter, readFrontMatter } from './front-matter.ts';
import { type KeyPath, offsetAt } from './yaml-read.ts';

export { decodeDocument, MAX_FILE_BYTES } from './document-bytes.ts';
export { type FrontMatter, MAX_FRONT_MATTER_BYTES } from './front-matter.ts';
export { removeKey, setKey, setKeys, type Value } from './yaml-edit.ts';

export interface ParsedDocument {
  text: string;
  bom: boolean;
  /** The line end of the first line; a file may mix them. */
  eol: '\n' | '\r\n';
  frontMatter: FrontMatter | null;
  /** 0, or 1 after a BOM, when there is no front matter. */
  bodyStart: number;
  /** Plain values by key, `{}` without front matter. Parts named by a YAML alias are the same object. */
  data: Record<string, unknown>;
  /**
   * Text of each top-level plain or quoted value as written, quotes and escapes resolved, before YAML gives it
   * a type: `id: 007` is 7 in `data` and "007" here. An empty value is "". No lists, maps, block scalars, aliases.
   */
  sources: Record<string, string>;
  /** Line and column, from 1, of a top-level key's value; the start of the file for a key it does not have. */
  places(key: string): { line: number; col: number };
  /** The same at any depth, or of a key; of the nearest above it where nothing stands there. */
  placeAt(path: KeyPath, what: 'key' | 'value'): { line: number; col: number };
}

export function parseDocument(
  text: string,
  path: string,
): { ok: true; doc: ParsedDocument } | { ok: false; problems: Problem[] } {
  const reading = readFrontMatter(text);
  if (!reading.ok) return { ok: false, problems: toProblems(text, path, reading.faults) };
  const { frontMatter, yaml } = reading.value;
  const bom = text.startsWith('\uFEFF');
  const offsets = yaml?.offsets;
  const doc: ParsedDocument = {
    text,
    bom,
    eol: lineEndOf(text),
    frontMatter,
    bodyStart: frontMatter ? frontMatter.bodyStart : Number(bom),
    data: yaml?.data ?? {},
    sources: yaml?.sources ?? {},
    places: (key) => {
      const at = offsets && Object.hasOwn(offsets, key) ? offsets[key] : undefined;
      return at === undefined ? { line: 1, col: 1 } : placeOf(text, frontMatter!.yamlStart + at);
    },
    placeAt(path, what) {
      if (yaml === null) return { line: 1, col: 1 };
      const { yamlStart, yamlEnd } = frontMatter!;
      return placeOf(text, yamlStart + offsetAt(yaml, text.slice(yamlStart, yamlEnd), path, what));
    },
  };
  return { ok: true, doc };
}
