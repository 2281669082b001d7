// The text of a settings file as plain data plus the place of every key and value in it.
// Whatever the text holds, reading it ends in data or in problems, never in an exception.
import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, parseDocument } from 'yaml';
import { placeOf } from '../document/edits.ts';
import { readJson } from '../document/json-source.ts';
import type { Problem } from '../errors.ts';

export type KeyPath = readonly (string | number)[];

export interface ConfigSource {
  data: unknown;
  /** Line and column of the value at a path, or of its key. */
  placeAt(path: KeyPath, what: 'key' | 'value'): { line: number; col: number };
}

export type SourceReading = { ok: true; source: ConfigSource } | { ok: false; problems: Problem[] };

// Settings are short; the bound keeps the time for a hostile file (a wall of brackets or keys) below a second.
const MAX_CHARACTERS = 64 * 1024;
const MAX_DEPTH = 64;
const MAX_ALIASES = 50;
const MAX_PROBLEMS = 10;

/** Reads YAML text. Tags, several documents and unknown directives are problems; an empty text is `null`. */
export function readYamlSource(text: string, path: string): SourceReading {
  try {
    return checkSize(text, path) ?? readYaml(withoutBom(text), path);
  } catch (error) {
    // What the parser itself can't take, such as an alias bomb.
    return { ok: false, problems: [{ path, line: 1, col: 1, message: messageOf(error) }] };
  }
}

function checkSize(text: string, path: string): SourceReading | null {
  if (text.length <= MAX_CHARACTERS) return null;
  const message = `longer than ${MAX_CHARACTERS} characters`;
  return { ok: false, problems: [{ path, line: 1, col: 1, message, expected: 'a settings file' }] };
}

function readYaml(text: string, path: string): SourceReading {
  // The level stays at its default: 'silent' would also drop the error about a second document.
  const doc = parseDocument(text, { prettyErrors: false, uniqueKeys: false });
  const faults = [...doc.errors, ...doc.warnings].map((fault) => ({
    offset: fault.pos[0],
    message: messageOf(fault),
  }));
  if (faults.length === 0) faults.push(...findKeyFaults(doc.contents));
  if (faults.length > 0) {
    const shown = faults.slice(0, MAX_PROBLEMS);
    return {
      ok: false,
      problems: shown.map(({ offset, message }) => ({ path, ...placeOf(text, offset), message })),
    };
  }
  const data: unknown = doc.toJS({ maxAliasCount: MAX_ALIASES }) ?? null;
  return { ok: true, source: { data, placeAt: (keys, what) => placeOf(text, offsetIn(doc, keys, what)) } };
}

/** Offset of the node at a path, or of the nearest one above it that has a place. */
function offsetIn(doc: Document.Parsed, keys: KeyPath, what: 'key' | 'value'): number {
  let node: Node | null = doc.contents;
  let at = node?.range?.[0] ?? 0;
  for (const [depth, key] of keys.entries()) {
    const target: unknown = isAlias(node) ? node.resolve(doc) : node;
    const pair = isMap(target) ? findPair(target.items, key) : undefined;
    const wantsKey = what === 'key' && depth === keys.length - 1;
    let next: unknown = isSeq(target) ? target.items[Number(key)] : null;
    if (pair) next = wantsKey ? pair.key : (pair.value ?? pair.key);
    node = (next ?? null) as Node | null;
    at = node?.range?.[0] ?? at;
  }
  return at;
}

function findPair(items: readonly Pair[], key: string | number): Pair | undefined {
  return items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(key));
}

/**
 * Keys that stand twice in one map, and keys that are no plain text. Duplicates are looked for here because the
 * parser's own check takes quadratic time; other keys because it warns about them on the process.
 */
function findKeyFaults(root: unknown): { offset: number; message: string }[] {
  const found: { offset: number; message: string }[] = [];
  const open: unknown[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isSeq(node)) open.push(...node.items);
    if (!isMap(node)) continue;
    const seen = new Set<string>();
    for (const { key, value } of node.items) {
      const offset = (key as Node | null)?.range?.[0] ?? 0;
      const name = isScalar(key) ? String(key.value) : null;
      if (name === null) found.push({ offset, message: 'a key must be plain text' });
      else if (seen.has(name))
        found.push({ offset, message: `key ${JSON.stringify(name)} stands here twice` });
      if (name !== null) seen.add(name);
      if (value) open.push(value);
    }
  }
  return found.sort((a, b) => a.offset - b.offset);
}

/** Reads strict JSON text (a duplicate key is a problem too); an empty text is a problem. */
export function readJsonSource(text: string, path: string): SourceReading {
  const tooLong = checkSize(text, path);
  if (tooLong) return tooLong;
  const json = withoutBom(text);
  const reading = readJson(json, MAX_DEPTH);
  if (!reading.ok) {
    const { offset, message, expected } = reading;
    const problem = { path, ...placeOf(json, offset), message };
    return { ok: false, problems: [expected === undefined ? problem : { ...problem, expected }] };
  }
  const placeAt = (keys: KeyPath, what: 'key' | 'value'): { line: number; col: number } => {
    for (let depth = keys.length; depth >= 0; depth -= 1) {
      const place = reading.places.get(JSON.stringify(keys.slice(0, depth)));
      if (place) return placeOf(json, what === 'key' ? place.key : place.value);
    }
    return { line: 1, col: 1 };
  };
  return { ok: true, source: { data: reading.value, placeAt } };
}

function withoutBom(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (text.startsWith('Maximum call stack')) return 'nested too deep';
  if (text.startsWith('Excessive alias count')) return 'aliases that repeat each other too often';
  return text.split('\n')[0]!.replace(/[\s:]+$/, '');
}
