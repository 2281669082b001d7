// What must be true of a room after a storm and a quiet end. Each broken promise is one line.
import { type E2eRoom, processesOf } from '../e2e/room.ts';
import type { StormEnd } from './storm.ts';

type ListedTask = { id: string; name: string; path: string; status: string; paused: boolean };

interface TurnRow {
  id: string;
  thread: string;
  state: string;
  reason: string;
  reasons: string;
  revision: string;
  exit_code: number | null;
  started_at: number;
}

/** Everything that is not as it must be; empty when all is well. */
export async function judge(room: E2eRoom, end: StormEnd): Promise<string[]> {
  const { tasks, invalid } = (await room.json('list', '--all')) as {
    tasks: ListedTask[];
    invalid: unknown[];
  };
  const turns = room.sql('SELECT * FROM turns ORDER BY started_at') as unknown as TurnRow[];
  return [
    ...invalid.map((file) => `torn: ${JSON.stringify(file)}`),
    ...judgeTasks(room, tasks, end),
    ...judgeTyping(room, end),
    ...judgeTurns(room, turns),
    ...judgeRepeats(turns),
    ...(await judgeHistory(room, tasks)),
    ...processesOf(room.dir).map((pid) => `a process is left: ${pid}`),
  ];
}

function judgeTasks(room: E2eRoom, tasks: readonly ListedTask[], { failing }: StormEnd): string[] {
  return tasks.flatMap((task) => {
    if (!failing.has(task.name)) return task.status === 'done' ? [] : [`not done: ${JSON.stringify(task)}`];
    const reasons = room.read(task.path).match(/Paused: gave up after 2 failed attempts/g)?.length ?? 0;
    return task.paused && reasons >= 1 ? [] : [`not paused with its reason: ${JSON.stringify(task)}`];
  });
}

function judgeTyping(room: E2eRoom, { typed }: StormEnd): string[] {
  return typed.flatMap(({ file, line }) => {
    const times = room
      .read(`tasks/${file}`)
      .split('\n')
      .filter((one) => one === line).length;
    return times === 1 ? [] : [`${file}: ${JSON.stringify(line)} stands there ${times} times`];
  });
}

/** Every turn started once at most; one that marked its end is recorded with just that end. */
function judgeTurns(room: E2eRoom, turns: readonly TurnRow[]): string[] {
  const problems = turns.filter(({ state }) => state === 'running').map(({ id }) => `still running: ${id}`);
  const byId = new Map(turns.map((turn) => [turn.id, turn]));
  const starts = new Map<string, number>();
  for (const line of room.agentLog()) {
    const [mark, id = '', code] = line.split(' ');
    if (mark === 'start') starts.set(id, (starts.get(id) ?? 0) + 1);
    const turn = byId.get(id);
    if (turn === undefined) problems.push(`not on record: ${line}`);
    else if (mark === 'end' && turn.exit_code !== Number(code))
      problems.push(`${line}, but on record is ${turn.state} (${turn.reason}, exit code ${turn.exit_code})`);
  }
  for (const [id, times] of starts) if (times !== 1) problems.push(`${id} was started ${times} times`);
  return problems;
}

/** What a turn completed is not run again, unless it was edited: then its revision is another. */
function judgeRepeats(turns: readonly TurnRow[]): string[] {
  const consumed = new Map<string, TurnRow>();
  return turns.flatMap((turn) => {
    const before = consumed.get(`${turn.thread} ${turn.revision}`);
    if (turn.state === 'completed') consumed.set(`${turn.thread} ${turn.revision}`, turn);
    return before ? [`${turn.id} (${turn.reasons}) ran again what ${before.id} had completed`] : [];
  });
}

async function judgeHistory(room: E2eRoom, tasks: readonly ListedTask[]): Promise<string[]> {
  const { history } = (await room.json('history', '--limit', '100000')) as { history: { id: string }[] };
  const lines = new Map<string, number>();
  for (const { id } of history) lines.set(id, (lines.get(id) ?? 0) + 1);
  return tasks
    .filter((task) => (lines.get(task.id) ?? 0) !== (task.status === 'done' ? 1 : 0))
    .map((task) => `${task.name} (${task.status}) has ${lines.get(task.id) ?? 0} lines in the history`);
}
