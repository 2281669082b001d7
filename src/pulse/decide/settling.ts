// The quiet time between an edit and the decision over it. A task is decided over for its edits once they have settled;
// any other reason to decide over it leaves edits that still settle alone. A task whose request came to nothing is left
// alone, too, longer each time: the same facts would only ask for the same again, without end.
import type { TaskId } from '../../core/ids.ts';
import { isMassEdit } from '../../core/rules/decide.ts';
import { createGitMarks } from '../../store/write/git-save.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Base, Feedback } from '../base.ts';
import type { IdleWatch } from '../idle-watch.ts';
import { createKeyedTimers, type KeyedTimers } from '../keyed-timers.ts';
import type { Decider } from './decider.ts';
import { createEditBatch, type EditBatch } from './edit-batch.ts';

// Requests that came to nothing: there was no turn to start when their time came. The same facts would only ask for the
// same again, without end, so that each rests longer than the one before.
type FruitlessRequests = ReturnType<typeof createFruitlessRequests>;

const FIRST_REST_MS = 500;
const LONGEST_REST_MS = 60_000;
// So much later it is another story.
const FORGET_MS = 10 * 60_000;
// A loop that ends when all has run gives up on a task after so many.
const TRIES_ONCE = 3;

/** @param once the loop ends when all that is due has run */
function createFruitlessRequests(monotonicMs: () => number, once: boolean) {
  const seen = new Map<TaskId, { times: number; atMs: number }>();
  /** Nothing is to be asked for it any more. */
  const isGivenUp = (id: TaskId): boolean => once && (seen.get(id)?.times ?? 0) > TRIES_ONCE;
  return {
    /** One more of this task; returns how long to leave it alone, ms, null for as long as the loop lives. */
    note(id: TaskId): number | null {
      const atMs = monotonicMs();
      const before = seen.get(id);
      const times = (before !== undefined && atMs - before.atMs < FORGET_MS ? before.times : 0) + 1;
      seen.set(id, { times, atMs });
      return isGivenUp(id) ? null : Math.min(FIRST_REST_MS * 2 ** (times - 1), LONGEST_REST_MS);
    },
    isGivenUp,
    /** One of the task came to nothing, and its facts are still the same. */
    has: (id: TaskId): boolean => seen.has(id),
    /** The facts are others now. */
    forget: (id: TaskId): void => void seen.delete(id),
  };
}

export interface SettlingOptions extends Pick<Base, 'firstLook' | 'once' | 'keep' | 'onTrouble'> {
  deps: Pick<TaskRoom, 'effects' | 'config'> & { room: Pick<TaskRoom['room'], 'dir'> };
  decider: Pick<Decider, 'decide' | 'decideTogether'>;
  idle: Pick<Base['idle'], 'check'>;
  feedback: Pick<Feedback, 'unreadFiles' | 'hearOfAll'>;
}

export interface Settling {
  /** The task's input changed: decides over it once it was quiet. */
  edited(id: TaskId): void;
  /** Decides over the task now, unless its edits still settle. */
  decide(id: TaskId): void;
  /** Somebody asked for the task: it is decided over now, whatever came to nothing before. */
  asked(id: TaskId): void;
  /** The task's request came to nothing: there was no turn to start. */
  cameToNothing(id: TaskId): void;
  /** Decides over what was edited until the first look was over. */
  decideGathered(how: { holdsMany: boolean }): void;
  /** How long a file must have been quiet, ms. */
  quietMs(): number;
  /** A file is about to become a task: what was edited with it waits for it. */
  expectTask(path: string): void;
  /** The file is looked at anew; it may be expected again. */
  unexpectTask(path: string): void;
  /** The file is a task now, or won't be one. */
  taskCame(path: string): void;
  /** True when nothing settles. */
  isQuiet(): boolean;
  close(): void;
}

export function createSettling(options: SettlingOptions): Settling {
  const { deps, decider, firstLook, idle, feedback, once, keep } = options;
  const timers = createKeyedTimers(deps.effects);
  const fruitless = createFruitlessRequests(deps.effects.monotonicMs, once);
  const expected = new Set<string>();
  const gathered: TaskId[] = [];
  let closed = false;
  const isMoreToCome = () => timers.count() + expected.size > 0;
  const quietMs = () => (once || !firstLook.isOver ? 0 : deps.config().settleMs);
  const { decideNow, decideLater } = attempts(options, fruitless, timers);
  const batch = createEditBatch({
    effects: deps.effects,
    keep,
    isMoreToCome,
    git: createGitMarks(deps.room.dir),
    unread: feedback.unreadFiles,
    isMass: (files) => isMassEdit(files, deps.config().holdAbove),
    hearOfAll: () => feedback.hearOfAll().catch(options.onTrouble),
    passOn(ids) {
      if (!firstLook.isOver) for (const id of ids) gathered.push(id);
      else if (!closed && ids.length > 0) decider.decideTogether(ids, { holdsMany: true });
      idle.check();
    },
  });

  function decide(id: TaskId): void {
    if (!timers.has(id) && !batch.has(id) && !fruitless.isGivenUp(id)) decideNow(id);
  }

  return {
    edited(id) {
      timers.cancel(id);
      fruitless.forget(id);
      if (quietMs() === 0) batch.add(id);
      else {
        const at = deps.effects.monotonicMs() + quietMs();
        timers.set(id, quietMs(), () => batch.add(id, deps.effects.monotonicMs() - at));
      }
    },
    decide,
    asked(id) {
      // An edit forgets what was in vain: with that known, the timer is that of a rest.
      if (fruitless.has(id)) timers.cancel(id);
      decide(id);
    },
    cameToNothing: decideLater,
    decideGathered: (how) => decider.decideTogether(gathered.splice(0), how),
    quietMs,
    ...expectations(expected, batch, idle),
    isQuiet: () => !isMoreToCome() && batch.isEmpty(),
    close() {
      closed = true;
      timers.close();
      batch.close();
    },
  };
}

/** Decisions over single tasks; what the ledger refuses now is tried again. */
function attempts(
  { decider, idle, onTrouble }: Pick<SettlingOptions, 'decider' | 'idle' | 'onTrouble'>,
  fruitless: FruitlessRequests,
  timers: KeyedTimers,
) {
  function decideNow(id: TaskId): void {
    try {
      decider.decide(id);
    } catch (error) {
      onTrouble(error);
      decideLater(id);
    }
    idle.check();
  }

  function decideLater(id: TaskId): void {
    const restMs = fruitless.note(id);
    if (!timers.has(id) && restMs !== null) timers.set(id, restMs, () => decideNow(id));
  }

  return { decideNow, decideLater };
}

/** Files that are about to become tasks: what was edited with them waits for them. */
function expectations(
  expected: Set<string>,
  batch: EditBatch,
  idle: Pick<IdleWatch, 'check'>,
): Pick<Settling, 'expectTask' | 'unexpectTask' | 'taskCame'> {
  return {
    expectTask: (path) => void expected.add(path),
    unexpectTask: (path) => void expected.delete(path),
    taskCame(path) {
      expected.delete(path);
      if (batch.isEmpty()) idle.check();
      else batch.passOnSoon();
    },
  };
}
