// A task as `list --json` prints it, kept as one line: what the file alone says stands there as ready-made JSON, with
// gaps for what only the ledger knows, so that ten thousand are put together without being parsed and printed again.
// Ledgers keep these lines: a change of their form has to empty `files`.
import type { TaskId, TurnId } from '../ids.ts';
import { STATUSES, type Status } from './status.ts';
import type { Task } from './task.ts';
import { type KeyRow, type KeyValues, LISTED_KEYS, type ListedKey, propertyOf } from './task-keys.ts';

/** A task as lists need it: its steps counted, not named. */
export type ListedTask = KeyValues<ListedKey> &
  Pick<Task, 'name' | 'path' | 'sort'> & {
    steps: { done: number; total: number };
    /** It waits for an answer. */
    waiting: boolean;
  };

/** What only the ledger knows of a task. Times are epoch ms. */
export interface ListedFacts {
  /** Derived: an open task with a blocker that is not done. */
  blocked: boolean;
  /** The turn that runs now. */
  running: TurnId | null;
  /** A turn is asked for. */
  pending: boolean;
  held: boolean;
  /** When a failed turn is tried again. */
  retryAt: number | null;
  /** Its turn is asked for and waits until then, for its agent's usage limit or a budget of the day. */
  parkedUntil: number | null;
  /** Its last turn ended well and wrote nothing into the file, and it is still open. */
  nothingWritten: boolean;
  /** When it was seen to be done or canceled; null for an open one, or when the ledger does not know. */
  finishedAt: number | null;
}

/** A task of a list. `id` is null until the runtime has given one, `updated` as written, else when its file was changed last. */
export interface TaskView extends ListedTask, ListedFacts {
  /** It lies in the archive. */
  archived?: true;
}

/** A line taken apart; the texts are JSON members without braces. */
export interface ListedLine {
  id: TaskId | null;
  status: Status;
  /** Rank of its priority: 0 high, 1 medium or none, 2 low. */
  rank: number;
  /** Its `sort:`. */
  sort: number | null;
  /** Its `created:`, escaped as in JSON; '' where the file does not say. */
  created: string;
  head: string;
  blockers: string;
  middle: string;
  tail: string;
}

const RANK = { high: 0, medium: 1, low: 2 } as const;
const NO_BLOCKERS = '"blocked_by":[]';
// JSON text has no bare tab.
const GAP = '\t';

export function rankOf({ priority }: Pick<Task, 'priority'>): 0 | 1 | 2 {
  return RANK[priority ?? 'medium'];
}

/**
 * One task of a list, as JSON has it.
 * @param whyNot why it has no turn, where its other facts don't show it
 */
export function rowOf<Why extends object>(task: ListedTask, facts: ListedFacts, whyNot: Why | null) {
  const { id, name, status, path, blockedBy: blocked_by, waiting, steps } = task;
  const said = {
    ...{ id, name, status, path, ...saidBy(task, HEAD), blocked: facts.blocked, blocked_by },
    ...{
      ...stateOf(facts, whyNot),
      ...saidBy(task, MIDDLE),
      finished_at: isoOf(facts.finishedAt),
      waiting,
      steps,
    },
  };
  return said as typeof said & KeyRow<ListedKey>;
}

export function formatLine(task: ListedTask): string {
  const { id, name, status, path, sort, created, steps, waiting } = task;
  const members = (value: object) => JSON.stringify(value).slice(1, -1);
  const texts = [
    members({ id, name, status, path, ...saidBy(task, HEAD) }),
    members({ blocked_by: task.blockedBy }),
    members(saidBy(task, MIDDLE)),
    members({ waiting, steps }),
  ];
  const code = `${STATUSES.indexOf(status)}${rankOf(task)}`;
  return [code, id ?? '', sort ?? '', JSON.stringify(created ?? '').slice(1, -1), ...texts].join(GAP);
}

type Place = readonly [key: string, property: keyof ListedTask];
const placeOf = (key: ListedKey): Place => [key, propertyOf(key) as keyof ListedTask];
// Some are looked for at the end of their part, or at its start.
const HEAD = (['title', 'created', 'updated', 'paused'] as const).map(placeOf);
const ELSEWHERE: ReadonlySet<string> = new Set([
  'id',
  'status',
  'blocked_by',
  'owner',
  ...HEAD.map(([key]) => key),
]);
const MIDDLE = ['owner' as const, ...LISTED_KEYS.filter((key) => !ELSEWHERE.has(key))].map(placeOf);

