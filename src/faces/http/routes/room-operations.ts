// What commands on other machines ask of the room beside its tasks: by name as the operations on tasks, and as taskroom's own
// code has it.
import * as z from 'zod';
import { readRoomFacts } from '../../shapes/room-facts.ts';
import type { Exchange, Route } from '../gate/route.ts';
import { namedOperation } from './named-operation.ts';
import { createLink } from './room-routes.ts';

const text = z.string();
const none = z.strictObject({});
const flag = z.boolean().optional();
const onTask = z.strictObject({ ref: text });

const MOST_TURNS = 1_000;

const mirrors = ({ room }: Exchange) => room.runtime.mirrors();

const syncAsked = z.strictObject({
  chore: text,
  options: z.strictObject({
    pull: z.boolean(),
    push: z.boolean(),
    ...{ full: flag, dryRun: flag, force: flag, sameRoom: flag, newRoom: flag, asked: flag, wait: flag },
  }),
});

const settleAsked = onTask.extend({
  wish: z.strictObject({
    conflict: text,
    take: z.enum(['standing', 'lost', 'own']),
    text: text.optional(),
    version: text,
  }),
});

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
  namedOperation('chores', 'look', none, ({ room }) => room.runtime.chores.list()),
  namedOperation('runChore', 'person', z.strictObject({ name: text }), ({ room, caller }, { name }) =>
    room.runtime.chores.run(name, caller.actor),
  ),
  namedOperation('examineWebhooks', 'look', none, ({ room }) => room.runtime.examineWebhooks()),
  namedOperation('mirrors', 'look', none, async (on) => {
    const { list, sources } = await mirrors(on);
    return { mirrors: list(), sources: sources() };
  }),
  namedOperation('syncChore', 'person', syncAsked, async (on, { chore, options }) => {
    const gone = AbortSignal.any([on.signal, on.room.closing]);
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    const asked = { ...Object.fromEntries(given), pull: options.pull, push: options.push };
    return (await mirrors(on)).syncChore(chore, asked, gone);
  }),
  namedOperation('settle', 'person', settleAsked, async (on, { ref, wish: { text: own, ...wish } }) =>
    (await mirrors(on)).settle(ref, own === undefined ? wish : { ...wish, text: own }),
  ),
  namedOperation('link', 'person', onTask.extend({ url: text, chore: text.optional() }), async (on, input) =>
    (await mirrors(on)).link(input.ref, input.url, input.chore),
  ),
  namedOperation('unlink', 'person', onTask, async (on, { ref }) => (await mirrors(on)).unlink(ref)),
  namedOperation('publish', 'person', onTask.extend({ chore: text }), async (on, { ref, chore }) =>
    (await mirrors(on)).publish(ref, chore),
  ),
];

async function stop({ room }: Exchange, { pid, since, now }: { pid: number; since: number; now: boolean }) {
  const holder = room.runtime.holder();
  // The daemon that was meant, and no later one.
  if (holder !== null && holder.pid === pid && holder.since === since)
    await room.runtime.requestStop(holder, now);
}
