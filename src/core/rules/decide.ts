// Whether one task is due, and why (T12, S13). Pure: what the file says, what the ledger remembers and what
// happened come in as facts; the answer is data. The pulse turns a due answer into a request.
import { isFinished, type Status } from '../task/status.ts';
import { LONGEST_RETRY_WAIT_MS } from './waits.ts';

/** Events that ask for a turn. `edited` and `new` come from the revision, the others are kept in the ledger. */
export const WAKES = [
  'new',
  'edited',
  'run',
  'run_forced',
  'chat',
  'resumed',
  'reopened',
  'unblocked',
  'subtask_finished',
  'heartbeat',
  'scheduled',
  'retry',
  'released',
  'comment',
  'told',
  'own_comment',
  'review',
  'answered',
  'own_answer',
  'by_agent',
  'job_ended',
] as const;
export type Wake = (typeof WAKES)[number];

/** Wakes that are no input from outside: the loop guard counts turns that had only these. */
const INSIDE: ReadonlySet<Wake> = new Set([
  'edited',
  'new',
  'retry',
  'heartbeat',
  'scheduled',
  'own_comment',
  'own_answer',
  'by_agent',
  'job_ended',
]);

export interface DecideInput {
  status: Status;
  paused: boolean;
  blocked: boolean;
  waiting: boolean;
  /** Null when the owner is an agent of the room that can run; else what is wrong with it. */
  agentProblem: string | null;
  revision: string;
  consumed: string | null;
  attempted: string | null; // Revision of the last failed attempt.
  retryAt: number | null;
  held: boolean;
  running: boolean; // A turn of this task is running: its end decides again.
  inTurn: boolean; // The turn that made it for its own agent runs: it is part of that turn's work.
  editedOutside: boolean;
  wakes: readonly Wake[];
  now: number;
}

export type NotDue =
  | 'finished'
  | 'draft'
  | 'paused'
  | 'blocked'
  | 'waiting'
  | 'no_agent'
  | 'held'
  | 'backoff'
  | 'running'
  | 'in_turn'
  | 'nothing_new';

export type Decision =
  | { due: true; reasons: Wake[]; forced: boolean; outside: boolean }
  | { due: false; why: NotDue };

/** Decides over one task. @returns due with the reasons that ask for the turn, or the first thing that stands in the way. */
export function decide(input: DecideInput): Decision {
  const forced = input.wakes.includes('run_forced');
  const asked = forced || input.wakes.includes('run') || input.wakes.includes('chat');
  if (isFinished(input.status)) return no('finished');
  if (!forced) {
    if (input.status === 'draft') return no('draft');
    if (input.paused) return no('paused');
    if (input.blocked) return no('blocked');
    if (input.waiting) return no('waiting');
  }
  // An event that arrives while the task's turn runs is kept; the turn's end looks again.
  if (input.running) return no('running');
  if (input.inTurn && !asked && !input.wakes.includes('by_agent')) return no('in_turn');
  if (input.held && !asked && !input.wakes.includes('released')) return no('held');
  const asksAnew = input.wakes.some((wake) => !INSIDE.has(wake));
  if (input.attempted === input.revision && !asksAnew) {
    // The same words failed already: only their retry time brings them back.
    return isRetryTime(input) ? due(input, ['retry'], forced, false) : no('backoff');
  }
  const changed = input.consumed !== input.revision && input.attempted !== input.revision;
  const reasons: Wake[] = input.wakes.filter(
    (wake) => wake !== 'retry' && wake !== 'new' && wake !== 'edited',
  );
  if (changed) reasons.push(input.consumed === null ? 'new' : 'edited');
  if (reasons.length === 0) return no('nothing_new');
  return due(input, reasons, forced, asksAnew || (changed && input.editedOutside));
}

const due = (input: DecideInput, reasons: Wake[], forced: boolean, outside: boolean): Decision =>
  input.agentProblem === null ? { due: true, reasons, forced, outside } : no('no_agent');

// A longer wait than any backoff gives means that the clock was set back: the retry is due.
const isRetryTime = ({ retryAt, now }: DecideInput): boolean =>
  retryAt !== null && (retryAt <= now || retryAt - now > LONGEST_RETRY_WAIT_MS);

const no = (why: NotDue): Decision => ({ due: false, why });

/** Whether to hold what a branch switch made due. @param dueByEdit by edits within the window @param holdAbove 0: no limit */
export const isMassEdit = (dueByEdit: number, holdAbove: number): boolean =>
  holdAbove > 0 && dueByEdit > holdAbove;

/** Whether a task is blocked: any blocker that is not done blocks, an unknown one too (fail-closed, N9). */
export const isBlocked = (blockers: readonly { status: Status | null }[]): boolean =>
  blockers.some((blocker) => blocker.status !== 'done');
