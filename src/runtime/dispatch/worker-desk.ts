// What workers ask of the host: to be known, to be told of work, to claim a turn, and to report of it. Who asks is known by
// the token; what it may have, by the agents the token names; whether an attempt is its own, by the queue and the ledger.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import { BRIDGE_FILES } from '../../remote/wire.ts';
import type {
  ClaimedTurn,
  HostGreeting,
  InHand,
  ReportAnswer,
  WorkerHello,
  WorkerNews,
  WorkerReports,
  WorkerWait,
} from '../../remote/worker-wire.ts';
import type { WorkerRow, WorkersTable } from '../../store/ledger/turns/dispatched.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { ApiToken } from '../api-tokens.ts';
import { callerOf } from '../bridge/turn-bridges.ts';
import { type Applying, applyReport } from './apply-report.ts';
import type { Flight } from './flights.ts';
import type { Dispatching } from './remote-runner.ts';
import { sharedAgent } from './shared-agent.ts';
import { keepLate, setOutputAside } from './turn-files.ts';

export interface WorkerDesk {
  /** @throws RoomError `bad_input` */
  hello(token: ApiToken, hello: WorkerHello): Promise<HostGreeting>;
  /** Resolves when there is news, or after the time it was given. @throws RoomError `not_found` for a worker that did not say hello */
  wait(token: ApiToken, asked: WorkerWait, signal: AbortSignal): Promise<WorkerNews>;
  /** @throws RoomError `not_allowed`, `conflict`, `gone`, `unavailable` */
  claim(token: ApiToken, turn: string, asked: { worker: string; attempt: number }): Promise<ClaimedTurn>;
  /** @throws RoomError `not_allowed`, `conflict`, `gone`, `unavailable` */
  report(token: ApiToken, reports: WorkerReports): Promise<ReportAnswer[]>;
  /** The worker goes, and has nothing in hand any more. */
  bye(token: ApiToken, worker: string): void;
}

export interface DeskOptions extends Dispatching, Applying {
  workers: WorkersTable;
  roomId: string;
  /** Name of the variable that holds the queue's address. */
  variable: string;
  withheldEnv: readonly string[];
}

interface Desk extends DeskOptions {
  /** The agents each worker was told, to tell it when they are others. */
  told: Map<string, string>;
}

const MOST_WAIT_MS = 25_000;

export function createWorkerDesk(given: DeskOptions): WorkerDesk {
  const options: Desk = { ...given, told: new Map() };
  const { presence, workers } = options;
  return {
    hello: (token, hello) => greet(options, token, hello),
    async wait(token, { worker: id, free, running, waitMs }, signal) {
      const worker = knownWorker(options, token, id);
      presence.seen(worker);
      const stop = stopsFor(options, id, running);
      const changed = mayRun(options, token).join() !== options.told.get(id);
      if (stop.length > 0 || changed) return { work: false, stop, changed };
      const work = await presence.wait(worker, free, Math.min(waitMs, MOST_WAIT_MS), signal);
      return { work, stop: stopsFor(options, id, running), changed: false };
    },
    claim: (token, turn, asked) => claim(options, token, turn, asked),
    report: (token, reports) => report(options, token, reports),
    bye(token, id) {
      knownWorker(options, token, id);
      workers.remove(id);
      presence.left(id);
    },
  };
}

/** The agents a token is for, with their settings as they are now. */
function mayRun({ deps }: Desk, token: ApiToken): string[] {
  const agents = [...deps.agents().values()];
  const own = token.agents === null ? agents : agents.filter(({ id }) => token.agents!.includes(id));
  return own.map((agent) => JSON.stringify(agent));
}

async function greet(options: Desk, token: ApiToken, hello: WorkerHello): Promise<HostGreeting> {
  const { deps, queue, workers, presence, roomId, variable, withheldEnv } = options;
  const told = mayRun(options, token);
  const own = [...deps.agents().values()].filter(({ id }) => token.agents?.includes(id) ?? true);
  const names = own.map(({ id }) => id);
  await queue.prepare(names);
  const now = deps.effects.now();
  const row: WorkerRow = {
    ...{ id: hello.id, name: hello.name, version: hello.version, slots: hello.slots, token: token.id },
    agents: (hello.agents ?? []).filter((agent) => names.includes(agent)),
    startedAt: workers.get(hello.id)?.startedAt ?? now,
    seenAt: now,
  };
  assertOwn(workers.get(hello.id), token);
  workers.prune(now - FORGET_MS);
  workers.put(row);
  options.told.set(hello.id, told.join());
  presence.seen(row);
  return { room: roomId, queue: variable, agents: own.map((agent) => sharedAgent(agent, withheldEnv)) };
}

