// What the API asks of the room beside its operations: who may use it, whose cookies are whose, and whether anything changed.
import { join } from 'node:path';
import { keepRoomId } from '../store/files/room-id.ts';
import { type ApiTokens, createApiTokens } from '../tasks/room/tokens.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

export interface RoomApi {
  readonly tokens: ApiTokens;
  /** Of this room alone. */
  readonly roomId: string;
  /** Where its unix socket lies, unless that is too long, and the note of where it listens. */
  readonly socketPath: string;
  readonly addressPath: string;
  /** Another one whenever the ledger changed, through whatever process. */
  version(): string;
}

export function createRoomApi(deps: TaskRoom): RoomApi {
  const { room, ledger, effects } = deps;
  const { database } = ledger;
  const number = (sql: string, column: string) =>
    String((database.prepare(sql).get() as Record<string, number>)[column]);
  return {
    tokens: createApiTokens(deps),
    roomId: keepRoomId(room, ledger, effects),
    socketPath: join(room.ownDir, 'api.sock'),
    addressPath: join(room.ownDir, 'api.json'),
    version() {
      // Others' commits count in the first, our own in the second.
      const others = number('PRAGMA data_version', 'data_version');
      return `${others}.${number('SELECT total_changes() AS changes', 'changes')}`;
    },
  };
}
