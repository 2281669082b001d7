// A chore file's text → the chore, or every problem with its place. Invariant: no key is passed over in silence, and a
// chore that is handed out has something to do: a mirror, or a prompt.
import { OWN_WORDS, sortProblems, toProblems } from '../config/config-problems.ts';
import { type ParsedDocument, parseDocument } from '../document/document.ts';
import type { Problem } from '../errors.ts';
import { nameOfPath } from '../task/task-name.ts';
import { type ChoreReading, choreFile } from './chore.ts';

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
  const result = choreFile().safeParse(doc.data, OWN_WORDS);
  const problems = [
    ...(result.success ? [] : toProblems(result.error.issues, choreFile(), doc, path)),
    ...checkTogether(doc, prompt, path),
  ];
  if (!result.success || problems.length > 0) return { ok: false, path, problems: sortProblems(problems) };
  const chore = { ...result.data, name: nameOfPath(path), path, mirror: result.data.mirror ?? null, prompt };
  return { ok: true, chore };
}

const FENCE = /^---[ \t]*$/;

/** Front matter that does not start the file is no front matter: its mirror would be taken for a prompt. */
function lateFrontMatter(path: string, text: string): Problem | null {
  const lines = text.split(/\r\n?|\n/);
  const ownKey = new RegExp(`^(?:${Object.keys(choreFile().shape).join('|')})[ \\t]*:`);
  const fence = lines.findIndex((line) => FENCE.test(line));
  if (fence < 1) return null;
  const below = lines.slice(fence + 1);
  const end = below.findIndex((line) => FENCE.test(line));
  if (!below.slice(0, end < 0 ? below.length : end).some((line) => ownKey.test(line))) return null;
  const message = 'the front matter does not start the file, so that nothing in it counts';
  return {
    path,
    line: fence + 1,
    col: 1,
    message,
    expected: '--- as the first line: move what stands above it',
  };
}

function hasMirror(doc: ParsedDocument): boolean {
  return Object.hasOwn(doc.data, 'mirror');
}

/** What the keys must say together. Looks at the raw data, so that it also speaks up beside other problems. */
function checkTogether(doc: ParsedDocument, prompt: string, path: string): Problem[] {
  const at = (keys: readonly string[], message: string, expected: string): Problem => ({
    path,
    ...doc.placeAt(keys, 'key'),
    message,
    expected,
  });
  if (!hasMirror(doc)) {
    if (prompt.trim() !== '') return [];
    return [
      at([], 'the chore has nothing to do', 'a mirror: in the front matter, or text below it as a prompt'),
    ];
  }
  if ((doc.data.owner ?? null) === null) return [];
  return [
    at(['owner'], 'owner means nothing beside a mirror', 'owner: inside mirror:, for the tasks it brings'),
  ];
}
