// Finding tasks by the words people and files use for them: ids, unique prefixes of ids, file names, refs.

import { suggest } from '../core/document/suggest.ts';
import { RoomError } from '../core/errors.ts';
import type { TaskId } from '../core/ids.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { TaskMemory } from '../store/ledger/tasks/tasks.ts';

/** The id, name or issue inside a reference: `task:local:<id>`, `task:github:acme/web#12`, `task:<id>` or the word itself. */
export function idOfRef(ref: string): string {
  return ref.trim().replace(/^task:(local:)?/, '');
}

/** The task that mirrors the issue a word names (`github:acme/web#12`); null when none does, and for other words. */
export function taskOfIssue({ mirrors }: Pick<Ledger, 'mirrors'>, word: string): TaskId | null {
  const colon = word.indexOf(':');
  return colon < 1 ? null : mirrors.taskOf(word.slice(0, colon), word.slice(colon + 1));
}

/** A word as it was given, or the id of the task when it names a mirrored issue. */
export function throughIssue(ledger: Pick<Ledger, 'mirrors'>, word: string): string {
  return taskOfIssue(ledger, idOfRef(word)) ?? word;
}

/** The words by which other files may refer to a task. */
export function namesOfTask({ mirrors }: Pick<Ledger, 'mirrors'>, id: TaskId | null, name: string): string[] {
  const issue = id === null ? null : mirrors.issueOf(id);
  return [...(id === null ? [] : [id]), name, ...(issue === null ? [] : [issue])];
}

/** The task a file refers to in `blocked_by` or `parent`: by id, exact name or issue; archived ones count. */
export function findByRef(ledger: Ledger, ref: string): TaskMemory | null {
  const word = idOfRef(ref);
  const { tasks } = ledger;
  const named = tasks.get(word) ?? tasks.byName(word)[0] ?? tasks.archivedByName(word)[0];
  return named ?? tasks.get(taskOfIssue(ledger, word) ?? '') ?? null;
}

/**
 * The names that a word may mean, the likeliest first: as a list prints it, or as a path with or without folder and
 * `.md`; its letters composed in another way, for file systems that do so.
 */
export function namesOfWord(word: string): string[] {
  const given = word.replace(/^\s*task:(local:)?/, '');
  const name = given.replace(/^.*\//s, '');
  const clean = name.trim();
  const bare = [name.replace(/\.md$/, ''), clean.replace(/\.md$/, '')];
  const names = name === given ? [name, clean, ...bare] : [...bare, name, clean];
  return [...new Set(names.flatMap((each) => [each, each.normalize('NFC'), each.normalize('NFD')]))];
}

/** A name as far as people tell names apart. */
function folded(name: string): string {
  return name.normalize('NFC').replace(/\s+/g, ' ').trim();
}

/** A task or file that a word may mean. */
export interface Candidate {
  id: string | null;
  name: string;
  path: string | null;
  /** Its `title:`, where that is known. */
  title?: string | null;
}

type Test<C> = [readonly C[], (candidate: C) => boolean];

/**
 * The one candidate a person means: a full id, a file name (with or without folder and `.md`), a title, or a unique
 * prefix of an id. Candidates with a file come before those without.
 * @throws RoomError `ambiguous` with the candidates, `not_found` with the nearest name
 */
export function chooseByWord<C extends Candidate>(word: string, candidates: readonly C[]): C {
  const clean = idOfRef(word);
  const names = namesOfWord(word);
  const name = names.at(-1)!;
  const loose = new Set(names.map(folded));
  const live = candidates.filter(({ path }) => path !== null);
  const gone = candidates.filter(({ path }) => path === null);
  const tests: Test<C>[] = [
    [live, ({ id }) => id === clean],
    ...names.map((each): Test<C> => [live, (candidate) => candidate.name === each]),
    [live, (candidate) => loose.has(folded(candidate.name))],
    [live, ({ title }) => title != null && folded(title) === folded(word)],
    [gone, ({ id }) => id === clean],
    [live, ({ id }) => clean !== '' && id !== null && id.startsWith(clean)],
    [gone, (candidate) => names.includes(candidate.name)],
    [gone, ({ id }) => clean !== '' && id !== null && id.startsWith(clean)],
  ];
  for (const [list, fits] of tests) {
    const found = list.filter(fits);
    if (found.length === 1) return found[0]!;
    if (found.length > 1) throw ambiguous(word, found);
  }
  const near =
    suggest(
      name,
      live.map((candidate) => candidate.name),
    ) ??
    suggest(
      clean,
      live.flatMap(({ id }) => id ?? []),
    );
  throw new RoomError('not_found', `no task ${JSON.stringify(word)}`, {
    hint: near ? `did you mean ${JSON.stringify(near)}?` : 'see: taskroom list',
  });
}

function ambiguous(word: string, found: readonly Candidate[]): RoomError {
  const shown = found.slice(0, 5).map(({ id, name, path }) => `${id ?? path ?? '?'} (${name})`);
  const list = `${shown.join(', ')}${found.length > 5 ? `, and ${found.length - 5} more` : ''}`;
  return new RoomError('ambiguous', `${JSON.stringify(word)} fits more than one task: ${list}`, {
    hint: 'give more letters of the id',
  });
}
