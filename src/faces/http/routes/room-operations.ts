// What commands on other machines ask of the room beside its tasks: by name as the operations on tasks, and as taskroom's own
// code has it.
import * as z from 'zod';
import { readRoomFacts } from '../../shapes/room-facts.ts';
import type { Exchange, Route } from '../gate/route.ts';
import { namedOperation } from './named-operation.ts';
import { createLink } from './room-routes.ts';

const none = z.strictObject({});
const MOST_TURNS = 1_000;

export const ROOM_OPERATIONS: readonly Route[] = [
  {
    ...namedOperation('roomFacts', 'look', none, async ({ room, caller }) => {
      const facts = readRoomFacts(room.runtime);
      const own = caller.token.tasks;
      if (own === null) return facts;
      // What turns of its tasks printed is shown in the form of their agents; of others it is told nothing.
      const { tasks } = room.runtime;
      const turns = await Promise.all(
        own.map((ref) => tasks.turns({ ref, limit: MOST_TURNS }).catch(() => [])),
      );
      const agents = new Set(turns.flat().map(({ agent }) => agent));
      const formats = facts.formats.filter(([agent]) => agents.has(agent));
      return { ...facts, dir: '', problems: [], trouble: [], formats };
    }),
    task: 'any',
  },
  namedOperation(
    'stopRoom',
    'person',
    z.strictObject({ pid: z.int(), since: z.number(), now: z.boolean() }),
    stop,
  ),
  namedOperation('createLink', 'person', none, async (on) => createLink(on)),
];

async function stop({ room }: Exchange, { pid, since, now }: { pid: number; since: number; now: boolean }) {
  const holder = room.runtime.holder();
  // The daemon that was meant, and no later one.
  if (holder !== null && holder.pid === pid && holder.since === since)
    await room.runtime.requestStop(holder, now);
}
