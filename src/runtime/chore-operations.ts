// The chores of a room as faces see them, with and without a daemon.
import type { ChoreList } from '../chores/chore-list.ts';
import { RoomError } from '../core/errors.ts';
import type { RoomHandle } from '../tasks/room-handle.ts';
import { type Actor, isAgent, titleOfAgent } from '../tasks/task-room.ts';

export interface ChoreOperations {
  /** @throws RoomError `io` */
  list(): Promise<ChoreList>;
  /**
   * Asks for a run now; without a daemon it begins with the next one.
   * @throws RoomError `not_found`, `invalid_file`, `refused` for a paused one, `not_allowed` for agents
   */
  run(name: string, actor: Actor): Promise<{ name: string; kind: 'mirror' | 'prompt'; daemon: boolean }>;
}

export function createChoreOperations({ deps, ports }: RoomHandle): ChoreOperations {
  return {
    async list() {
      const { listChores } = await import('../chores/chore-list.ts');
      return listChores(deps, ports.daemonRuns());
    },
    async run(name, actor) {
      if (isAgent(actor))
        throw new RoomError('not_allowed', `${titleOfAgent(actor)} can't run chores`, {
          hint: 'ask the person to',
        });
      const { askForChore } = await import('../chores/chore-list.ts');
      const asked = await askForChore(deps, name);
      const daemon = ports.daemonRuns();
      if (daemon) {
        deps.ledger.messages.send({ kind: 'chores' }, deps.effects.now());
        ports.ring();
      }
      return { ...asked, daemon };
    },
  };
}
