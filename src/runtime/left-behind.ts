// What a runtime that died left of its turns, for the next one to find: claimed, ended, marked as over. Loaded with the loop.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PulseDependencies } from '../pulse/ports.ts';
import { endTurn } from '../runners/process/end-orphan.ts';
import { claimUnstarted } from '../runners/process/process-identity.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

type LeftBehind = Pick<PulseDependencies, 'claimUnstarted' | 'endProcesses' | 'closeTurnFolder'>;

export function leftBehind({ room, effects }: TaskRoom): LeftBehind {
  return {
    claimUnstarted: async (dir) => (await claimUnstarted(dir)) === 'claimed',
    async endProcesses(turn) {
      await endTurn(room.dir, join(room.turnsDir, turn), turn, effects);
    },
    closeTurnFolder(turn) {
      const result = '{"state":"failed","reason":"interrupted"}\n';
      writeFileSync(join(room.turnsDir, turn, 'result.json'), result);
    },
  };
}
