// A chore file's text → the chore, or every problem with its place. Invariant: no key is passed over in silence, and a
// chore that is handed out has something to do: a mirror, or a prompt.
import * as z from 'zod';
import { agentId, checkCommands, field, group, line, oneOf } from '../config/config-fields.ts';
import { sortProblems, toProblems } from '../config/config-problems.ts';
import { type KeyPath, readYamlSource } from '../config/config-source.ts';
import { type ParsedDocument, parseDocument } from '../document/document.ts';
import type { Problem } from '../errors.ts';
import { nameOfPath } from '../task/task-name.ts';
import {
  type Chore,
  type ChoreReading,
  DEFAULT_PUSH,
  FIELDS,
  type MirrorConfig,
  PREFERENCES,
  PUSHES,
  type Push,
} from './chore.ts';
import {
  flag,
  logins,
  mapOfAnything,
  optionalSchedule,
  providerName,
  serverUrl,
  words,
  wordsOf,
} from './chore-fields.ts';

const FILTER = {
  labels: field(words, [] as string[]),
  assignee: field(line, null),
  state: field(oneOf('open', 'closed', 'all'), 'open'),
};

const TRUST = {
  roles: field(words, null),
  logins: field(logins, [] as string[]),
  edits: field(oneOf('trusted', 'none'), 'trusted'),
};

const MIRROR = {
  provider: field(providerName, null),
  source: field(line, null),
  filter: group(FILTER),
  push: field(wordsOf(PUSHES), [...DEFAULT_PUSH] as Push[]),
  prefer: field(oneOf(...PREFERENCES), 'remote'),
  trust: group(TRUST),
  mentions: field(flag, false),
  owner: field(agentId, null),
  checks: field(checkCommands, [] as string[]),
  publish: field(oneOf('pull_request'), null),
  fields: field(wordsOf(FIELDS), null),
  url: field(serverUrl, null),
  options: field(mapOfAnything, {}),
};

const CHORE = {
  schedule: field(optionalSchedule, null),
  paused: field(flag, false),
  owner: field(agentId, null),
  mirror: group(MIRROR),
};

const SCHEMA = z.strictObject(CHORE);
/** Allowed keys by the path of the map they stand in. */
const ALLOWED: Readonly<Record<string, string[]>> = {
  '': Object.keys(CHORE),
  mirror: Object.keys(MIRROR),
  'mirror.filter': Object.keys(FILTER),
  'mirror.trust': Object.keys(TRUST),
};

/** Dotted paths of every key a chore file may have. */
export function choreKeys(): string[] {
  const below = (path: string): string[] =>
    ALLOWED[path]!.flatMap((key) => {
      const full = path === '' ? key : `${path}.${key}`;
      return ALLOWED[full] === undefined ? [full] : below(full);
    });
  return below('');
}

/**
 * Reads a chore. Whether a provider of that name exists is not looked at.
 * @param path path inside the room, for the name and problems
 * @param text the whole file, BOM included
 */
export function readChore(path: string, text: string): ChoreReading {
  const parsed = parseDocument(text, path);
  if (!parsed.ok) return { ok: false, path, problems: parsed.problems };
  const { doc } = parsed;
  const misplaced = doc.frontMatter === null ? lateFrontMatter(path, text) : null;
  if (misplaced !== null) return { ok: false, path, problems: [misplaced] };
  const prompt = text.slice(doc.bodyStart);
  const places = placesIn(doc, path);
  const result = SCHEMA.safeParse(doc.data);
  const problems = [
    ...(result.success ? [] : toProblems(result.error.issues, places, path, ALLOWED)),
    ...checkTogether(doc, prompt, places, path),
  ];
  if (!result.success || problems.length > 0) return { ok: false, path, problems: sortProblems(problems) };
  const { schedule, paused, owner, mirror } = result.data;
  const chore: Chore = {
    name: nameOfPath(path),
    path,
    schedule,
    paused,
    mirror: hasMirror(doc) ? toMirror(mirror) : null,
    owner,
    prompt,
  };
  return { ok: true, chore };
}

