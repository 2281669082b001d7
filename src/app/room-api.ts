// What the API asks of the room beside its operations: who may use it, whose cookies are whose, and whether anything changed.
import { join } from 'node:path';
import { keepRoomId } from '../store/files/room-id.ts';
import { createApiTokens } from '../tasks/room/tokens.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

export type RoomApi = ReturnType<typeof createRoomApi>;

export function createRoomApi(deps: TaskRoom) {
  const { room, ledger, effects } = deps;
  const numberOf = (sql: string) => String(Object.values(ledger.database.get(sql)!)[0]);
  return {
    tokens: createApiTokens(deps),
    roomId: keepRoomId(room, ledger, effects), // Of this room alone.
    /** Its unix socket, unless that path is too long, and the note of where it listens. */
    socketPath: join(room.ownDir, 'api.sock'),
    addressPath: join(room.ownDir, 'api.json'),
    /** Changes with each commit to the ledger: `data_version` counts those of other processes, `total_changes` our own. */
    version: () => `${numberOf('PRAGMA data_version')}.${numberOf('SELECT total_changes()')}`,
  };
}
