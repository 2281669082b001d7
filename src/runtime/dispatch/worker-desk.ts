// What workers ask of the host: to be known, to be told of work, to claim a turn, and to report of it. Who asks is known by
// the token; what it may have, by the agents the token names; whether an attempt is its own, by the queue and the ledger.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import type {
  BranchPiece,
  ClaimedTurn,
  HostGreeting,
  InHand,
  ReportAnswer,
  WorkerHello,
  WorkerNews,
  WorkerReports,
  WorkerWait,
} from '../../remote/worker-wire.ts';
import type { WorkerRow } from '../../store/ledger/turns/dispatched.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { ApiToken } from '../../tasks/tokens/api-tokens.ts';
import { callerOf } from '../bridge/turn-bridges.ts';
import { turnProgram } from '../turn-program.ts';
import { assertOwn, type Desk, type DeskOptions, flightOf, knownWorker, runningTurn } from './desk-access.ts';
import type { Flight } from './flights.ts';
import { report } from './reports.ts';
import { sharedAgent } from './shared-agent.ts';
import { setOutputAside } from './turn-files.ts';

export interface WorkerDesk {
  /** @throws RoomError `bad_input` */
  hello(token: ApiToken, hello: WorkerHello, hostVersion: string): Promise<HostGreeting>;
  /** Resolves when there is news, or after the time it was given. @throws RoomError `not_found` for a worker that did not say hello */
  wait(token: ApiToken, asked: WorkerWait, signal: AbortSignal): Promise<WorkerNews>;
  /** Claims one turn. @throws RoomError `not_allowed`, `conflict`, `gone`, `unavailable` */
  claim(token: ApiToken, turn: string, asked: { worker: string; attempt: number }): Promise<ClaimedTurn>;
  /** Takes reports of one turn. @throws RoomError `not_allowed`, `conflict`, `gone`, `unavailable` */
  report(token: ApiToken, reports: WorkerReports): Promise<ReportAnswer[]>;
  /**
   * Keeps a piece of a turn's branch beside it, whose attempt it may be. Resolves with the bytes that are here.
   * @throws RoomError `not_allowed`, `gone`, `refused`, `io`
   */
  keepBranch(token: ApiToken, turn: string, piece: BranchPiece): Promise<{ size: number }>;
  /** A piece of the branch that a turn goes on with. @throws RoomError as `report`, and `refused` */
  readBranch(
    token: ApiToken,
    turn: string,
    asked: Pick<BranchPiece, 'worker' | 'attempt' | 'offset'>,
  ): Promise<{ size: number; data: string }>;
  /** The worker goes, and has nothing in hand any more. */
  bye(token: ApiToken, worker: string): void;
}

const MOST_WAIT_MS = 25_000;

