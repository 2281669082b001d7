// The `taskroom` of a turn: the same commands over the turn's bridge, which its arguments or its environment name. It loads nothing
// of the room or the ledger, so that an agent may call it often.
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Rooms } from '../cli/command.ts';

// Where a sandbox lets its agent write nothing: what lies there is run.
nodeModule.enableCompileCache?.(join(homedir(), '.cache', 'taskroom'));

start(process.argv.slice(2)).then((code) => {
  // Without a catch: what fails here is a bug, and Node shows its stack and exits with 1.
  process.exitCode = code;
});

async function start(words: string[]): Promise<number> {
  const named = words[0] === '--bridge' ? words.splice(0, 2)[1] : undefined;
  const dir =
    named ?? process.env.TASKROOM_BRIDGE ?? (await import('../app/caller-turn.ts')).bridgeAround({});
  const { main } = await import('../cli/main.ts');
  if (!dir) return main(words, roomsOf(null));
  const { roomOfBridge, taskOfBridge, turnOfBridge } = await import('../cli/turn/turn-room.ts');
  return main(words, roomsOf(dir), {
    AGENT_ROOM: roomOfBridge(dir),
    TASKROOM_TURN: turnOfBridge(dir),
    TASKROOM_TASK: taskOfBridge(dir),
  });
}

/** @param dir absolute path of the bridge's folder; null outside a turn */
function roomsOf(dir: string | null): Rooms {
  const refuse = async () => (await import('../cli/turn/turn-room.ts')).refuseOutside();
  return {
    async find(option, _env, cwd) {
      const { RoomError } = await import('../core/errors.ts');
      if (dir === null)
        throw new RoomError('not_allowed', 'this taskroom reports of a turn, and was started outside one', {
          hint: 'TASKROOM_BRIDGE names the turn: keep the variables of the turn',
        });
      const { roomOfBridge } = await import('../cli/turn/turn-room.ts');
      const own = roomOfBridge(dir);
      if (option === null || resolve(cwd, option) === own) return own;
      throw new RoomError('not_allowed', `a turn has no other room than its own, ${own}`);
    },
    async open(_dir, effects) {
      return (await import('../cli/turn/turn-room.ts')).openTurnRoom(dir!, effects);
    },
    ...{ openRemote: refuse, prepareApi: refuse, showTop: refuse },
    serveMcp: async (request, openRoom) => (await import('../mcp/serve-mcp.ts')).serveMcp(request, openRoom),
  };
}
