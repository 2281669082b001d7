// Saying where a task went whose file is not in tasks/.
import { RoomError } from '../../core/errors.ts';
import type { Candidate } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';

/** `refused` for an archived task, `not_found` for one whose file is gone; each says how to get it back. */
export function refuseWithoutFile(handle: RoomHandle, { id, name }: Candidate): RoomError {
  const archived = id === null ? null : (handle.deps.ledger.tasks.get(id)?.archived ?? null);
  if (archived !== null) {
    return new RoomError('refused', `${name} (${id}) is archived in ${archived}`, {
      hint: 'move the file back into tasks/ to go on with it',
    });
  }
  return new RoomError('not_found', `the file of ${name} (${id}) is gone`, {
    hint: 'put it back into tasks/ to go on with it',
  });
}
