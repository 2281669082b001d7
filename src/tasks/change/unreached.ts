// What a word or a move in a mirrored task's file will not reach, and why (T11): said with the answer to whoever wrote it.
import { mirroredServices } from '../../core/context/context.ts';
import type { Changed } from '../shapes/changed.ts';
import type { TaskRoom } from '../task-room.ts';

const IN_THE_FILE = { services: { read: true, write: true, comment: true }, missing: [] };

/** The answer to a change that needs this service to be seen upstream. */
export function withUnreached(deps: TaskRoom, changed: Changed, service: 'write' | 'comment'): Changed {
  const reading = deps.ledger.files.get(changed.path)?.reading;
  const remote = reading?.ok ? reading.task.remote : null;
  if (remote === null || !changed.changed) return changed;
  const { missing } = mirroredServices(IN_THE_FILE, deps.mirrorServices?.(changed.id) ?? null);
  const why = missing.filter((each) => each.service === service);
  if (why.length === 0) return changed;
  return { ...changed, unreached: why.map(({ what, how }) => ({ who: remote, what, how })) };
}
