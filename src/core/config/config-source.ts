// The text of a settings file as plain data plus the place of every key and value in it.
// Whatever the text holds, reading it ends in data or in problems, never in an exception.
import { placeOf } from '../document/edits.ts';
import { toProblems } from '../document/fault.ts';
import { readJson } from '../document/json-source.ts';
import { type KeyPath, offsetAt, readYaml } from '../document/yaml-read.ts';
import type { Problem } from '../errors.ts';

export interface ConfigSource {
  data: unknown;
  /** Line and column of the value at a path, or of its key. */
  placeAt(path: KeyPath, what: 'key' | 'value'): { line: number; col: number };
}

export type SourceReading = { ok: true; source: ConfigSource } | { ok: false; problems: Problem[] };

// Settings are short; the bound keeps the time for a hostile file (a wall of brackets or keys) below a second.
const MAX_CHARACTERS = 64 * 1024;
const MAX_DEPTH = 64;

/** Reads YAML text. Tags, several documents and unknown directives are problems; an empty text is an empty map. */
export function readYamlSource(text: string, path: string): SourceReading {
  const tooLong = checkSize(text, path);
  if (tooLong) return tooLong;
  const yaml = withoutBom(text);
  const reading = readYaml(yaml, false, true);
  if (!reading.ok) return { ok: false, problems: toProblems(yaml, path, reading.faults) };
  const { value } = reading;
  const placeAt: ConfigSource['placeAt'] = (keys, what) => placeOf(yaml, offsetAt(value, yaml, keys, what));
  return { ok: true, source: { data: value.data, placeAt } };
}

function checkSize(text: string, path: string): SourceReading | null {
  if (text.length <= MAX_CHARACTERS) return null;
  const message = `longer than ${MAX_CHARACTERS} characters`;
  return { ok: false, problems: [{ path, line: 1, col: 1, message, expected: 'a settings file' }] };
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
