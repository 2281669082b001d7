// The finished tasks that history.jsonl tells of; and how much was done, counted from what files, history and ledger say: nothing is kept for it.
import { RoomError } from '../../core/errors.ts';
import { NO_WORK } from '../../core/rules/turn.ts';
import { type FilteredTask, wordsNotInHead } from '../../core/task/filter.ts';
import { isFinished, STATUSES, type Status } from '../../core/task/status.ts';
import { weekIn } from '../../core/time/day.ts';
import { readSince } from '../../core/time/durations.ts';
import { type HistoryLine, readHistory } from '../../store/files/history.ts';
import type { SyncDay } from '../../store/ledger/mirrors/sources.ts';
import type { CountedTurn } from '../../store/ledger/turns/turns.ts';
import { onDisk } from '../../store/room.ts';
import { chooseTask, takeSnapshot } from '../observe/snapshot.ts';
import { idOfRef, namesOfWord } from '../references.ts';
import type { Stats, SyncCounts, TaskCounts, TurnCounts } from '../shapes/room.ts';
import type { ListFilter } from '../shapes/task.ts';
import type { RoomHandle } from '../task-room.ts';

const DEFAULT_LIMIT = 20;

type HistoryWish = Omit<ListFilter, 'ready' | 'sort'> & { limit?: number; ref?: string; since?: string };

/** The newest lines that fit, 20 without a limit. @throws RoomError `not_found`, `ambiguous`, `bad_input`, `io` */
export async function readTaskHistory(
  deps: RoomHandle,
  { limit = DEFAULT_LIMIT, ref, since, ...filter }: HistoryWish,
): Promise<HistoryLine[]> {
  if (!(limit > 0))
    throw new RoomError('bad_input', `${limit} is no number of lines`, 'give a positive number');
  const fits = await fitsOf(deps, filter, since);
  if (ref === undefined) return readLines(deps, limit, fits);
  const clean = idOfRef(ref);
  const names = namesOfWord(ref);
  const exact = readLines(deps, limit, (line) => line.id === clean && fits(line));
  if (exact.length > 0) return exact;
  try {
    const { id } = await chooseTask(deps, ref);
    return id === null ? [] : readLines(deps, limit, (line) => line.id === id && fits(line));
  } catch (error) {
    if (!(error instanceof RoomError) || error.code !== 'not_found') throw error;
    const named = readLines(deps, limit, (line) => names.includes(line.name) && fits(line));
    if (named.length > 0) return named;
    throw error;
  }
}

async function fitsOf(deps: RoomHandle, filter: ListFilter, since: string | undefined) {
  const { words, fits } = await (await import('./list.ts')).readFilter(deps, filter, null);
  const sinceMs = since === undefined ? 0 : readSince(since, deps.effects.now());
  return (line: HistoryLine): boolean => {
    const { id, name, status, task, text } = line;
    const facts = { labels: [], ...task, id, name, status, running: null, blocked: false };
    const row = facts as unknown as FilteredTask;
    if (Date.parse(line.archived_at) < sinceMs || !fits(row)) return false;
    const rest = wordsNotInHead(row, words);
    return rest.length === 0 || rest.every((word) => text.toLowerCase().includes(word));
  };
}

/** The newest lines that are wanted. @throws RoomError `io` */
const readLines = ({ room }: RoomHandle, limit: number, wanted?: (line: HistoryLine) => boolean) =>
  onDisk(room.historyPath, () => readHistory(room.historyPath, limit, wanted), 'read');

const DEFAULT_WEEKS = 8;
const MOST_WEEKS = 520;
const WEEK_MS = 7 * 86_400_000;

export async function readStats(deps: RoomHandle, options: { weeks?: number } = {}): Promise<Stats> {
  const { weeks = DEFAULT_WEEKS } = options;
  const hint = `give a number from 1 to ${MOST_WEEKS}`;
  if (!(weeks >= 1 && weeks <= MOST_WEEKS))
    throw new RoomError('bad_input', `${weeks} is no number of weeks`, hint);
  const { ledger, effects, config } = deps;
  const { tasks } = await takeSnapshot(deps);
  const { timezone, defaultAgent } = config();
  const now = effects.now();
  const tally = createTally(defaultAgent, weekIn(timezone), now, weeks);
  for (const { status, owner, sprint } of tasks) tally.task(status, owner, sprint);
  const here = new Set(tasks.map(({ id }) => id as string | null));
  // However long the history is, one line of it is held at a time.
  readLines(deps, 1, (line) => {
    tally.finish(line, here);
    return false;
  });
  // Turns of the days before the first Monday belong to no week that is shown.
  for (const turn of ledger.spending.each(now - weeks * WEEK_MS)) tally.turn(turn, now);
  for (const day of ledger.syncDays.since(now - weeks * WEEK_MS)) tally.sync(day);
  return tally.stats();
}

