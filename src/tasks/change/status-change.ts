// Status, pause and resume. Who may move where is checked in change.ts, on the text that is written.
import { removeKey, setKey } from '../../core/document/document.ts';
import { RoomError } from '../../core/errors.ts';
import { threadOfTask } from '../../core/ids.ts';
import { asNote, formatProgress } from '../../core/task/body/entries.ts';
import { hashText } from '../../core/task/read-task.ts';
import { DELETED, isFinished, type SaidStatus, statusWord } from '../../core/task/status.ts';
import type { Task } from '../../core/task/task.ts';
import type { Target } from '../lookup/locate.ts';
import { expectPause } from '../observe/consequences.ts';
import { announce } from '../observe/refresh.ts';
import { saidStatus } from '../references.ts';
import type { Changed } from '../shapes/change.ts';
import type { Actor, RoomHandle } from '../task-room.ts';
import { isAgent, signatureOf, titleOfAgent, turnOfActor } from '../task-room.ts';
import { passUsageLimit } from './ask-for-turns.ts';
import { changeTask, type FileChange } from './change.ts';
import { checkText, entryOf, makeEntry } from './entry-change.ts';
import { awaitedChecks, releasesHeld, withUnreached } from './gates.ts';

interface StatusOptions {
  outcome?: string; // Appended in the same write.
  withoutChecks?: string; // A person's word that it is done whatever its checks would say, and why.
  onlyIf?: string; // Leaves a task of any other status as it is.
  onlyFinished?: boolean; // Leaves a task that is not over as it is.
  replacesOwn?: boolean; // A word of the room's own that counts as this status gives way to it.
}

/** With the outcome in one write. A turn's done is `deferred` when the task was edited since the turn began. @throws RoomError as `changeTask` */
export async function setStatus(
  deps: RoomHandle,
  ref: string,
  word: string,
  actor: Actor,
  options: StatusOptions = {},
): Promise<Changed> {
  const plan = planStatus(deps, word, actor, options);
  const result = withUnreached(deps, await changeTask(deps, ref, actor, plan.look), 'write');
  return afterStatus(deps, word, actor, { ...result, ...plan.answer() });
}

type Answer = Pick<Changed, 'status' | 'paused' | 'deferred'>;

/** @throws RoomError `not_allowed`, `bad_input` */
export function planStatus(
  deps: RoomHandle,
  word: string,
  actor: Actor,
  { outcome, onlyFinished = false, onlyIf, withoutChecks, replacesOwn = false }: StatusOptions,
) {
  const said = saidStatus(deps, word, DELETED);
  const { status } = said;
  const expected = onlyIf === undefined ? null : saidStatus(deps, onlyIf);
  if (withoutChecks !== undefined) assertMayWaive(actor, status, withoutChecks);
  if (outcome !== undefined) checkText(outcome);
  let deferred = false;
  let now: Pick<Changed, 'status' | 'paused'> = {};
  return {
    look({ id }: Pick<Target, 'id'>): FileChange {
      // On record before the file says so, because an observer of the file must know it.
      if (withoutChecks !== undefined && id !== null)
        deps.ledger.checks.waive(id, { at: deps.effects.now(), reason: withoutChecks });
      return {
        edit: (task, text) => {
          deferred = status === 'done' && isOutdated(deps, actor, task);
          const isOther = expected !== null && !isSaid(task, expected);
          const isKept = deferred || isOther || (onlyFinished && !isFinished(task.status));
          now = { status: isKept ? task.status : status, paused: task.paused };
          return isKept || isSaid(task, said, replacesOwn) ? text : withStatus(task, text, said, actor);
        },
        append: [
          ...(withoutChecks === undefined
            ? []
            : [makeEntry(deps, 'note', `Done without checks: ${withoutChecks}`, actor)]),
          ...(outcome === undefined ? [] : [entryOf(deps, 'outcome', outcome, actor)]),
        ],
      };
    },
    answer: (): Answer => ({
      ...(onlyFinished ? now : {}),
      ...(deferred && !onlyFinished ? { deferred } : {}),
    }),
  };
}

export async function afterStatus(deps: RoomHandle, word: string, actor: Actor, result: Changed) {
  if (saidStatus(deps, word).status !== 'done' || result.deferred || result.status !== undefined)
    return result;
  if (releasesHeld(deps, actor, result.id)) await announce(deps, result.path, actor);
  const awaits_checks = awaitedChecks(deps, result.id);
  return awaits_checks.length > 0 ? { ...result, awaits_checks } : result;
}

