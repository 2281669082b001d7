// The list as every face has it: the tasks that fit, page by page, and what was asked for beside them.
import { RoomError } from '../../../core/errors.ts';
import { rowOf } from '../../../core/task/listed-line.ts';
import { isFinished, STATUSES } from '../../../core/task/status.ts';
import type { RoomHandle } from '../../room-handle.ts';
import { type ListInput, MOST_IDS, type TaskList } from '../../shapes/list.ts';
import { type Actor, titleOfAgent } from '../../task-room.ts';
import { readObstacles } from '../obstacles.ts';
import { turnJson, turnsOn } from '../turn-views.ts';
import { findTasks } from './list-tasks.ts';

const ACTIVE = STATUSES.filter((status) => !isFinished(status));

/** @throws RoomError `room_gone`, `io`, `bad_input`, `not_allowed` */
export async function listPage(handle: RoomHandle, input: ListInput, actor: Actor): Promise<TaskList> {
  const { all, ids, agents, turns, limit, offset = 0, ...filter } = input;
  assertAlone(input);
  const active = all || ids !== undefined || filter.status !== undefined ? {} : { status: ACTIVE };
  const { tasks, invalid, odd, problemOf } = await findTasks(handle, { ...filter, ...active });
  const whyNot = readObstacles(handle, tasks, problemOf);
  const fitting = ids === undefined ? tasks : tasks.filter(({ id }) => id !== null && ids.includes(id));
  const end = limit === undefined ? fitting.length : offset + limit;
  const page = fitting.slice(offset, end).map((task) => ({
    ...rowOf(task, task, whyNot.get(task.path) ?? null),
    ...(task.archived && { archived: task.archived }),
  }));
  return {
    tasks: page,
    ...(await readBeside(handle, input, actor)),
    ...(ids === undefined ? { invalid, odd } : { invalid: [], odd: [] }),
    total: fitting.length,
    next_offset: end < fitting.length ? end : null,
  };
}

/** @throws RoomError `not_found` for a scope that no task names and nobody made */
export async function listScope(handle: RoomHandle, input: ListInput, actor: Actor): Promise<TaskList> {
  const list = await listPage(handle, { ...input, all: true }, actor);
  if (list.total > 0) return list;
  const { listScopes } = await import('../../scopes/scopes.ts');
  if ((await listScopes(handle)).some(({ name }) => name === input.scope)) return list;
  throw new RoomError('not_found', `there is no scope ${JSON.stringify(input.scope)}`, {
    hint: 'see: taskroom scope list',
  });
}

/** @throws RoomError `bad_input` for too many single tasks, and for a filter beside them */
export function assertAlone({ ids, agents, turns, all, ...filter }: ListInput): void {
  if (ids !== undefined && ids.length > MOST_IDS)
    throw new RoomError('bad_input', `ids: ${ids.length} tasks, ${MOST_IDS} at most`);
  if (ids !== undefined && Object.keys(filter).length > 0)
    throw new RoomError('bad_input', 'ids stands for itself: no other filter beside it');
}

/** What was asked for beside the tasks. */
export async function readBeside(
  handle: RoomHandle,
  { agents, turns }: ListInput,
  actor: Actor,
): Promise<Pick<TaskList, 'agents' | 'in_flight' | 'turns'>> {
  if (!agents && !turns) return {};
  if (actor.kind === 'agent')
    throw new RoomError('not_allowed', `${titleOfAgent(actor)} may not list the agents of the room`, {
      hint: 'list the tasks without them',
    });
  const running = turnsOn(handle.deps, null, { state: 'running', limit: 1000 }).map(turnJson);
  const inFlight = new Set(running.flatMap(({ task }) => task ?? []));
  return {
    ...(agents && {
      agents: (await import('../agents.ts')).agentsOf(handle.deps),
      in_flight: [...inFlight],
    }),
    ...(turns && { turns: running }),
  };
}