export function createWorkerDesk(given: DeskOptions): WorkerDesk {
  const options: Desk = { ...given, told: new Map(), strangers: new Map() };
  const { presence, workers } = options;
  return {
    hello: (token, hello, hostVersion) => greet(options, token, hello, hostVersion),
    async wait(token, { worker: id, free, running, waitMs, workspaces = [], trouble }, signal) {
      const stranger = options.strangers.get(id);
      setTrouble(options, knownWorker(options, token, id), stranger ?? trouble ?? null);
      const worker = knownWorker(options, token, id);
      presence.seen(worker);
      const stop = stopsFor(options, id, running);
      const told = stranger === undefined ? {} : { trouble: stranger };
      const changed = mayRun(options, token).join() !== options.told.get(id);
      if (stop.length > 0 || changed) return { work: false, stop, changed, ...told };
      const offered = worker.trouble === null ? free : 0;
      const work = await presence.wait(worker, offered, Math.min(waitMs, MOST_WAIT_MS), signal);
      const { tasks } = options.deps.ledger;
      const over = workspaces.filter((task) => tasks.get(task)?.archived != null);
      return { work, stop: stopsFor(options, id, running), changed: false, over, ...told };
    },
    claim: (token, turn, asked) => claim(options, token, turn, asked),
    report: (token, reports) => report(options, token, reports),
    async keepBranch(token, turn, piece) {
      knownWorker(options, token, piece.worker);
      runningTurn(options, token, turn);
      if (piece.attempt > (options.table.get(turn)!.attempt ?? -1))
        throw new RoomError('conflict', `there is no attempt ${piece.attempt} of turn ${turn}`);
      return { size: options.branches.keep(join(options.deps.room.turnsDir, turn), piece) };
    },
    readBranch: (token, turn, asked) => readBranch(options, token, turn, asked),
    bye(token, id) {
      setTrouble(options, knownWorker(options, token, id), null);
      options.strangers.delete(id);
      workers.delete(id);
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

async function greet(
  options: Desk,
  token: ApiToken,
  hello: WorkerHello,
  hostVersion: string,
): Promise<HostGreeting> {
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
    ...{ seenAt: now, goneAt: null, trouble: null },
  };
  const before = workers.get(hello.id);
  assertOwn(before, token);
  if (before !== null) setTrouble(options, before, null);
  workers.prune(now - FORGET_MS);
  workers.put(row);
  options.told.set(hello.id, told.join());
  options.strangers.delete(hello.id);
  if (hello.version !== hostVersion) {
    const why = `it is version ${hello.version}, and the room's host ${hostVersion}: install the host's there, and start it again`;
    options.strangers.set(hello.id, why);
    setTrouble(options, row, why);
  }
  presence.seen(workers.get(hello.id)!);
  return { room: roomId, queue: variable, agents: own.map((agent) => sharedAgent(agent, withheldEnv)) };
}

/** Told once; what was offered to one that can't take it is offered to the others. */
function setTrouble(options: Desk, worker: WorkerRow, trouble: string | null): void {
  const { deps, workers, table, presence, onWorkerTrouble } = options;
  if (worker.trouble === trouble) return;
  workers.update(worker.id, { trouble });
  onWorkerTrouble(worker.name, trouble);
  if (trouble === null) return;
  for (const { turn, worker: holder } of table.out()) {
    const agent = holder === null ? deps.ledger.turns.get(turn)?.agent : undefined;
    if (agent !== undefined) presence.announce(agent);
  }
}

const FORGET_MS = 24 * 3600_000;

function stopsFor({ deps, table, flights }: Desk, worker: string, running: readonly InHand[]) {
  return running.flatMap(({ turn, attempt }) => {
    const flight = flights.get(turn);
    const { holder = null } = flight ?? {};
    // As the ledger says it, for one that goes on: this is asked of all that run, again and again.
    if (flight?.stop === null && holder?.worker === worker && holder.attempt === attempt) return [];
    const row = table.get(turn);
    const isOver = deps.ledger.turns.get(turn)?.state !== 'running' || row?.ended != null;
    // One that it was handed and did not claim yet is not on record.
    const claimed = row?.attempt ?? -1;
    const isOthers = row === null || attempt < claimed || (attempt === claimed && row.worker !== worker);
    const stop = flight?.stop ?? null;
    if (isOver || isOthers) return [{ turn, attempt, reason: stop ?? ('interrupted' as const) }];
    return stop === null ? [] : [{ turn, attempt, reason: stop }];
  });
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
    if (row.attempt === attempt && row.worker === worker)
      return describe(options, turn, flight, { attempt, worker });
    if (row.attempt !== null && attempt <= row.attempt)
      throw new RoomError('conflict', `attempt ${attempt} of turn ${id} is not the one at work`);
    // The queue says whose attempt it is; nobody's word counts here.
    const standing = await queue.find({ id: row.job, agent: turn.agent });
    if (standing?.state !== 'active' || standing.attempt !== attempt)
      throw new RoomError('conflict', `the queue knows of no attempt ${attempt} at turn ${id}`);
    if (row.attempt !== null) setOutputAside(flight.input.dir, row.attempt);
    const answer = describe(options, turn, flight, { attempt, worker });
    flight.holder = null;
    await Promise.all([answer, deps.ledger.together(() => table.claim(id, attempt, worker))]);
    flight.holder = { attempt, worker };
    deps.events.emit({ type: 'turn.claimed', turn: turn.id, ...aboutOf(flight), worker: name, attempt });
    return answer;
  });
}

async function readBranch(
  options: Desk,
  token: ApiToken,
  id: string,
  { worker, attempt, offset }: Pick<BranchPiece, 'worker' | 'attempt' | 'offset'>,
) {
  knownWorker(options, token, worker);
  const flight = flightOf(options, runningTurn(options, token, id));
  const row = options.table.get(id)!;
  if (row.attempt !== attempt || row.worker !== worker)
    throw new RoomError('conflict', `attempt ${attempt} of turn ${id} is not this worker's`);
  return options.branches.read(flight.input, offset);
}

function aboutOf({ input }: Flight) {
  return { id: (input.task?.id ?? null) as never, name: input.task?.name ?? input.chore?.name ?? '' };
}

async function describe(
  { deps, withheldEnv, branches, bridges }: Desk,
  turn: TurnRecord,
  { input }: Flight,
  { attempt, worker }: { attempt: number; worker: string },
): Promise<ClaimedTurn> {
  const { agent, context, dir, room, session } = input;
  const bridge = bridges.get(turn.id);
  if (bridge === null) throw new RoomError('unavailable', `turn ${turn.id} is not taken up yet`);
  // On record in the same commit as the claim.
  const secret = bridge.secretOf(`${attempt}.${worker}`);
  return {
    ...{ turn: turn.id, attempt, tries: turn.attempt, context, session },
    subject:
      input.task === undefined
        ? { kind: 'chore', chore: input.chore }
        : { kind: 'task', task: { id: input.task.id, name: input.task.name } },
    // One that was taken up has its prompt on disk alone.
    prompt: readFileSync(join(dir, 'prompt.md'), 'utf8'),
    agent: sharedAgent(agent, withheldEnv),
    workspace: await branches.describe(input),
    caller: callerOf(deps, turn.id, input.task?.id ?? null),
    token: await secret,
    paths: { turn: dir, room, cwd: resolve(room, agent.cwd ?? '.'), program: turnProgram() },
  };
}
