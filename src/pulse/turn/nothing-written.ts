// Turns that ended well and changed nothing of their task's file: told by its hash when the agent began.
import { taskOfThread } from '../../core/ids.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { DriverOptions } from './driver-options.ts';

const CUT_SHORT: ReadonlySet<string> = new Set(['interrupted', 'rate_limited', 'budget']);
// More are seldom interrupted in a row.
const TURNS_LOOKED_AT = 20;

/** Whether the task's file can be read and says what it said when the turn's agent, which was to write, began. */
export function saysTheSame({ deps }: DriverOptions, turn: TurnRecord): boolean {
  const agent = deps.agents().get(turn.agent);
  if (agent?.writes === false || agent?.access === 'minimal') return false;
  const memory = deps.ledger.tasks.get(taskOfThread(turn.thread)!);
  const file = memory?.path ? deps.ledger.files.get(memory.path) : null;
  return file?.reading.ok === true && file.hash === deps.ledger.turns.fileHash(turn.id);
}

/** Whether this turn asks again because the one before wrote nothing; turns that were cut short between do not count. */
export function wroteNothingBefore({ ledger }: TaskRoom, turn: TurnRecord): boolean {
  if (!turn.reasons.includes('retry')) return false;
  const before = ledger.turns
    .list({ thread: turn.thread, limit: TURNS_LOOKED_AT })
    .find(({ id, reason }) => id !== turn.id && !CUT_SHORT.has(reason ?? ''));
  return before?.reason === 'nothing_written' && before.revision === turn.revision;
}
