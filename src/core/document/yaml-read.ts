// The one reader of YAML: source → plain values with their places, in time and memory bounded by the source's length.
// What readers could take in two ways (duplicate keys, keys that are not words) is a fault.
import { type Document, isAlias, isMap, isScalar, isSeq, parseDocument, type YAMLMap } from 'yaml';
import type { Problem } from '../errors.ts';
import { placeOf } from './edits.ts';

// A fault is a problem with an offset; with the file's path and text it becomes a Problem.
export type Fault = { at: number; message: string; expected?: string; hint?: string };
export type Result<T> = { ok: true; value: T } | { ok: false; faults: Fault[] };

export function fail(at: number, message: string, more: { expected?: string; hint?: string } = {}) {
  return { ok: false as const, faults: [{ at, message, ...more }] };
}

const MAX_PROBLEMS = 10;

/** Faults of `text` in the order of their places, at most ten. */
export function toProblems(text: string, path: string, faults: readonly Fault[]): Problem[] {
  const sorted = [...faults].sort((a, b) => a.at - b.at).slice(0, MAX_PROBLEMS);
  return sorted.map(({ at, ...rest }) => ({ path, ...placeOf(text, at), ...rest }));
}

export interface YamlReading {
  document: Document | null; // Null where the parser was not asked.
  map: YAMLMap | null;
  data: Record<string, unknown>;
  sources: Record<string, string>; // See ParsedDocument.
  offsets: Record<string, number>;
}

const MAX_DEPTH = 64;
const MAX_VALUES = 50_000; // Aliases repeat what they name; front matter stays far below this.
const MAX_FAULTS = 100;

export type KeyPath = readonly (string | number)[];

/** Offset of what stands at a path, or of its key; where nothing does, of the nearest above it. */
export function offsetAt(
  { document, offsets }: Pick<YamlReading, 'document' | 'offsets'>,
  source: string,
  path: KeyPath,
  what: 'key' | 'value',
): number {
  if (document === null) {
    const at = offsets[String(path[0])] ?? 0;
    return what === 'key' ? source.lastIndexOf('\n', at) + 1 : at;
  }
  let node: unknown = document.contents;
  let at = offsetOf(node) ?? 0;
  for (const [depth, key] of path.entries()) {
    const target: unknown = isAlias(node) ? node.resolve(document) : node;
    const pair = isMap(target) ? target.items.find((each) => keyName(each.key) === String(key)) : undefined;
    const isKey = what === 'key' && depth === path.length - 1;
    const member = isSeq(target) ? target.items[Number(key)] : null;
    node = pair ? (isKey ? pair.key : (pair.value ?? pair.key)) : member;
    at = offsetOf(node) ?? at;
  }
  return at;
}

/** Reads one YAML document whose root is a map, or only comments. Faults carry offsets in `source`.
 * @param tokens keeps the source tokens that edits need
 * @param isFile it is a whole file: warnings are faults too */
export function readYaml(source: string, tokens = false, isFile = false): Result<YamlReading> {
  const document = parseDocument(source, {
    prettyErrors: false,
    keepSourceTokens: tokens,
    // convertMap checks in linear time; the package compares every key with every other.
    uniqueKeys: false,
    resolveKnownTags: false,
    logLevel: 'error',
  });
  const root = document.contents;
  const errors = isFile ? [...document.errors, ...document.warnings] : document.errors;
  if (errors.length > 0) return { ok: false, faults: toFaults(errors, source, root) };
  const reading = emptyReading(document);
  if (root === null || (isFile && isScalar(root) && root.value === null)) return { ok: true, value: reading };
  if (!isMap(root) && isFile)
    return fail(offsetOf(root) ?? 0, 'not a map of keys', { expected: 'key: value' });
  if (!isMap(root)) {
    return fail(root.range?.[0] ?? 0, 'the front matter is not a list of keys and values', {
      expected: '`key: value` lines between the two `---`',
      hint: 'to start a file with a horizontal rule, write `***` instead of `---`',
    });
  }
  const state: State = { faults: [], anchors: new Map(), values: 0 };
  reading.map = root;
  reading.data = convertMap(root, state, 0);
  if (state.faults.length > 0) return { ok: false, faults: state.faults };
  for (const { key, value } of root.items) {
    const name = keyName(key) ?? '';
    reading.offsets[name] = offsetOf(value) ?? (isScalar(key) ? (key.range?.[1] ?? 0) : 0);
    const isInline = isScalar(value) && !value.type?.startsWith('BLOCK');
    if (isInline && typeof value.source === 'string') reading.sources[name] = value.source;
  }
  return { ok: true, value: reading };
}

export function emptyReading(document: Document | null): YamlReading {
  return { document, map: null, data: {}, sources: Object.create(null), offsets: Object.create(null) };
}

/** Null for a key that is no word. */
export const keyName = (key: unknown) => (isScalar(key) && key.value !== null ? String(key.value) : null);

interface State {
  faults: Fault[];
  /** Null while the anchor's own value is being read. */
  anchors: Map<string, { value: unknown; size: number } | null>;
  values: number;
}

