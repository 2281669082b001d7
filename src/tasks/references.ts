// Finding tasks by the words people and files use for them: ids, unique prefixes of ids, file names, refs.
import { suggest, unknownWord } from '../core/document/suggest.ts';
import { RoomError } from '../core/errors.ts';
import { type TaskId, taskOfThread } from '../core/ids.ts';
import { shownName } from '../core/task/names.ts';
import { readStatus, type SaidStatus, STATUSES } from '../core/task/status.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { TaskMemory } from '../store/ledger/tasks/tasks.ts';
import type { TurnRecord } from '../store/ledger/turns/turns.ts';
import type { TaskRoom } from './task-room.ts';

/** The id, name or issue inside a reference: `task:local:<id>`, `task:github:acme/web#12`, `task:<id>` or the word itself. */
export const idOfRef = (ref: string): string => ref.trim().replace(/^task:(local:)?/, '');

/** The task that mirrors the issue a word names (`github:acme/web#12`); null when none does, and for other words. */
export function taskOfIssue({ mirrors }: Pick<Ledger, 'mirrors'>, word: string): TaskId | null {
  const colon = word.indexOf(':');
  return colon < 1 ? null : mirrors.taskOf(word.slice(0, colon), word.slice(colon + 1));
}

/** A word as it was given, or the id of the task when it names a mirrored issue. */
export const throughIssue = (ledger: Pick<Ledger, 'mirrors'>, word: string): string =>
  taskOfIssue(ledger, idOfRef(word)) ?? word;

/** The issue that a task mirrors, as `github:acme/web#12`; null for a task without a mirror. */
export function issueOfTask({ mirrors }: Pick<Ledger, 'mirrors'>, id: TaskId): string | null {
  const mirror = mirrors.get(id);
  return mirror && `${mirror.provider}:${mirror.ref}`;
}

/** The words by which other files may refer to a task. */
export function namesOfTask(ledger: Pick<Ledger, 'mirrors'>, id: TaskId | null, name: string): string[] {
  const issue = id === null ? null : issueOfTask(ledger, id);
  return [...(id === null ? [] : [id]), name, ...(issue === null ? [] : [issue])];
}

/** The task a file refers to in `blocked_by` or `parent`: by id, exact name or issue; archived ones count. */
export function findByRef(ledger: Ledger, ref: string): TaskMemory | null {
  const word = idOfRef(ref);
  const { tasks } = ledger;
  const named = tasks.get(word) ?? tasks.byName(word) ?? tasks.archivedByName(word)[0];
  return named ?? tasks.get(taskOfIssue(ledger, word) ?? '') ?? null;
}