const SPELLED = LISTED_KEYS.map(placeOf).filter(([key, property]) => key !== property);

// Loops, as lists of thousands pass here.
function saidBy(task: ListedTask, places: readonly Place[]): Record<string, unknown> {
  const said: Record<string, unknown> = {};
  for (const [key, property] of places) said[key] = task[property];
  return said;
}

/** Takes a line of {@link formatLine} apart. */
export function splitLine(line: string): ListedLine {
  const parts = line.split(GAP);
  const code = parts[0]!;
  return {
    id: parts[1] === '' ? null : (parts[1] as TaskId),
    status: STATUSES[code.charCodeAt(0) - 48]!,
    rank: code.charCodeAt(1) - 48,
    sort: parts[2] === '' ? null : Number(parts[2]),
    created: parts[3]!,
    head: parts[4]!,
    blockers: parts[5]!,
    middle: parts[6]!,
    tail: parts[7]!,
  };
}

/** What only this task says, and what others may say, too. Neither holds on to the memory of the line. */
export function halvesOf(line: string): [start: string, end: string] {
  const parts = line.split(GAP);
  // Joined anew: a slice of a text keeps all of it.
  return [parts.slice(0, 5).join(GAP), ['', ...parts.slice(5)].join(GAP)];
}

/** The task of a line of {@link formatLine}. */
export function parseListed(line: string): ListedTask {
  const { head, blockers, middle, tail, sort } = splitLine(line);
  let text = `{${head},${blockers},${middle},${tail}}`;
  // No text in JSON holds a bare quote.
  for (const [key, property] of SPELLED) text = text.replace(`"${key}":`, `"${property}":`);
  const task = JSON.parse(text);
  task.sort = sort;
  return task;
}

/** What its task waits for; most lines say nothing. */
export function blockersOf({ blockers }: ListedLine): string[] {
  return blockers === NO_BLOCKERS ? [] : JSON.parse(`{${blockers}}`).blocked_by;
}

/** Its owner, as written. */
export function ownerOf({ middle }: ListedLine): string | null {
  const found = /^"owner":("(?:[^"\\]|\\.)*")/.exec(middle);
  return found === null ? null : JSON.parse(found[1]!);
}

/** Whether it waits for an answer. */
export function isWaiting({ tail }: ListedLine): boolean {
  return /"waiting":true,"steps":\{"done":\d+,"total":\d+\}$/.test(tail);
}

export function isPaused({ head }: ListedLine): boolean {
  return head.endsWith('"paused":true');
}

type State = Omit<ListedFacts, 'blocked' | 'finishedAt'>;

function stateOf<Why extends object>({ running, pending, held, ...facts }: State, whyNot: Why | null) {
  const times = { retry_at: isoOf(facts.retryAt), parked_until: isoOf(facts.parkedUntil) };
  return { running, pending, held, ...times, nothing_written: facts.nothingWritten, why_not: whyNot };
}

const stateText = (state: State, whyNot: object | null) =>
  `,${JSON.stringify(stateOf(state, whyNot)).slice(1, -1)},`;
/** Of a task that nothing is asked of. */
export const RESTS = {
  running: null,
  pending: false,
  held: false,
  retryAt: null,
  parkedUntil: null,
  nothingWritten: false,
};
const AT_REST = stateText(RESTS, null);

/** Adds the pieces of the text of {@link rowOf} to `pieces`. */
export function addListed(
  pieces: string[],
  line: ListedLine,
  facts: ListedFacts,
  whyNot: object | null,
): void {
  const { blocked, running, pending, held, retryAt, nothingWritten, finishedAt } = facts;
  const rests =
    running === null && !pending && !held && retryAt === null && !nothingWritten && whyNot === null;
  pieces.push(
    '{',
    line.head,
    blocked ? ',"blocked":true,' : ',"blocked":false,',
    line.blockers,
    rests ? AT_REST : stateText(facts, whyNot),
    line.middle,
    finishedAt === null ? ',"finished_at":null,' : `,"finished_at":"${isoOf(finishedAt)}",`,
    line.tail,
    '}',
  );
}

function isoOf(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}