/** @throws RoomError `not_allowed`, `bad_input` */
function assertMayWaive(actor: Actor, status: string, reason: string): void {
  const hint = 'make them pass, or say in a comment why they can not';
  if (isAgent(actor))
    throw new RoomError('not_allowed', `${titleOfAgent(actor)} can't say done without checks`, hint);
  if (status !== 'done') throw new RoomError('bad_input', `checks are for done, not for ${status}`);
  checkText(reason);
}

// What was typed during a turn was not known to it: its "done" is not the answer to that, one more turn follows.
function isOutdated(deps: RoomHandle, actor: Actor, task: Task): boolean {
  if (actor.kind !== 'agent' || task.id === null) return false;
  const turn = deps.ledger.turns.get(actor.turn);
  return (
    turn?.state === 'running' && turn.thread === threadOfTask(task.id) && turn.revision !== task.revision
  );
}

/** Whether a file says that status already, in whatever word. @param replacesOwn a word of the room's own is another status */
const isSaid = (task: Task, { status, ownStatus }: SaidStatus, replacesOwn = false): boolean =>
  task.status === status && (ownStatus === task.ownStatus || (ownStatus === undefined && !replacesOwn));

function withStatus(task: Task, text: string, said: SaidStatus, actor: Actor): string {
  const { status } = said;
  const next = setKey(text, 'status', statusWord(said), task.path);
  if (task.status === status) return next;
  // Of a task that is open again nobody knows who will complete it.
  if (status !== 'done') return removeKey(next, 'completed_by', task.path);
  return setKey(next, 'completed_by', signatureOf(actor), task.path);
}

/** Sets `paused: true`; a reason is appended to Progress in the same write. */
export async function pauseTask(deps: RoomHandle, ref: string, actor: Actor, reason?: string) {
  if (reason !== undefined) checkText(reason);
  let wasPaused = false;
  const result = await changeTask(deps, ref, actor, ({ id }) => {
    // On record before the file says so: it counts while that is paused.
    const why = reason ?? `by ${signatureOf(actor)}`;
    if (id !== null && actor.kind !== 'person')
      deps.ledger.pauses.put({ task: id, reason: why, at: deps.effects.now() });
    return {
      edit: (task, text) => {
        wasPaused = task.paused;
        // Before the write: the loop may see the file before this call knows that it is written.
        if (!wasPaused && task.id !== null) expectPause(deps, task.id);
        return task.paused ? text : setKey(text, 'paused', true, task.path);
      },
      append: reason === undefined ? [] : [reasonEntry(deps, actor, reason)],
    };
  });
  if (result.changed && !wasPaused) {
    const { id, name } = result;
    const told = reason ?? `paused by ${signatureOf(actor)}`;
    deps.events.emit({ type: 'task.paused', id, name, reason: told });
  }
  return result;
}

function reasonEntry(deps: RoomHandle, actor: Actor, reason: string) {
  const words = formatProgress({ atMs: deps.effects.now(), text: `Paused: ${reason}` });
  const block = actor.kind === 'runtime' ? asNote(words) : words;
  // A turn that is taken up again after a crash repeats its pause: the key keeps that to one entry.
  const turn = turnOfActor(actor);
  const key = turn === null ? {} : { key: `${turn}:pause:${hashText(reason).slice(0, 12)}` };
  return { section: 'Progress' as const, block, ...key };
}

/** Sets `paused: false`; what waits for a usage limit is tried again. @throws RoomError `refused` for a finished task that is not paused */
export async function resumeTask(deps: RoomHandle, ref: string, actor: Actor): Promise<Changed> {
  const result = await changeTask(deps, ref, actor, () => ({
    edit(task, text) {
      if (task.paused) return setKey(text, 'paused', false, task.path);
      if (isFinished(task.status)) throw notToResume(task);
      return text;
    },
  }));
  // A subtask of a canceled parent goes on when its person resumes it.
  if (actor.kind === 'person') deps.ledger.unresolvedChildren.delete(result.id);
  passUsageLimit(deps, result.id, actor);
  return result;
}

function notToResume({ name, status }: Task): RoomError {
  const hint = `to open it again: taskroom reopen ${JSON.stringify(name)}`;
  return new RoomError('refused', `${name} is ${status}: only an open task goes on`, hint);
}
