// What the API asks of the room beside its operations: who may use it, whose cookies are whose, and whether anything changed.
import { join } from 'node:path';
import { keepRoomId } from '../store/room-id.ts';
import { statTask } from '../store/scan.ts';
import type { TaskRoom } from '../tasks/task-room.ts';
import { type ApiTokens, createApiTokens } from '../tasks/tokens/api-tokens.ts';

export interface RoomApi {
  readonly tokens: ApiTokens;
  /** Of this room alone. */
  readonly roomId: string;
  /** Where its unix socket lies, unless that is too long, and the note of where it listens. */
  readonly socketPath: string;
  readonly addressPath: string;
  /** Another one whenever the ledger changed, through whatever process. */
  version(): string;
  /** Another one whenever the file of a task is; '' for a word that is no task's id. */
  stampOfTask(id: string): string;
}

export function createRoomApi(deps: TaskRoom): RoomApi {
  const { room, ledger, effects } = deps;
  const { database } = ledger;
  const number = (sql: string, column: string) =>
    String((database.prepare(sql).get() as Record<string, number>)[column]);
  // Asked at each look at a task: no more of its row than that.
  const pathOf = (id: string) =>
    (database.prepare('SELECT path FROM tasks WHERE id = ?').get(id)?.path ?? null) as string | null;
  return {
    tokens: createApiTokens(deps),
    roomId: keepRoomId(room, ledger, effects),
    socketPath: join(room.ownDir, 'api.sock'),
    addressPath: join(room.ownDir, 'api.json'),
    stampOfTask(id) {
      const path = pathOf(id);
      const stamp = path === null ? null : statTask(room.at(path));
      return stamp === null ? '' : JSON.stringify(stamp);
    },
    version() {
      // Others' commits count in the first, our own in the second.
      const others = number('PRAGMA data_version', 'data_version');
      return `${others}.${number('SELECT total_changes() AS changes', 'changes')}`;
    },
  };
}
