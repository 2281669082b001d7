// The list of tasks as every face has it: those that fit, in order, page by page, and what was asked for beside them.
import { RoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import { createFilter, type FilterTerm, parseFilter, termOf } from '../../core/task/filter.ts';
import { rankOf } from '../../core/task/listed-task.ts';
import { artifactNameOf } from '../../core/task/names.ts';
import { isFinished, STATUSES } from '../../core/task/status.ts';
import { FILTER_KEYS, type FilterKey, type FilterName, factsOf } from '../../core/task/task-keys.ts';
import { dueMoment, noDate, parseDate } from '../../core/time/durations.ts';
import { type AgentProblemOf, readAgentProblems } from '../obstacles.ts';
import { namesOfTask, saidStatus } from '../references.ts';
import type { ListFilter, ListInput, SortKey, TaskList, TaskRow } from '../shapes/task.ts';
import { MOST_IDS } from '../shapes/task.ts';
import { type Actor, type RoomHandle, titleOfAgent } from '../task-room.ts';
import { turnsOn } from '../turns/turn-views.ts';
import { lookAtRoom } from './room-index.ts';
import { readObstacles } from './why-not.ts';

const ACTIVE = STATUSES.filter((status) => !isFinished(status));

/** @throws RoomError `room_gone`, `io`, `bad_input`, `not_allowed` */
export async function listPage(deps: RoomHandle, input: ListInput, actor: Actor): Promise<TaskList> {
  const { all, ids, since, agents, turns, limit, offset = 0, ...filter } = input;
  assertAlone(input);
  if (since !== undefined) return listChanges(deps, since, await readBeside(deps, input, actor));
  const hasStatus = filter.status ?? parseFilter(filter.text ?? '').terms.find(({ key }) => key === 'status');
  const active = all || ids !== undefined || hasStatus !== undefined ? {} : { status: ACTIVE };
  const { tasks, notes, invalid, odd, problemOf } = await findTasks(deps, { ...filter, ...active });
  const wanted = ids === undefined ? null : new Set<string | null>(ids);
  const fitting = wanted === null ? tasks : tasks.filter(({ id }) => wanted.has(id));
  // A circle of tasks that wait for each other is seen by all that wait.
  const near = wanted === null ? tasks : tasks.filter(({ id, blocked }) => blocked || wanted.has(id));
  const end = limit === undefined ? fitting.length : offset + limit;
  return {
    tasks: withObstacles(deps, fitting.slice(offset, end), near, problemOf),
    ...(await readBeside(deps, input, actor)),
    ...(wanted === null ? { invalid, odd } : { invalid: [], odd: [] }),
    ...(notes.length > 0 && { notes }),
    total: fitting.length,
    next_offset: end < fitting.length ? end : null,
  };
}

async function listChanges(deps: RoomHandle, since: string, beside: Partial<TaskList>): Promise<TaskList> {
  const index = await lookAtRoom(deps);
  const { files, rows } = index;
  const { rows: changed, order, version } = index.since(since);
  const problemOf = await readAgentProblems(deps);
  return {
    tasks: withObstacles(deps, changed, rows, problemOf),
    ...{ ...beside, invalid: files.invalid(), odd: files.odd() },
    ...statusesOf(deps),
    ...{ total: rows.length, next_offset: null, version, ...(order !== null && { order }) },
  };
}

type Rows = readonly TaskRow[];

/** @param near the tasks among which they may wait for each other */
function withObstacles(deps: RoomHandle, tasks: Rows, near: Rows, problemOf: AgentProblemOf): TaskRow[] {
  const whyNot = readObstacles(deps, near, problemOf);
  return tasks.map((task) => {
    const why = whyNot.get(task.path);
    return why === undefined ? task : { ...task, why_not: why };
  });
}

/** @throws RoomError `not_found` for a scope that no task names and nobody made */
export async function listScope(deps: RoomHandle, input: ListInput, actor: Actor): Promise<TaskList> {
  const list = await listPage(deps, { ...input, all: true }, actor);
  if (list.total > 0) return list;
  const { listScopes } = await import('../change/scopes.ts');
  if ((await listScopes(deps)).some(({ name }) => name === input.scope)) return list;
  const hint = 'see: taskroom scope list';
  throw new RoomError('not_found', `there is no scope ${JSON.stringify(input.scope)}`, hint);
}

/** @throws RoomError `bad_input` for too many single tasks, and for a filter beside them */
function assertAlone({ ids, since, agents, turns, all, ...filter }: ListInput): void {
  if (ids !== undefined && ids.length > MOST_IDS)
    throw new RoomError('bad_input', `ids: ${ids.length} tasks, ${MOST_IDS} at most`);
  const alone = ids !== undefined ? 'ids' : since !== undefined ? 'since' : null;
  const hasBoth = ids !== undefined && since !== undefined;
  if (alone !== null && (hasBoth || Object.keys(filter).length > 0))
    throw new RoomError('bad_input', `${alone} stands for itself: no other filter beside it`);
}

function statusesOf({ config }: RoomHandle): Pick<TaskList, 'statuses'> {
  const { statuses } = config();
  return Object.keys(statuses).length === 0 ? {} : { statuses };
}

async function readBeside(deps: RoomHandle, { agents, turns }: ListInput, actor: Actor) {
  if (!agents && !turns) return {};
  const hint = 'list the tasks without them';
  if (actor.kind === 'agent')
    throw new RoomError('not_allowed', `${titleOfAgent(actor)} may not list the agents of the room`, hint);
  const running = turnsOn(deps, null, { state: 'running', limit: 1000 });
  const inFlight = new Set(running.flatMap(({ task }) => task ?? []));
  return {
    ...(agents && { agents: (await import('./agents.ts')).agentsOf(deps), in_flight: [...inFlight] }),
    ...(agents && statusesOf(deps)),
    ...(turns && { turns: running }),
  };
}

/** @param pace waited for between the steps that take their time. @throws RoomError `room_gone`, `io`, `bad_input` for a `due` that is no date */
export async function findTasks(deps: RoomHandle, filter: ListFilter = {}, pace = async () => {}) {
  const { rows, files } = await lookAtRoom(deps);
  await pace();
  const problemOf = await readAgentProblems(deps);
  const { text = '', sort } = filter;
  const { words, fits, notes } = await readFilter(deps, filter, rows);
  const isReadyNow = filter.ready ? isReady(deps.effects.now(), problemOf) : null;
  // Loaded where a text is searched: it brings the parsers, and most lists need none.
  const said =
    text.trim() === ''
      ? rows.filter(fits)
      : await (await import('./text-search.ts')).searchText(deps, rows, { words, fits });
  await pace();
  const fitting = isReadyNow === null ? said : said.filter(isReadyNow);
  const tasks = sort === undefined ? fitting : sortedBy(sort, fitting);
  return { tasks, notes, invalid: files.invalid(), odd: files.odd(), problemOf };
}

const PLACES: Readonly<Record<Exclude<SortKey, 'name'>, (row: TaskRow) => number>> = {
  due: (row) => dueMoment(row.due) ?? Number.POSITIVE_INFINITY,
  priority: rankOf,
  status: ({ status }) => STATUSES.indexOf(status),
  // The newest first, those that don't say it last.
  created: ({ created }) => -(Date.parse(created ?? '') || Number.NEGATIVE_INFINITY),
  // The newest first, open ones last.
  finished: ({ finished_at: at }) => (at === null ? Number.POSITIVE_INFINITY : -Date.parse(at)),
};

/** Tasks that are alike keep the order they came in. */
function sortedBy(key: SortKey, rows: readonly TaskRow[]): TaskRow[] {
  if (key === 'name') return rows.toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  const placed = rows.map((row) => ({ row, place: PLACES[key](row) }));
  return placed.toSorted((a, b) => (a.place === b.place ? 0 : a.place - b.place)).map(({ row }) => row);
}

/** What the words and the options ask for. @param rows null where the beginning of a value is enough */
export async function readFilter(
  deps: RoomHandle,
  filter: Pick<ListFilter, FilterName<FilterKey> | 'text'>,
  rows: readonly TaskRow[] | null,
) {
  const { words, terms, oddKeys } = parseFilter(filter.text ?? '');
  const given = FILTER_KEYS.flatMap((key) => {
    const wanted = filter[factsOf(key).filter!.as as 'status'];
    return wanted === undefined
      ? []
      : termOf(key, key === 'artifact' ? artifactNameOf(String(wanted)) : wanted);
  });
  for (const word of filter.status ?? []) saidStatus(deps, word);
  const { effects, agents, config } = deps;
  const asked: FilterTerm[] = [];
  for (const term of [...given, ...terms]) asked.push(await withNames(deps, term));
  const made = createFilter(
    { terms: asked, oddKeys },
    {
      ...{ nowMs: effects.now(), ...(rows !== null && { tasks: rows }) },
      agents: () => [...agents().keys()],
      defaultAgent: () => config().defaultAgent,
      statuses: () => config().statuses,
    },
  );
  return { words, ...made };
}

/** The values of a reference are all words that files may have for it. @throws RoomError `bad_input` for no date, and as `chooseTask` */
async function withNames(deps: RoomHandle, term: FilterTerm): Promise<FilterTerm> {
  const { kind } = factsOf(term.key);
  const nowMs = deps.effects.now();
  const odd =
    kind === 'date' && term.exact ? term.values.find((value) => parseDate(value, nowMs) === null) : undefined;
  if (odd !== undefined) throw noDate(term.key, odd);
  if (kind !== 'task') return term;
  const { chooseTask } = await import('../observe/snapshot.ts');
  const parents = await Promise.all(term.values.map((word) => chooseTask(deps, word)));
  // The words by which subtasks may name their parent.
  const names = parents.map(({ id, name }) => namesOfTask(deps.ledger, id as TaskId | null, name));
  return { ...term, values: names.flat() };
}

function isReady(now: number, problemOf: AgentProblemOf) {
  return (row: TaskRow): boolean => {
    if (row.running !== null) return true;
    const { status, paused, blocked, waiting, held, parked_until, retry_at, owner, id } = row;
    const isOpen = (status === 'todo' || status === 'doing') && !(paused || blocked || waiting || held);
    const mayTry = retry_at === null || Date.parse(retry_at) <= now;
    return isOpen && parked_until === null && mayTry && problemOf(owner, id) === null;
  };
}
