// Saying where a task went whose file is not in tasks/.
import { RoomError } from '../../core/errors.ts';
import type { Candidate } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';
import { readGoneTask } from './gone-task.ts';

/** `refused` for an archived task, `not_found` for one whose file is gone; each says how to get it back. */
export function refuseWithoutFile({ deps }: RoomHandle, candidate: Candidate): RoomError {
  const { id, name } = candidate;
  const archived = id === null ? null : (deps.ledger.tasks.get(id)?.archived ?? null);
  if (archived !== null) {
    return new RoomError('refused', `${name} (${id}) is archived in ${archived}`, {
      hint: 'move the file back into tasks/ to go on with it',
    });
  }
  const kept = readGoneTask(deps, candidate)?.task.path;
  return new RoomError('not_found', `the file of ${name} (${id}) is gone`, {
    hint: kept?.startsWith('.taskroom/')
      ? `it lies in ${kept}: move it to tasks/${name}.md to go on with it`
      : 'no copy of it is kept; put one into tasks/ to go on with it',
  });
}