function createTally(defaultAgent: string, weekOf: ReturnType<typeof weekIn>, now: number, count: number) {
  const status = Object.fromEntries(STATUSES.map((each) => [each, 0])) as Record<Status, number>;
  const agents = new Map<string, { tasks: TaskCounts; turns: TurnCounts }>();
  const sprints = new Map<string | null, TaskCounts>();
  const weeks = emptyWeeks(weekOf, now, count);
  const archived = new Set<string>();

  const agentOf = (name: string) => {
    const known = agents.get(name) ?? { tasks: noTasks(), turns: noTurns() };
    agents.set(name, known);
    return known;
  };
  const addTask = (of: Status, owner: string | null, sprint: string | null): void => {
    const group = isFinished(of) ? (of as 'done' | 'canceled') : 'open';
    const inSprint = sprints.get(sprint) ?? noTasks();
    sprints.set(sprint, inSprint);
    inSprint[group] += 1;
    agentOf(owner ?? defaultAgent).tasks[group] += 1;
  };

  return {
    task(of: Status, owner: string | null, sprint: string | null) {
      status[of] += 1;
      addTask(of, owner, sprint);
    },
    /** @param here ids of the tasks that are counted by their files */
    finish({ id, archived_at, status: ended, task }: HistoryLine, here: ReadonlySet<string | null>) {
      const of = ended === 'canceled' ? 'canceled' : 'done';
      const week = weeks.get(weekOf(Date.parse(archived_at)).name);
      if (week !== undefined) week[of] += 1;
      // The newest line of a task is the one that counts.
      if (here.has(id) || archived.has(id)) return;
      archived.add(id);
      addTask(of, textOf(task.owner), textOf(task.sprint));
    },
    turn(turn: CountedTurn, nowMs: number) {
      const week = weeks.get(weekOf(turn.startedAt).name);
      if (week === undefined) return;
      addTurn(week.turns, turn, nowMs);
      addTurn(agentOf(turn.agent).turns, turn, nowMs);
    },
    sync({ day, syncs, failed, requests }: SyncDay) {
      const week = weeks.get(weekOf(day).name);
      if (week === undefined) return;
      week.sync.syncs += syncs;
      week.sync.failed += failed;
      week.sync.requests += requests;
    },
    stats: (): Stats => ({
      status,
      archived: archived.size,
      agents: [...agents].map(([agent, rest]) => ({ agent, ...rest })).sort(byName(({ agent }) => agent)),
      sprints: [...sprints]
        .map(([sprint, tasks]) => ({ sprint, tasks }))
        .sort(byName(({ sprint }) => sprint)),
      weeks: [...weeks.values()],
    }),
  };
}

function emptyWeeks(weekOf: ReturnType<typeof weekIn>, now: number, count: number) {
  const weeks = new Map<string, Stats['weeks'][number]>();
  for (let back = count - 1; back >= 0; back -= 1) {
    const { name, from } = weekOf(now - back * WEEK_MS);
    weeks.set(name, { week: name, from, done: 0, canceled: 0, turns: noTurns(), sync: noSyncs() });
  }
  return weeks;
}

const noTasks = (): TaskCounts => ({ open: 0, done: 0, canceled: 0 });
const noSyncs = (): SyncCounts => ({ syncs: 0, failed: 0, requests: 0 });
const noTurns = (): TurnCounts => ({
  ...{ turns: 0, failed: 0, ms: 0 },
  ...{ input_tokens: 0, output_tokens: 0, cost_usd: 0 },
});

function addTurn(to: TurnCounts, turn: CountedTurn, now: number): void {
  // As budgets count; and how long an interrupted one ran nobody knows.
  if (!NO_WORK.has(turn.reason ?? '')) to.turns += 1;
  if (turn.reason !== 'interrupted') to.ms += Math.max(0, (turn.endedAt ?? now) - turn.startedAt);
  if (turn.state === 'failed') to.failed += 1;
  to.input_tokens += turn.inputTokens;
  to.output_tokens += turn.outputTokens;
  to.cost_usd += turn.costUsd;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

function byName<T>(nameOf: (item: T) => string | null) {
  return (a: T, b: T): number => {
    const [one, other] = [nameOf(a), nameOf(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return one < other ? -1 : Number(one > other);
  };
}
