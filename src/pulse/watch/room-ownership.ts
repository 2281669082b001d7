// Whether the room is still this process's: its lock and its ledger are where they were.
import { existsSync, statSync } from 'node:fs';
import { RoomError } from '../../core/errors.ts';
import type { FileLock } from '../../store/lock/locks.ts';
import type { Room } from '../../store/room.ts';

export function createRoomOwnership(room: Room, lock: FileLock, onLost: (error: RoomError) => void) {
  let ledger = identityOf(room.ledgerPath);
  let isLost = false;

  return {
    /** Looks; false while the room is away, and for good once it is lost. */
    check(): boolean {
      if (isLost) return false;
      if (lock.isOurs() && identityOf(room.ledgerPath) === ledger) return true;
      // A folder that was moved away may come back as it was.
      if (!existsSync(room.dir)) return false;
      isLost = true;
      const message = `${room.ownDir} was removed or replaced while the room ran: nothing more is started, and running turns are ended`;
      const hint = 'start again: taskroom up. Tasks that say doing then wait for an edit or taskroom run';
      onLost(new RoomError('room_gone', message, { hint }));
      return false;
    },
    /** This process itself began a new ledger. */
    ledgerReplaced(): void {
      ledger = identityOf(room.ledgerPath);
    },
  };
}

function identityOf(path: string): string | null {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`;
}