const FORGET_MS = 24 * 3600_000;

function assertOwn(known: WorkerRow | null, token: ApiToken): void {
  if (known !== null && known.token !== token.id)
    throw new RoomError('not_allowed', `worker ${known.name} came with another token`);
}

function knownWorker({ workers, told }: Desk, token: ApiToken, id: string): WorkerRow {
  const worker = workers.get(id);
  if (worker === null || !told.has(id))
    throw new RoomError('not_found', 'this worker is not known here', { hint: 'it says hello first' });
  assertOwn(worker, token);
  return worker;
}

/** Attempts that are not to go on. What this host has not taken up yet goes on. */
function stopsFor({ deps, table, flights }: Desk, worker: string, running: readonly InHand[]) {
  return running.flatMap(({ turn, attempt }) => {
    const row = table.get(turn);
    const isOver = deps.ledger.turns.get(turn)?.state !== 'running' || row?.ended != null;
    // One that it was handed and did not claim yet is not on record.
    const claimed = row?.attempt ?? -1;
    const isOthers = row === null || attempt < claimed || (attempt === claimed && row.worker !== worker);
    const stop = flights.get(turn)?.stop ?? null;
    if (isOver || isOthers) return [{ turn, attempt, reason: stop ?? ('interrupted' as const) }];
    return stop === null ? [] : [{ turn, attempt, reason: stop }];
  });
}

/** @throws RoomError `not_allowed` for a turn of an agent that is not the token's, `not_found`, `gone` */
function runningTurn({ deps, table }: Desk, token: ApiToken, id: string): TurnRecord {
  const turn = deps.ledger.turns.get(id);
  const row = table.get(id);
  if (turn === null || row === null) throw new RoomError('gone', 'there is no such turn');
  if (token.agents !== null && !token.agents.includes(turn.agent))
    throw new RoomError('not_allowed', `this token takes no turns of ${turn.agent}`);
  return turn;
}

function flightOf({ flights }: Desk, turn: TurnRecord): Flight {
  const flight = flights.get(turn.id);
  if (turn.state !== 'running' || flight?.stop != null)
    throw new RoomError('gone', `turn ${turn.id} is over`);
  if (flight === null) throw new RoomError('unavailable', `turn ${turn.id} is not taken up yet`);
  return flight;
}

async function claim(
  options: Desk,
  token: ApiToken,
  id: string,
  { worker, attempt }: { worker: string; attempt: number },
): Promise<ClaimedTurn> {
  const { deps, table, queue } = options;
  const { name } = knownWorker(options, token, worker);
  const turn = runningTurn(options, token, id);
  if (turn.state !== 'running' || table.get(id)!.ended !== null)
    throw new RoomError('gone', `turn ${id} is over`);
  const flight = flightOf(options, turn);
  return flight.line.add(async () => {
    const row = table.get(id)!;
    if (row.attempt === attempt && row.worker === worker) return describe(options, turn, flight, attempt);
    if (row.attempt !== null && attempt <= row.attempt)
      throw new RoomError('conflict', `attempt ${attempt} of turn ${id} is not the one at work`);
    // The queue says whose attempt it is; nobody's word counts here.
    const standing = await queue.find({ id: row.job, agent: turn.agent });
    if (standing?.state !== 'active' || standing.attempt !== attempt)
      throw new RoomError('conflict', `the queue knows of no attempt ${attempt} at turn ${id}`);
    if (row.attempt !== null) setOutputAside(flight.input.dir, row.attempt);
    await deps.ledger.together(() => table.claim(id, attempt, worker));
    deps.events.emit({ type: 'turn.claimed', turn: turn.id, ...aboutOf(flight), worker: name, attempt });
    return describe(options, turn, flight, attempt);
  });
}

function aboutOf({ input }: Flight) {
  return { id: (input.task?.id ?? null) as never, name: input.task?.name ?? input.chore?.name ?? '' };
}

