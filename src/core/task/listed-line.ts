// A task as `list --json` prints it, kept as one line: what the file alone says stands there as ready-made JSON, with
// gaps for what only the ledger knows, so that ten thousand are put together without being parsed and printed again.
// Ledgers keep these lines: a change of their form has to empty `files`.
import type { TaskId } from '../ids.ts';
import { STATUSES, type Status } from './status.ts';
import type { Task } from './task.ts';

/** A task as lists need it: its steps counted, not named. */
export type ListedTask = Pick<
  Task,
  | 'id'
  | 'name'
  | 'path'
  | 'title'
  | 'status'
  | 'paused'
  | 'requester'
  | 'owner'
  | 'priority'
  | 'blockedBy'
  | 'parent'
  | 'labels'
  | 'sprint'
  | 'artifact'
  | 'scope'
  | 'sort'
  | 'due'
  | 'activeForm'
  | 'created'
  | 'updated'
> & {
  stepCount: { done: number; total: number };
  /** It waits for an answer. */
  waiting: boolean;
};

/** What only the ledger knows of a task. Times are epoch ms. */
export interface ListedFacts {
  blocked: boolean;
  running: string | null;
  pending: boolean;
  held: boolean;
  retryAt: number | null;
  parkedUntil: number | null;
  nothingWritten: boolean;
  /** Why it has no turn, where its other facts don't show it. */
  whyNot: object | null;
  finishedAt: number | null;
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

export function formatLine(task: ListedTask): string {
  const {
    id,
    name,
    status,
    path,
    title,
    paused,
    owner,
    requester,
    priority,
    labels,
    sprint,
    parent,
    due,
    artifact,
    scope,
    sort,
    created,
    updated,
  } = task;
  const members = (value: object) => JSON.stringify(value).slice(1, -1);
  const texts = [
    members({ id, name, status, path, title, created, updated, paused }),
    members({ blocked_by: task.blockedBy }),
    members({ owner, requester, priority, labels, sprint, parent, due, artifact, scope }),
    members({ active_form: task.activeForm, waiting: task.waiting, steps: task.stepCount }),
  ];
  const code = `${STATUSES.indexOf(status)}${rankOf(task)}`;
  return [code, id ?? '', sort ?? '', JSON.stringify(created ?? '').slice(1, -1), ...texts].join(GAP);
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
  const said = JSON.parse(`{${head},${blockers},${middle},${tail}}`);
  return {
    id: said.id,
    name: said.name,
    path: said.path,
    title: said.title,
    status: said.status,
    paused: said.paused,
    requester: said.requester,
    owner: said.owner,
    priority: said.priority,
    blockedBy: said.blocked_by,
    parent: said.parent,
    labels: said.labels,
    sprint: said.sprint,
    artifact: said.artifact,
    scope: said.scope,
    sort,
    due: said.due,
    activeForm: said.active_form,
    created: said.created,
    updated: said.updated,
    stepCount: said.steps,
    waiting: said.waiting,
  };
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
  return /,"waiting":true,"steps":\{"done":\d+,"total":\d+\}$/.test(tail);
}

export function isPaused({ head }: ListedLine): boolean {
  return head.endsWith('"paused":true');
}

const AT_REST =
  ',"running":null,"pending":false,"held":false,"retry_at":null,"parked_until":null,"nothing_written":false,"why_not":null,';

/** Adds the pieces of the task's JSON object to `pieces`. */
export function addListed(pieces: string[], line: ListedLine, facts: ListedFacts): void {
  const { blocked, running, pending, held, retryAt, parkedUntil, nothingWritten, whyNot, finishedAt } = facts;
  const times = { retry_at: isoOf(retryAt), parked_until: isoOf(parkedUntil) };
  const state = { running, pending, held, ...times, nothing_written: nothingWritten, why_not: whyNot };
  const rests =
    running === null && !pending && !held && retryAt === null && !nothingWritten && whyNot === null;
  pieces.push(
    '{',
    line.head,
    blocked ? ',"blocked":true,' : ',"blocked":false,',
    line.blockers,
    rests ? AT_REST : `,${JSON.stringify(state).slice(1, -1)},`,
    line.middle,
    finishedAt === null ? ',"finished_at":null,' : `,"finished_at":"${isoOf(finishedAt)}",`,
    line.tail,
    '}',
  );
}

function isoOf(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}
