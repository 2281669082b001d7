// What an agent tells its person beside the task: kept in the ledger first, so that no crash loses it.
import { RoomError } from '../../core/errors.ts';
import { taskOfThread } from '../../core/ids.ts';
import { namedIfAny } from '../../core/task/names.ts';
import { isoOrNull } from '../../core/time/durations.ts';
import { findTarget } from '../lookup/locate.ts';
import type { NoticeJson } from '../shapes/turn.ts';
import { type Actor, nameOfActor, type RoomHandle, requestOf, turnOfActor } from '../task-room.ts';
import { threadOfActor } from './change.ts';
import { checkText } from './entry-change.ts';

const LONGEST = 4_000;
const MOST_A_TURN = 10; // An agent that goes round in a circle must not ring all night.

export async function notify(
  deps: RoomHandle,
  { text, task: ref, key }: { text: string; task?: string; key?: string | undefined },
  actor: Actor,
): Promise<Pick<NoticeJson, 'seq' | 'at'>> {
  const { ports } = deps;
  checkText(text, LONGEST, 'write the long version into the task, and tell the person where it is');
  const turn = turnOfActor(actor);
  const hint = 'write the rest into the task: progress, outcome or comment';
  if (turn !== null && deps.ledger.notices.count({ turn: turn }) >= MOST_A_TURN)
    throw new RoomError('refused', `this turn has told the person ${MOST_A_TURN} things already`, hint);
  const named = ref === undefined ? null : (await findTarget(deps, ref)).id;
  const thread = threadOfActor(deps, actor);
  const task = named ?? (thread && taskOfThread(thread));
  const kept = deps.ledger.notices.add({
    ...{ at: deps.effects.now(), author: nameOfActor(actor), turn, task, text: text.trim() },
    // A request that is carried out again after a crash tells nothing twice.
    key: key ?? requestOf(actor).key ?? null,
  });
  ports.ring();
  return { seq: kept.seq, at: new Date(kept.at).toISOString() };
}

export async function listNotices(
  deps: RoomHandle,
  { untold = false, limit = 20 }: { untold?: boolean; limit?: number },
): Promise<{ notices: NoticeJson[] }> {
  const { notices, tasks } = deps.ledger;
  const all = notices.list({ untold, limit });
  return {
    notices: all.map(({ seq, at, author, turn, task, text, told, sentAt, lastError }) => ({
      ...{ seq, at: new Date(at).toISOString(), from: author, turn, task },
      ...namedIfAny(tasks.get(task ?? '')),
      ...{ text, told, sent_at: isoOrNull(sentAt), error: lastError },
    })),
  };
}
