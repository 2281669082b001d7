// Tasks in numbers: the list with filters and pages, figures, and what was finished.
import * as z from 'zod';
import { RoomError } from '../../../core/errors.ts';
import { spentJson } from '../../../core/rules/budget.ts';
import { PRIORITIES } from '../../../core/task/priority.ts';
import { isFinished, STATUSES } from '../../../core/task/status.ts';
import { type ListFilter, SORT_KEYS } from '../../../tasks/contract/operations.ts';
import { taskJson } from '../../shapes/json-shapes.ts';
import { statsAnswer, taskListAnswer } from '../answers/task-answers.ts';
import { listOf } from '../gate/input.ts';
import { type Answer, type Exchange, look, route } from '../gate/route.ts';
import type { HttpRoom } from '../room/http-room.ts';
import { isKnown } from '../room/kept-answers.ts';
import { agentsJson } from './agents-json.ts';

const MAX_PAGE = 10_000;
const MOST_IDS = 100;
const ACTIVE = STATUSES.filter((status) => !isFinished(status));

const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

export const listQuery = z.strictObject({
  status: listOf(STATUSES)
    .optional()
    .meta({ description: 'without it, and without `all`, those that are not finished' }),
  all: z.stringbool().optional().meta({ description: 'finished tasks, too' }),
  turns: z.stringbool().optional().meta({ description: 'the turns that run, too' }),
  priority: listOf(PRIORITIES).optional(),
  owner: z.string().optional(),
  label: z.string().optional(),
  sprint: z.string().optional(),
  artifact: z.string().optional().meta({ description: 'a plan: only tasks linked to it' }),
  scope: z.string().optional(),
  parent: z.string().optional().meta({ description: 'a reference: only its subtasks' }),
  text: z.string().optional().meta({ description: 'words that name, title or text hold' }),
  ids: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.string().min(1)).max(MOST_IDS))
    .optional()
    .meta({
      description: `only these, at most ${MOST_IDS} with commas between, in no order; one that is not there is left out. No other filter beside it`,
    }),
  ready: z.stringbool().optional().meta({ description: 'only tasks a turn could start on now' }),
  sort: z.enum(SORT_KEYS).optional(),
  limit: whole(1, MAX_PAGE).optional(),
  offset: whole(0, 1e9)
    .optional()
    .meta({ description: 'where a page begins: `next_offset` of the one before' }),
});

type ListQuery = z.infer<typeof listQuery>;

/** What is listed; with `needsScope` there has to be that scope. */
type Asked = ListQuery & { needsScope?: true };

export const TASK_LISTS = [
  route({
    method: 'get',
    path: '/api/tasks',
    id: 'listTasks',
    about:
      'Lists the active tasks, with the agents of the room and the ids of tasks that have a turn now. `all` lists what is finished, too; `turns` brings the turns that run.',
    group: 'tasks',
    needs: 'look',
    query: listQuery,
    headers: { 'if-none-match': 'answers 304 while nothing changed' },
    answers: { 200: { about: 'The tasks, in order.', schema: taskListAnswer }, 304: { about: 'As before.' } },
    run: (on, { query }) => answerList(on, query),
  }),
  look(
    {
      ...{ path: '/api/tasks/stats', id: 'taskStats', group: 'tasks' },
      about: 'How many tasks of each status there are, what waits, and what was used today.',
      ...{ told: 'The figures.', schema: statsAnswer },
    },
    async ({ room }) => {
      const { counts, invalid, pending, held, retries, today } = await room.runtime.tasks.overview();
      return {
        counts,
        total: Object.values(counts).reduce((sum, each) => sum + each, 0),
        invalid: invalid.length,
        pending: pending.length,
        held: held.length,
        retrying: retries.length,
        today: spentJson(today),
      };
    },
  ),
];

/** @throws RoomError `not_found` for a scope that has to be */
export async function answerList({ room, headers }: Exchange, query: Asked): Promise<Answer> {
  if (query.ids !== undefined) return { body: await writeSome(room, query, query.ids) };
  const question = JSON.stringify(query);
  const { body, etag } = await room.kept.get(question, room.version, async () => ({
    text: await writeList(room, query),
  }));
  const said = { etag, 'cache-control': 'no-cache' };
  return isKnown(headers, etag) ? { status: 304, body: null, headers: said } : { body, headers: said };
}

async function writeList(room: HttpRoom, query: Asked): Promise<string | (string | Uint8Array)[]> {
  const { tasks } = room.runtime;
  const { limit, offset = 0, needsScope = false, all: isWhole = false, turns, ...said } = query;
  const filter = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
  const hasAll = isWhole && limit === undefined && offset === 0 && Object.keys(filter).length === 0;
  const whole = hasAll ? await tasks.listAsJson() : null;
  if (whole !== null) {
    const { chunks, bytes = chunks, count, invalid, odd } = whole;
    const rest = await around(room, { invalid, odd, total: count, next_offset: null }, turns);
    return ['{"tasks":[', ...bytes, `],${rest}`];
  }
  if (!isWhole && query.status === undefined) filter.status = ACTIVE;
  const { tasks: all, whyNot, invalid, odd } = await tasks.list(filter as ListFilter);
  if (needsScope && all.length === 0) await assertScope(room, query.scope);
  const end = limit === undefined ? all.length : offset + limit;
  const page = all.slice(offset, end).map((task) => taskJson(task, whyNot?.get(task.path)));
  const next_offset = end < all.length ? end : null;
  return `{"tasks":${JSON.stringify(page)},${await around(room, { invalid, odd, total: all.length, next_offset }, turns)}`;
}

/** Single tasks: who knows which ones changed spares both sides the list. */
async function writeSome(room: HttpRoom, query: Asked, ids: readonly string[]): Promise<string> {
  if (Object.keys(query).some((key) => key !== 'ids' && query[key as keyof Asked] !== undefined))
    throw new RoomError('bad_input', 'ids stands for itself: no other filter beside it');
  const { tasks } = room.runtime;
  const some = await tasks.listAsJson(new Set(ids));
  if (some !== null) {
    const rest = await around(room, { invalid: [], odd: [], total: some.count, next_offset: null });
    return ['{"tasks":[', ...some.chunks, `],${rest}`].join('');
  }
  const { tasks: all, whyNot } = await tasks.list();
  const found = all.filter(({ id }) => id !== null && ids.includes(id));
  const rows = found.map((task) => taskJson(task, whyNot?.get(task.path)));
  const rest = await around(room, { invalid: [], odd: [], total: rows.length, next_offset: null });
  return `{"tasks":${JSON.stringify(rows)},${rest}`;
}

/** One that only files name is there as long as a file names it. */
async function assertScope({ runtime }: HttpRoom, scope: string | undefined): Promise<void> {
  const { scopes } = await runtime.tasks.call('listScopes', {}, runtime.caller);
  if (scopes.some(({ name }) => name === scope)) return;
  throw new RoomError('not_found', `there is no scope ${JSON.stringify(scope)}`, {
    hint: 'see: GET /api/scopes',
  });
}

/** What stands beside the tasks: the rest of the object. */
async function around(room: HttpRoom, more: object, withTurns = false): Promise<string> {
  const { tasks, caller } = room.runtime;
  const { turns: running } = await tasks.call('listTurns', { state: 'running', limit: 1000 }, caller);
  const inFlight = new Set(running.flatMap(({ task }) => task ?? []));
  const turns = withTurns ? { turns: running } : {};
  const said = { agents: agentsJson(room), in_flight: [...inFlight], ...turns, ...more };
  return JSON.stringify(said).slice(1);
}
