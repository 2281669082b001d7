// The turn that somebody asked for and waits for: found when it starts, or when it has ended.
import { RoomError } from '../../../core/errors.ts';
import { sleep } from '../../../effects.ts';
import type { RoomClient } from '../../../runtime.ts';
import type { TurnJson } from '../../../tasks/shapes/turn.ts';
import type { Call } from '../command.ts';
import { refuseInsideTurn } from './caller.ts';
import { POLL_MS } from './follow-output.ts';

// A daemon starts an asked turn within moments; when it neither waits nor runs for this long, it never will.
const LOST_AFTER_MS = 15_000;
const RECENT = 20;
const ASKED: ReadonlySet<string> = new Set(['run', 'run_forced', 'chat']);

/** Refuses to wait where nothing runs the room, and inside a turn. @throws RoomError `unavailable`, `not_allowed` */
export function assertDaemonRuns(runtime: RoomClient): void {
  refuseInsideTurn(runtime, 'wait for turns of');
  if (!isStopped(runtime)) return;
  throw new RoomError('unavailable', 'nothing runs this room, so there is no turn to wait for', {
    hint: 'start it first: taskroom up; or run all that is due: taskroom once',
  });
}

/** A daemon elsewhere that stopped answers nothing. */
const isStopped = ({ here }: RoomClient): boolean => here !== null && here.standing().holder === null;

/** Ids of the newest turns of a task: what is asked for next is none of them. */
export async function turnsBefore(runtime: RoomClient, ref: string): Promise<ReadonlySet<string>> {
  return new Set((await recentTurns(runtime, ref)).map(({ id }) => id));
}

async function recentTurns({ tasks, caller }: RoomClient, task: string): Promise<readonly TurnJson[]> {
  return (await tasks.call('listTurns', { task, pending: false, limit: RECENT }, caller, true)).turns;
}

/**
 * The turn of task `id` that was asked for after `before` was taken.
 * @param isReady whether to wait on
 * @throws RoomError `unavailable`, `refused` when it does not run now
 */
export async function nextTurn(
  { effects }: Call,
  runtime: RoomClient,
  id: string,
  before: ReadonlySet<string>,
  isReady: (turn: TurnJson) => boolean,
): Promise<TurnJson> {
  let lostAt = effects.monotonicMs() + LOST_AFTER_MS;
  for (;;) {
    const recent = await recentTurns(runtime, id);
    // A turn that something else asked for may come first.
    const turn = recent.findLast(
      (each) => !before.has(each.id) && each.reasons.some((reason) => ASKED.has(reason)),
    );
    if (turn && isReady(turn)) return turn;
    const { pending, why_not: whyNot } = await runtime.tasks.call('show', { ref: id }, runtime.caller, true);
    if (pending && whyNot?.reason === 'budget')
      throw new RoomError('refused', `it does not run now: ${whyNot.text}`, { hint: whyNot.hint ?? '' });
    if (pending || recent[0]?.state === 'running') lostAt = effects.monotonicMs() + LOST_AFTER_MS;
    if (isStopped(runtime))
      throw new RoomError('unavailable', 'the daemon stopped before the turn ended', {
        hint: 'start it again: taskroom up',
      });
    if (effects.monotonicMs() > lostAt)
      throw new RoomError('unavailable', 'the daemon did not start the turn', {
        hint: 'see why: taskroom status',
      });
    await sleep(effects, POLL_MS);
  }
}
