// What commands on other machines ask of the room beside its tasks: by name as the operations on tasks, and as taskroom's own
// code has it.
import * as z from 'zod';
import { readRoomFacts } from '../../shapes/room-facts.ts';
import { type Exchange, type Route, type RouteNeeds, route } from '../gate/route.ts';

const text = z.string();
const none = z.strictObject({});
const flag = z.boolean().optional();
const onTask = z.strictObject({ ref: text });

function roomOperation<Input extends z.ZodType>(
  name: string,
  needs: RouteNeeds,
  input: Input,
  run: (on: Exchange, input: z.infer<Input>) => Promise<unknown>,
): Route {
  return route({
    method: 'post',
    path: `/api/operations/${name}`,
    id: `operation_${name}`,
    about: `The operation ${name}, for taskroom's own clients.`,
    group: 'operations',
    needs,
    body: input,
    answers: { 200: { about: 'What it answers, as JSON.', schema: z.strictObject({ result: z.unknown() }) } },
    run: async (on, { body }) => ({ body: { result: (await run(on, body)) ?? null } }),
  });
}

const mirrors = ({ room }: Exchange) => room.runtime.mirrors();

const syncAsked = z.strictObject({
  chore: text,
  options: z.strictObject({
    pull: z.boolean(),
    push: z.boolean(),
    ...{ full: flag, dryRun: flag, force: flag, sameRoom: flag, newRoom: flag, asked: flag, wait: flag },
  }),
});

export const ROOM_OPERATIONS: readonly Route[] = [
  roomOperation('roomFacts', 'look', none, async ({ room }) => readRoomFacts(room.runtime)),
  roomOperation(
    'stopRoom',
    'person',
    z.strictObject({ pid: z.int(), since: z.number(), now: z.boolean() }),
    stop,
  ),
  roomOperation('chores', 'look', none, ({ room }) => room.runtime.chores.list()),
  roomOperation('runChore', 'person', z.strictObject({ name: text }), ({ room, caller }, { name }) =>
    room.runtime.chores.run(name, caller.actor),
  ),
  roomOperation('examineWebhooks', 'look', none, ({ room }) => room.runtime.examineWebhooks()),
  roomOperation('mirrors', 'look', none, async (on) => {
    const { list, sources } = await mirrors(on);
    return { mirrors: list(), sources: sources() };
  }),
  roomOperation('syncChore', 'person', syncAsked, async (on, { chore, options }) => {
    const gone = AbortSignal.any([on.signal, on.room.closing]);
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    const asked = { ...Object.fromEntries(given), pull: options.pull, push: options.push };
    return (await mirrors(on)).syncChore(chore, asked, gone);
  }),
  roomOperation('link', 'person', onTask.extend({ url: text, chore: text.optional() }), async (on, input) =>
    (await mirrors(on)).link(input.ref, input.url, input.chore),
  ),
  roomOperation('unlink', 'person', onTask, async (on, { ref }) => (await mirrors(on)).unlink(ref)),
  roomOperation('publish', 'person', onTask.extend({ chore: text }), async (on, { ref, chore }) =>
    (await mirrors(on)).publish(ref, chore),
  ),
];

async function stop({ room }: Exchange, { pid, since, now }: { pid: number; since: number; now: boolean }) {
  const holder = room.runtime.holder();
  // The daemon that was meant, and no later one.
  if (holder !== null && holder.pid === pid && holder.since === since) room.runtime.requestStop(holder, now);
}
