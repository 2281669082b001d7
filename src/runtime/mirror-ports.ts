// What the loop asks of the room's mirrors: to sync a chore, to send what changed here, to fetch what webhooks named.
import { syncChoreWith } from '../pulse/chore/chore-sync.ts';
import type { PulseDependencies } from '../pulse/ports.ts';
import type { TaskRoom } from '../tasks/task-room.ts';
import type { LazyMirrors } from './mirrors-on-demand.ts';
import { syncTold } from './webhooks/sync-told.ts';

type MirrorPorts = Pick<
  PulseDependencies,
  'syncChore' | 'isMirrored' | 'dirtySources' | 'pushChore' | 'syncTold'
>;

export function mirrorPorts({ ledger, effects }: TaskRoom, mirrors: LazyMirrors): MirrorPorts {
  return {
    syncChore: async (chore, signal) => syncChoreWith((await mirrors.open()).sync)(chore, signal),
    isMirrored: () => mirrors.opened() !== null,
    dirtySources: () => mirrors.opened()?.sync.dirtySources() ?? [],
    async pushChore(chore, signal) {
      const { sync } = await mirrors.open();
      await sync.syncChore(chore, { pull: false, push: true, wait: true }, signal);
    },
    async syncTold(chore, issues, signal) {
      const { sync } = await mirrors.open();
      await syncTold({ ledger, effects, sync }, chore, issues, signal);
    },
  };
}