function describe(
  { deps, withheldEnv }: Desk,
  turn: TurnRecord,
  { input }: Flight,
  attempt: number,
): ClaimedTurn {
  const { agent, context, dir, room, bridgeDir, session } = input;
  return {
    ...{ turn: turn.id, attempt, tries: turn.attempt, context, session },
    subject:
      input.task === undefined
        ? { kind: 'chore', chore: input.chore }
        : { kind: 'task', task: { id: input.task.id, name: input.task.name } },
    // One that was taken up has its prompt on disk alone.
    prompt: readFileSync(join(dir, 'prompt.md'), 'utf8'),
    agent: sharedAgent(agent, withheldEnv),
    caller: callerOf(deps, turn.id, input.task?.id ?? null),
    token: readFileSync(join(bridgeDir, BRIDGE_FILES.token), 'utf8').trim(),
    paths: { turn: dir, room, cwd: resolve(room, agent.cwd ?? '.') },
  };
}

async function report(options: Desk, token: ApiToken, reports: WorkerReports): Promise<ReportAnswer[]> {
  const { table, presence } = options;
  const worker = knownWorker(options, token, reports.worker);
  presence.seen(worker);
  const turn = runningTurn(options, token, reports.turn);
  const isLate = () => {
    const row = table.get(turn.id)!;
    return row.attempt !== reports.attempt || row.worker !== reports.worker;
  };
  if (isLate()) return refuseLate(options, turn, reports, worker);
  if (table.get(turn.id)!.ended !== null) return repeatOrRefuse(options, reports);
  const flight = flightIn(options, turn);
  return flight.line.add(async () =>
    isLate() ? refuseLate(options, turn, reports, worker) : applyAll(options, flight, reports),
  );
}

/** A turn that is told to stop still reports how it ended. */
function flightIn({ flights }: Desk, turn: TurnRecord): Flight {
  const flight = flights.get(turn.id);
  if (turn.state !== 'running') throw new RoomError('gone', `turn ${turn.id} is over`);
  if (flight === null) throw new RoomError('unavailable', `turn ${turn.id} is not taken up yet`);
  return flight;
}

function refuseLate({ deps }: Desk, turn: TurnRecord, reports: WorkerReports, worker: WorkerRow): never {
  const at = new Date(deps.effects.now()).toISOString();
  keepLate(join(deps.room.turnsDir, turn.id), { at, name: worker.name, ...reports });
  deps.events.emit({
    type: 'turn.late_report',
    turn: turn.id,
    worker: worker.name,
    attempt: reports.attempt,
  });
  throw new RoomError(
    'conflict',
    `attempt ${reports.attempt} of turn ${turn.id} is not this worker's any more: what it says is kept, and changes nothing`,
  );
}

/** What was applied before gets the answers it had. */
function repeatOrRefuse({ table }: Desk, { turn, first, reports }: WorkerReports): ReportAnswer[] {
  const { applied, answers } = table.get(turn)!;
  const last: ReportAnswer[] = JSON.parse(answers ?? '[]');
  if (first + reports.length === applied && last.length >= reports.length)
    return last.slice(last.length - reports.length);
  throw new RoomError('gone', `turn ${turn} is over`);
}

async function applyAll(
  options: Desk,
  flight: Flight,
  { turn, first, reports }: WorkerReports,
): Promise<ReportAnswer[]> {
  const { table, deps } = options;
  const { applied, answers: known } = table.get(turn)!;
  if (first > applied)
    throw new RoomError('bad_input', `reports go on at ${applied}, and these begin at ${first}`);
  const before: ReportAnswer[] = JSON.parse(known ?? '[]');
  const done = before.slice(Math.max(0, before.length - (applied - first)));
  if (applied - first > before.length)
    throw new RoomError('conflict', `reports before ${applied} were answered, and their answers are gone`);
  const answers = [...done.slice(0, reports.length)];
  const note = () => table.applied(turn, first + answers.length, JSON.stringify(answers));
  let noted = answers.length;
  for (const each of reports.slice(answers.length)) {
    const answer = await applyReport(options, flight, each);
    // What could not be done now is asked for again, from here on.
    if (answer.kind === 'failed' && PASSING.has(answer.error.code)) break;
    answers.push(answer);
    // What is told twice has the same effect: it is on record with what follows.
    if (each.kind !== 'request' && each.kind !== 'service' && each.kind !== 'end') continue;
    const { end = null } = each.kind === 'end' ? each : {};
    await deps.ledger.together(() => {
      if (end !== null) table.end(turn, JSON.stringify(end));
      note();
    });
    noted = answers.length;
    if (end !== null) flight.end(end);
  }
  if (noted < answers.length) await deps.ledger.together(note);
  return answers;
}

const PASSING = new Set(['unavailable', 'io', 'locked', 'room_gone']);
