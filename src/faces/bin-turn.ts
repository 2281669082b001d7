// The `taskroom` of a turn: the same commands over the turn's bridge. It opens neither room nor ledger and loads nothing
// of them, so that an agent may call it often. Its script names the bridge and the task: neither PATH nor variables count.
import * as nodeModule from 'node:module';
import { resolve } from 'node:path';
import type { Rooms } from './cli/main.ts';

nodeModule.enableCompileCache?.();
const [dir = '', task = '', ...argv] = process.argv.slice(2);

const ROOMS: Rooms = {
  async find(option, _env, cwd) {
    const { roomOfBridge } = await import('./turn/bridge-folder.ts');
    const own = roomOfBridge(dir);
    if (option === null || resolve(cwd, option) === own) return own;
    const { RoomError } = await import('../core/errors.ts');
    throw new RoomError('not_allowed', `a turn has no other room than its own, ${own}`);
  },
  async open(_dir, effects) {
    return (await import('./turn/turn-room.ts')).openTurnRoom(dir, effects);
  },
  openElsewhere: async () => (await import('./turn/turn-room.ts')).refuseOutside(),
  prepareApi: async () => (await import('./turn/turn-room.ts')).refuseOutside(),
  showTop: async () => (await import('./turn/turn-room.ts')).refuseOutside(),
  serveMcp: async (request, openRoom) => (await import('./mcp/serve-mcp.ts')).serveMcp(request, openRoom),
};

// Without a catch: what gets here is a bug, and Node shows its stack and exits with 1.
Promise.all([import('./cli/main.ts'), import('./turn/bridge-folder.ts')])
  .then(([{ main }, { roomOfBridge, turnOfBridge }]) =>
    main(argv, ROOMS, {
      AGENT_ROOM: roomOfBridge(dir),
      TASKROOM_TURN: turnOfBridge(dir),
      TASKROOM_TASK: task,
    }),
  )
  .then((code) => {
    process.exitCode = code;
  });
