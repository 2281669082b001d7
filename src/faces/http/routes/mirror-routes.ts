// Chores and mirrors: listed, run, synced, linked and published.
import * as z from 'zod';
import { MIRROR_STATES } from '../../../core/chore/mirror-state.ts';
import { isRoomError, RoomError } from '../../../core/errors.ts';
import { snakeKeys } from '../../../core/snake-keys.ts';
import type { Mirrors, SyncReport } from '../../../runtime.ts';
import { choreJson } from '../../shapes/chore-json.ts';
import { conflictJson, mirrorFilter, mirrorJson } from '../../shapes/mirror-json.ts';
import { choreAsked, choresAnswer, syncReportAnswer } from '../answers/chore-answers.ts';
import { mirrorAnswer, settleAsked, settlementAnswer } from '../answers/mirror-answers.ts';
import { listOf } from '../gate/input.ts';
import { HttpFault } from '../gate/problem.ts';
import { type Answer, type Exchange, look, type Route, route } from '../gate/route.ts';
import { taskVerb } from './task-verb.ts';

const text = z.string();
const linked = z
  .strictObject({ task: text, provider: text, ref: text, url: text.nullable(), chore: text })
  .meta({ id: 'Linked' });

const syncAsked = z
  .strictObject({
    chore: text.optional().meta({ description: 'all of them when absent' }),
    direction: z.enum(['both', 'pull', 'push']).optional(),
    full: z.boolean().optional(),
    dry_run: z.boolean().optional(),
    force: z.boolean().optional(),
  })
  .meta({ id: 'SyncAsked' });

/** A verb that makes or ends a pair of a task and an issue. */
function pairing<Body extends z.ZodType>(
  verb: string,
  about: string,
  body: Body,
  act: (mirrors: Mirrors, ref: string, said: z.infer<Body>) => Promise<object>,
): Route {
  const answers = { 200: { about: 'The pair, as it is or was.', schema: linked } };
  return taskVerb(
    verb,
    { about, group: 'mirrors', needs: 'person', body, answers },
    async ({ room }, ref, said) => ({
      body: snakeKeys(await act(await room.runtime.mirrors(), ref, said)),
    }),
  );
}

export const MIRROR_ROUTES = [
  look(
    {
      ...{ path: '/api/chores', id: 'listChores', about: 'The chores of the room.', group: 'mirrors' },
      ...{ told: 'The chores.', schema: choresAnswer },
    },
    async ({ room }) => {
      const { chores, invalid } = await room.runtime.chores.list();
      return { chores: chores.map(choreJson), invalid };
    },
  ),
  route({
    method: 'post',
    path: '/api/chores/:name/run',
    id: 'runChore',
    about: 'Asks for a run of a chore now.',
    group: 'mirrors',
    needs: 'person',
    params: z.strictObject({ name: text }),
    answers: {
      202: {
        about: 'It is asked for.',
        schema: choreAsked,
      },
    },
    run: async ({ room, caller }, { params }) => ({
      status: 202,
      body: await room.runtime.chores.run(params.name, caller.actor),
    }),
  }),
  route({
    method: 'get',
    path: '/api/mirrors',
    id: 'listMirrors',
    about: 'Which task is which issue, and how the two stand.',
    group: 'mirrors',
    needs: 'look',
    query: z.strictObject({ chore: text.optional(), state: listOf(MIRROR_STATES).optional() }),
    answers: { 200: { about: 'The mirrors.', schema: z.strictObject({ mirrors: z.array(mirrorAnswer) }) } },
    async run({ room }, { query }) {
      const shown = (await room.runtime.mirrors()).list().filter(mirrorFilter(query));
      return { body: { mirrors: shown.map(mirrorJson) } };
    },
  }),
  taskVerb(
    'settle',
    {
      ...{ id: 'settleConflict', group: 'mirrors', needs: 'person', body: settleAsked },
      about:
        'Settles a conflict of a mirrored task: keeps what stands, takes the text that lost, or a text of your own. The field goes upstream as every local change does. The same again changes nothing.',
      answers: {
        200: { about: 'The conflict, settled.', schema: settlementAnswer },
        409: {
          about:
            'Either text is another by now: `current` is the conflict as it stands, null when it was settled otherwise.',
        },
      },
    },
    settle,
  ),
  pairing(
    'link',
    'Makes a task the mirror of an issue that is there already.',
    z.strictObject({ url: text, chore: text.optional() }),
    (mirrors, ref, { url, chore }) => mirrors.link(ref, url, chore),
  ),
  pairing('unlink', 'Ends a mirror; both sides stay as they are.', z.strictObject({}), (mirrors, ref) =>
    mirrors.unlink(ref),
  ),
  pairing(
    'publish',
    'Makes an issue of a task.',
    z.strictObject({ chore: text }),
    (mirrors, ref, { chore }) => mirrors.publish(ref, chore),
  ),
  route({
    method: 'post',
    path: '/api/sync',
    id: 'sync',
    about: 'Syncs mirrors with their trackers now, and answers when that is done.',
    group: 'mirrors',
    needs: 'person',
    body: syncAsked,
    answers: {
      200: {
        about: 'A report of each source.',
        schema: z.strictObject({ reports: z.array(syncReportAnswer) }),
      },
    },
    run: async (on, { body }) => ({ body: { reports: snakeKeys(await syncAll(on, body)) } }),
  }),
];

/** A refusal shows the conflict as it stands now. */
async function settle(
  { room }: Exchange,
  ref: string,
  { text: own, ...wish }: z.infer<typeof settleAsked>,
): Promise<Answer> {
  const mirrors = await room.runtime.mirrors();
  try {
    const settled = await mirrors.settle(ref, own === undefined ? wish : { ...wish, text: own });
    return { body: conflictJson(settled) };
  } catch (error) {
    if (!isRoomError(error, 'conflict')) throw error;
    const current = mirrors.list().flatMap(({ conflicts }) => conflicts);
    const now = current.find(({ id }) => id === wish.conflict);
    throw new HttpFault(409, error, { more: { current: now === undefined ? null : conflictJson(now) } });
  }
}

/** One after the other; one that fails does not stop the others. */
async function syncAll(
  { room, signal }: Exchange,
  { chore, direction = 'both', full, dry_run, force }: z.infer<typeof syncAsked>,
): Promise<SyncReport[]> {
  const mirrors = await room.runtime.mirrors();
  const names = chore === undefined ? mirrors.sources() : [chore];
  if (names.length === 0) throw new RoomError('not_found', 'no chore of this room has a mirror');
  const gone = AbortSignal.any([signal, room.closing]);
  const options = {
    pull: direction !== 'push',
    push: direction !== 'pull',
    full: full === true,
    dryRun: dry_run === true,
    force: force === true,
    asked: true,
    wait: true,
  };
  const reports: SyncReport[] = [];
  for (const name of names) if (!gone.aborted) reports.push(await mirrors.syncChore(name, options, gone));
  return reports;
}