function convert(node: unknown, state: State, depth: number): unknown {
  state.values += 1;
  if (isAlias(node)) return resolveAlias(node.source, node.range?.[0] ?? 0, state);
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
  const before = state.values;
  if (node.anchor) state.anchors.set(node.anchor, null);
  let value: unknown;
  if (isScalar(node)) value = node.value;
  else if (depth >= MAX_DEPTH) {
    note(state, node.range?.[0] ?? 0, `values nested more than ${MAX_DEPTH} levels deep`);
  } else if (isMap(node)) value = convertMap(node, state, depth + 1);
  else value = node.items.map((item) => convert(item, state, depth + 1));
  if (node.anchor) state.anchors.set(node.anchor, { value, size: state.values - before + 1 });
  return value;
}

const PLAIN_PROPERTY = { enumerable: true, configurable: true, writable: true };

function convertMap(map: YAMLMap, state: State, depth: number): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  if (depth === 0 && map.anchor) state.anchors.set(map.anchor, null);
  for (const { key, value } of map.items) {
    const at = offsetOf(key) ?? offsetOf(value) ?? map.range?.[0] ?? 0;
    const name = keyName(key);
    if (name === null) {
      note(state, at, 'a key that is not a word', { expected: 'a plain or quoted word before `:`' });
      continue;
    }
    if (Object.hasOwn(result, name)) {
      note(state, at, `the key ${JSON.stringify(name)} stands here twice`, { hint: 'keep one of them' });
      continue;
    }
    if (isScalar(key) && key.anchor) state.anchors.set(key.anchor, { value: key.value, size: 1 });
    const read = convert(value, state, depth);
    // Assigning this one name would change the prototype.
    if (name !== '__proto__') result[name] = read;
    else Object.defineProperty(result, name, { value: read, ...PLAIN_PROPERTY });
  }
  return result;
}

function resolveAlias(name: string, at: number, state: State): unknown {
  const target = state.anchors.get(name);
  if (target === undefined) {
    const hint = 'put text that starts with * in quotes';
    note(state, at, `\`*${name}\` names no anchor above it`, { hint });
  } else if (target === null) note(state, at, `\`*${name}\` contains itself`);
  else if (state.values + target.size > MAX_VALUES) {
    // Reported once.
    if (!state.faults.some((fault) => fault.message === TOO_MANY)) note(state, at, TOO_MANY);
  } else {
    state.values += target.size;
    return target.value;
  }
  return null;
}

const TOO_MANY = 'the aliases stand for too many values';

function note(
  { faults }: State,
  at: number,
  message: string,
  more: { expected?: string; hint?: string } = {},
) {
  if (faults.length < MAX_FAULTS) faults.push({ at, message, ...more });
}

const offsetOf = (node: unknown): number | undefined =>
  isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;

type YamlErrors = readonly (Document['errors'] | Document['warnings'])[number][];

const HINTS: Partial<Record<YamlErrors[number]['code'], string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'put a value that contains `: ` in quotes',
  BAD_INDENT: 'indent with the same number of spaces as the lines around it, and close every bracket',
  TAB_AS_INDENT: 'indent with spaces',
  BAD_DQ_ESCAPE: 'write \\\\ for a backslash, or use single quotes',
  MISSING_CHAR: 'close the quote or bracket, and keep a space after `:`',
  MULTILINE_IMPLICIT_KEY: 'write `key: value` on one line',
  UNEXPECTED_TOKEN: 'put a value with special characters in quotes',
  BAD_ALIAS: 'put text that starts with * or & in quotes',
};

function toFaults(errors: YamlErrors, source: string, root: unknown): Fault[] {
  const deep = errors.find((error) => error.code === 'RESOURCE_EXHAUSTION');
  if (deep) return fail(deep.pos[0], 'values nested too deeply').faults;
  const end = source.trimEnd().length;
  return errors.slice(0, MAX_FAULTS).map(({ pos, code, message }) => {
    const hint = message.startsWith('Missing directives')
      ? 'put a line that starts with % in quotes'
      : code === 'BAD_SCALAR_START'
        ? quotesAround(source, pos[0])
        : HINTS[code];
    const at = pos[0] >= end ? (openAtEnd(root) ?? pos[0]) : pos[0];
    return { at, message: oneLine(message), ...(hint && { hint }) };
  });
}

/** `@name` and the like: plain in other tools, reserved in YAML. */
function quotesAround(source: string, at: number): string {
  const word = /^[^\s,\]}"]{1,40}/.exec(source.slice(at))?.[0];
  return word === undefined ? 'put quotes around the value' : `put quotes around it: "${word}"`;
}

/** What is missing at the end was opened by the last value: a person has to look there. */
function openAtEnd(root: unknown): number | undefined {
  const value = isMap(root) ? root.items.at(-1)?.value : undefined;
  const isOpen = isScalar(value)
    ? value.type?.startsWith('QUOTE')
    : (isMap(value) || isSeq(value)) && value.flow;
  return isOpen ? offsetOf(value) : undefined;
}

function oneLine(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim();
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}