const FENCE = /^---[ \t]*$/;
const OWN_KEY = new RegExp(`^(?:${Object.keys(CHORE).join('|')})[ \\t]*:`);

/** Front matter that does not start the file is no front matter: its mirror would be taken for a prompt. */
function lateFrontMatter(path: string, text: string): Problem | null {
  const lines = text.split(/\r\n?|\n/);
  const fence = lines.findIndex((line) => FENCE.test(line));
  if (fence < 1) return null;
  const below = lines.slice(fence + 1);
  const end = below.findIndex((line) => FENCE.test(line));
  if (!below.slice(0, end < 0 ? below.length : end).some((line) => OWN_KEY.test(line))) return null;
  const message = 'the front matter does not start the file, so that nothing in it counts';
  return {
    path,
    line: fence + 1,
    col: 1,
    message,
    expected: '--- as the first line: move what stands above it',
  };
}

// Copies, because a default that stands in for a missing key is one object for all chores.
function toMirror(mirror: z.infer<typeof SCHEMA>['mirror']): MirrorConfig {
  const { filter, trust, push, checks, options } = mirror;
  return {
    ...mirror,
    provider: mirror.provider!,
    source: mirror.source!,
    filter: { ...filter, labels: [...filter.labels] },
    trust: { ...trust, logins: [...trust.logins] },
    push: [...push],
    checks: [...checks],
    options: { ...options },
  };
}

function hasMirror(doc: ParsedDocument): boolean {
  return Object.hasOwn(doc.data, 'mirror');
}

interface Places {
  placeAt(path: KeyPath, what: 'key' | 'value'): { line: number; col: number };
}

/** Places of keys at any depth; the front matter is parsed once more for them, which only a broken file needs. */
function placesIn(doc: ParsedDocument, path: string): Places {
  let source: Places | null | undefined;
  const open = (): Places | null => {
    const { frontMatter, text } = doc;
    if (frontMatter === null) return null;
    const reading = readYamlSource(text.slice(frontMatter.yamlStart, frontMatter.yamlEnd), path);
    return reading.ok ? reading.source : null;
  };
  return {
    placeAt(keys, what) {
      source ??= open();
      if (source === null) return doc.places(String(keys[0] ?? ''));
      const { line: row, col } = source.placeAt(keys, what);
      // The YAML begins on the second line of the file.
      return { line: row + 1, col };
    },
  };
}

/** What the keys must say together. Looks at the raw data, so that it also speaks up beside other problems. */
function checkTogether(doc: ParsedDocument, prompt: string, places: Places, path: string): Problem[] {
  const at = (keys: KeyPath, message: string, expected: string): Problem => ({
    path,
    ...places.placeAt(keys, 'key'),
    message,
    expected,
  });
  if (!hasMirror(doc)) {
    if (prompt.trim() !== '') return [];
    return [
      at([], 'the chore has nothing to do', 'a mirror: in the front matter, or text below it as a prompt'),
    ];
  }
  const problems: Problem[] = [];
  const mirror = doc.data.mirror ?? {};
  if (typeof mirror === 'object' && !Array.isArray(mirror)) {
    const has = (key: string): boolean =>
      Object.hasOwn(mirror, key) && (mirror as Record<string, unknown>)[key] !== null;
    if (!has('provider'))
      problems.push(at(['mirror'], 'mirror.provider is missing', 'the task system, such as github'));
    if (!has('source'))
      problems.push(at(['mirror'], 'mirror.source is missing', 'what to mirror, such as owner/repo'));
  }
  if ((doc.data.owner ?? null) !== null)
    problems.push(
      at(['owner'], 'owner means nothing beside a mirror', 'owner: inside mirror:, for the tasks it brings'),
    );
  return problems;
}