/** The names that a word may mean, the likeliest first: with or without folder and `.md`, in each Unicode form. */
export function namesOfWord(word: string): string[] {
  const given = word.replace(/^\s*task:(local:)?/, '');
  const name = given.replace(/^.*\//s, '');
  const clean = name.trim();
  const bare = [name.replace(/\.md$/, ''), clean.replace(/\.md$/, '')];
  const names = name === given ? [name, clean, ...bare] : [...bare, name, clean];
  return [...new Set(names.flatMap((each) => [each, each.normalize('NFC'), each.normalize('NFD')]))];
}

const folded = (name: string): string => name.normalize('NFC').replace(/\s+/g, ' ').trim();

/** A task or file that a word may mean. */
export interface Candidate {
  id: string | null;
  name: string;
  path: string | null;
  title?: string | null; // Its `title:`, where that is known.
}

type Test<C> = [readonly C[], (candidate: C) => boolean];

/** By a full id, a file name, a title, or a unique prefix of an id. Candidates with a file come before those without.
 * @throws RoomError `ambiguous` with the candidates, `not_found` with the nearest name */
export function chooseByWord<C extends Candidate>(word: string, candidates: readonly C[]): C {
  const clean = idOfRef(word);
  const names = namesOfWord(word);
  const name = names.at(-1)!;
  const loose = new Set(names.map(folded));
  const live = candidates.filter(({ path }) => path !== null);
  const gone = candidates.filter(({ path }) => path === null);
  const isTitled = ({ title }: C) => title != null && folded(title) === folded(word);
  const tests: Test<C>[] = [
    [live, ({ id }) => id === clean],
    ...names.map((each): Test<C> => [live, (candidate) => candidate.name === each]),
    [live, (candidate) => loose.has(folded(candidate.name))],
    [live, isTitled],
    [gone, ({ id }) => id === clean],
    [live, ({ id }) => clean !== '' && id !== null && id.startsWith(clean)],
    [gone, (candidate) => names.includes(candidate.name)],
    [gone, isTitled],
    [gone, ({ id }) => clean !== '' && id !== null && id.startsWith(clean)],
  ];
  for (const [list, fits] of tests) {
    const found = list.filter(fits);
    if (found.length === 1) return found[0]!;
    if (found.length > 1) throw ambiguous(word, found);
  }
  const titles = live.flatMap(({ name, title }) => (title == null || title === name ? name : [title, name]));
  const ids = live.flatMap(({ id }) => id ?? []);
  const near = suggest(name, titles) ?? suggest(clean, ids);
  const hint = near ? `did you mean ${JSON.stringify(near)}?` : 'see: taskroom list';
  throw new RoomError('not_found', `no task ${JSON.stringify(word)}`, hint);
}

function ambiguous(word: string, found: readonly Candidate[]): RoomError {
  const shown = found.slice(0, 5).map((each) => {
    const { id, path } = each;
    return `${id ?? path ?? '?'} (${shownName(each)})`;
  });
  const list = `${shown.join(', ')}${found.length > 5 ? `, and ${found.length - 5} more` : ''}`;
  const hint = 'give more letters of the id';
  return new RoomError('ambiguous', `${JSON.stringify(word)} fits more than one task: ${list}`, hint);
}

// Subtasks by what the ledger knows: a file's `parent:` and a link in a step of the parent count alike.

type Names = Pick<TaskMemory, 'id' | 'name'>;

/** The keys by which a task's file names other tasks. */
export type LinkKey = 'blocked_by' | 'parent';

/** The way from one of `starts` to `end`, both included; null when there is none. */
export function wayAlong<Id>(starts: readonly Id[], end: Id, next: (id: Id) => readonly Id[]): Id[] | null {
  const cameFrom = new Map<Id, Id | null>(starts.map((start) => [start, null]));
  const open = [...starts];
  while (open.length > 0) {
    const at = open.pop()!;
    if (at === end) {
      const way: Id[] = [];
      for (let id: Id | null = at; id !== null; id = cameFrom.get(id) ?? null) way.unshift(id);
      return way;
    }
    for (const id of next(at)) {
      if (cameFrom.has(id)) continue;
      cameFrom.set(id, at);
      open.push(id);
    }
  }
  return null;
}

export function subtasksOf(ledger: Ledger, { id, name }: Names): TaskMemory[] {
  const linked = ledger.stepLinks.of(id).flatMap((ref) => findByRef(ledger, ref) ?? []);
  return others(id, [...ledger.tasks.all({ parent: namesOfTask(ledger, id, name) }), ...linked]);
}

/** The tasks it is a subtask of: most have one, or none. */
export function parentsOf(ledger: Ledger, { id, name, parent }: Names & Pick<TaskMemory, 'parent'>) {
  const named = parent === null ? null : findByRef(ledger, parent);
  const holders = ledger.stepLinks.holders(namesOfTask(ledger, id, name));
  return others(id, [
    ...(named === null ? [] : [named]),
    ...holders.flatMap((task) => ledger.tasks.get(task) ?? []),
  ]);
}

/** Whether a tracker, not this room, decides what becomes of it; a detached mirror is nobody's but ours. */
export function isMirrored(ledger: Ledger, { id, path }: Pick<TaskMemory, 'id' | 'path'>): boolean {
  const mirror = ledger.mirrors.get(id);
  if (mirror !== null) return mirror.state !== 'detached';
  const reading = path === null ? undefined : ledger.files.get(path)?.reading;
  // A mirror that no sync has rebuilt yet, in a fresh clone.
  return reading?.ok === true && reading.task.remote !== null;
}

/** The subtasks that go where their parent goes, deepest first. One that mirrors an issue, or is the subtask of another task too,
 * stays with all below it. */
export function subtasksToCascade(ledger: Ledger, top: Names): TaskMemory[] {
  const going = new Map<string, TaskMemory | null>([[top.id, null]]);
  const found: TaskMemory[] = [];
  const descend = (of: Names): void => {
    for (const child of subtasksOf(ledger, of)) {
      if (going.has(child.id) || child.path === null || isMirrored(ledger, child)) continue;
      if (parentsOf(ledger, child).some(({ id, path }) => path !== null && !going.has(id))) continue;
      going.set(child.id, child);
      descend(child);
      found.push(child);
    }
  };
  descend(top);
  return found;
}

function others(id: string, tasks: readonly TaskMemory[]): TaskMemory[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  byId.delete(id as TaskMemory['id']);
  return [...byId.values()];
}

// Tasks that a turn made for its own agent start nothing while it runs. A subtask of the turn's task is not among them.

/** The turn that runs and whose own work a task is; null when none does. */
export function turnOfOwnWork(
  ledger: Ledger,
  { id, owner, parent }: Pick<TaskMemory, 'id' | 'owner' | 'parent'>,
  defaultAgent: string,
): TurnRecord | null {
  const thread = ledger.makers.get(id)?.thread ?? null;
  const turn = thread === null ? null : ledger.turns.runningOn(thread);
  if (turn === null || (owner ?? defaultAgent) !== turn.agent) return null;
  const above = parent === null ? null : findByRef(ledger, parent);
  return above !== null && above.id === taskOfThread(turn.thread) ? null : turn;
}

/** @param also a word that may be meant in its place @throws RoomError `bad_input` for a status that the room does not know */
export function saidStatus(
  { config }: Pick<TaskRoom, 'config'>,
  word: string,
  ...also: string[]
): SaidStatus {
  const own = () => config().statuses;
  const said = readStatus(word, own);
  if (said !== null) return said;
  const { message, hint } = unknownWord('status', word, [...STATUSES, ...Object.keys(own()), ...also]);
  throw new RoomError('bad_input', message, hint);
}
