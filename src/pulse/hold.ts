// Whether this process still holds the room: the lock and the ledger that it opened are the ones that lie there. Once they
// are not, another runtime may run the room, and this one does nothing more in it.
import { type BigIntStats, existsSync, statSync } from 'node:fs';
import { RoomError } from '../core/errors.ts';
import type { RoomLock } from '../store/lock/locks.ts';
import type { Room } from '../store/room.ts';

export type Hold = ReturnType<typeof createHold>;

export interface HoldOptions {
  room: Room;
  lock: Pick<RoomLock, 'isOurs'>;
  /** Called once. */
  onLost(error: RoomError): void;
}

export function createHold({ room, lock, onLost }: HoldOptions) {
  let ledger = identityOf(room.ledgerPath);
  let isLost = false;

  /** Looks; false while the room is away, and for good once it is lost. */
  function check(): boolean {
    if (isLost) return false;
    if (lock.isOurs() && identityOf(room.ledgerPath) === ledger) return true;
    // A folder that was moved away may come back as it was.
    if (!existsSync(room.dir)) return false;
    isLost = true;
    onLost(lostRoom(room));
    return false;
  }

  return {
    check,
    /** This process itself began a new ledger. */
    ledgerReplaced(): void {
      ledger = identityOf(room.ledgerPath);
    },
  };
}

function identityOf(path: string): string | null {
  const stat: BigIntStats | undefined = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`;
}

function lostRoom({ ownDir }: Room): RoomError {
  return new RoomError(
    'room_gone',
    `${ownDir} was removed or replaced while the room ran: nothing more is started, and running turns are ended`,
    {
      hint: 'start again: taskroom up. Tasks that say doing then wait for an edit or taskroom run',
    },
  );
}
