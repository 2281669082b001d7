// How the person's program comes to a room: it opens the room; inside a turn of that room it goes over the turn's bridge, like the
// turn's own program, or is refused there.
import { bridgeOfCaller, findRoom, openRuntime } from '../app/open-room.ts';
import type { Rooms } from '../cli/command.ts';
import { RoomError } from '../core/errors.ts';

export const ROOMS: Rooms = {
  find: async (option, env, cwd) => findRoom(option, env, cwd),
  async open(dir, effects, options) {
    const bridge = bridgeOfCaller(dir, effects);
    if (bridge === null) return openRuntime(dir, effects, options);
    return (await import('../cli/turn/turn-room.ts')).openTurnRoom(bridge, effects);
  },
  async openRemote(where, effects) {
    if (effects.env.TASKROOM_TURN)
      throw new RoomError('not_allowed', 'a turn has no other room than its own', 'ask the person to');
    return (await import('../app/remote-room.ts')).openRemoteRoom(where, effects);
  },
  openDaemon: async (dir) => (await import('../app/remote-room.ts')).openRoomOfDaemonHere(dir),
  prepareApi: async (options) =>
    (await import('../server/serve.ts')).prepareApi(options, async (request, call) =>
      (await import('../mcp/serve-mcp.ts')).answerMcp(request, call),
    ),
  serve: async (runtime, pulse, effects) =>
    (await import('../server/webhooks.ts')).serveWebhooks(runtime, pulse, effects),
  showTop: async (request) => (await import('../top/top.ts')).showTop(request),
  serveMcp: async (request, openRoom) => (await import('../mcp/serve-mcp.ts')).serveMcp(request, openRoom),
};
