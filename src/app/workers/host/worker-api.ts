// What workers ask of the host: to be known, to be told of work, to claim a turn, and to report of it. The token says who asks and for which
// agents; the queue and the ledger say whose attempt it is.
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { AgentConfig, EnvValue } from '../../../core/config/agent-config.ts';
import { RoomError } from '../../../core/errors.ts';
import type { WorkerRow } from '../../../store/ledger/turns/jobs.ts';
import type { TurnRecord } from '../../../store/ledger/turns/turns.ts';
import type { ApiToken } from '../../../tasks/room/tokens.ts';
import type { TaskRoom } from '../../../tasks/task-room.ts';
import { TURN_PROGRAM } from '../../bridge/bridge-folder.ts';
import { callerOf } from '../../bridge/turn-bridges.ts';
import type { CallAnswer, CallInput, ClaimedTurn, TurnAttempt, WorkerCall } from '../../worker-protocol.ts';
import type { Dispatching, RemoteTurn } from './remote-runner.ts';
import { applyReports, followedTurn } from './reports.ts';
import { describeBranches, keepPiece, readPiece } from './turn-files.ts';

type Caller = { token: ApiToken; hostVersion: string; signal: AbortSignal };

/** Carries out the workers' calls. Each rejects with RoomError `not_allowed`, `not_found`, `conflict`, `gone`, `unavailable`. */
export type WorkerApi = {
  [Name in WorkerCall]: (by: Caller, input: CallInput<Name>) => Promise<CallAnswer<Name>>;
};

interface WorkerHost extends Dispatching {
  /** What each worker that said hello was told of its agents, and why one of another version is offered nothing. */
  greeted: Map<string, { agents: string; stranger: string | null }>;
}

const MOST_WAIT_MS = 25_000;
const FORGET_MS = 24 * 3600_000; // A worker that was not seen for so long is forgotten.

export function createWorkerApi(dispatching: Dispatching): WorkerApi {
  const host: WorkerHost = { ...dispatching, greeted: new Map() };
  const { deps, registry, greeted, workers, table, workspaces } = host;
  return {
    hello: ({ token, hostVersion }, hello) => greet(host, token, hello, hostVersion),
    async wait({ token, signal }, { worker: id, free, running, waitMs, workspaces: tasks = [], trouble }) {
      const { stranger = null, agents } = greeted.get(id) ?? {};
      const worker = setTrouble(host, knownWorker(host, token, id), stranger ?? trouble ?? null);
      registry.seen(worker);
      const stop = stopsFor(host, id, running);
      const told = stranger === null ? {} : { trouble: stranger };
      const changed = JSON.stringify(agentsOf(host, token)) !== agents;
      if (stop.length > 0 || changed) return { work: false, stop, changed, ...told };
      const offered = worker.trouble === null ? free : 0;
      const work = await registry.wait(worker, offered, Math.min(waitMs, MOST_WAIT_MS), signal);
      const over = tasks.filter((task) => deps.ledger.tasks.get(task)?.archived != null);
      return { work, stop: stopsFor(host, id, running), changed: false, over, ...told };
    },
    claim: ({ token }, asked) => claim(host, token, asked),
    async report({ token }, reports) {
      const worker = knownWorker(host, token, reports.worker);
      registry.seen(worker);
      return { answers: await applyReports(host, worker, sentTurn(host, token, reports.turn), reports) };
    },
    async keepBranch({ token }, piece) {
      knownWorker(host, token, piece.worker);
      const { id } = sentTurn(host, token, piece.turn);
      if (piece.attempt > (table.get(id)!.attempt ?? -1))
        throw new RoomError('conflict', `there is no attempt ${piece.attempt} of turn ${id}`);
      return { size: keepPiece(join(deps.room.turnsDir, id), piece) };
    },
    async readBranch({ token }, { turn, worker, attempt, repository, offset }) {
      knownWorker(host, token, worker);
      const remote = workingTurn(host, sentTurn(host, token, turn));
      const row = table.get(turn)!;
      if (row.attempt !== attempt || row.worker !== worker)
        throw new RoomError('conflict', `attempt ${attempt} of turn ${turn} is not this worker's`);
      return readPiece(workspaces, remote.input, repository, offset);
    },
    async bye({ token }, { worker }) {
      setTrouble(host, knownWorker(host, token, worker), null);
      greeted.set(worker, { ...greeted.get(worker)!, stranger: null });
      workers.delete(worker);
      registry.left(worker);
      return {};
    },
  };
}

function assertOwn(known: WorkerRow | null, token: ApiToken): void {
  if (known !== null && known.token !== token.id)
    throw new RoomError('not_allowed', `worker ${known.name} came with another token`);
}

function knownWorker({ workers, greeted }: WorkerHost, token: ApiToken, id: string): WorkerRow {
  const worker = workers.get(id);
  if (worker === null || !greeted.has(id))
    throw new RoomError('not_found', 'this worker is not known here', { hint: 'it says hello first' });
  assertOwn(worker, token);
  return worker;
}

/** @throws RoomError `gone` for a turn that was never sent out, `not_allowed` for one of an agent that is not the token's */
function sentTurn({ deps, table }: WorkerHost, token: ApiToken, id: string): TurnRecord {
  const turn = deps.ledger.turns.get(id);
  if (turn === null || table.get(id) === null) throw new RoomError('gone', 'there is no such turn');
  if (token.agents !== null && !token.agents.includes(turn.agent))
    throw new RoomError('not_allowed', `this token takes no turns of ${turn.agent}`);
  return turn;
}

function workingTurn(host: WorkerHost, turn: TurnRecord): RemoteTurn {
  const remote = followedTurn(host, turn);
  if (remote.stop !== null) throw new RoomError('gone', `turn ${turn.id} is over`);
  return remote;
}

/** The agents that a token is for, as their settings are now. */
const agentsOf = ({ deps }: WorkerHost, token: ApiToken): AgentConfig[] =>
  [...deps.agents().values()].filter(({ id }) => token.agents?.includes(id) ?? true);

async function greet(
  host: WorkerHost,
  token: ApiToken,
  { id, name, version, slots, agents }: CallInput<'hello'>,
  hostVersion: string,
): Promise<CallAnswer<'hello'>> {
  const { deps, queue, workers, registry, roomId, variable, greeted } = host;
  const own = agentsOf(host, token);
  const names = own.map((agent) => agent.id);
  const told = JSON.stringify(own);
  await queue.prepare(names);
  const now = deps.effects.now();
  const before = workers.get(id);
  assertOwn(before, token);
  if (before !== null) setTrouble(host, before, null);
  workers.prune(now - FORGET_MS);
  const row: WorkerRow = {
    ...{ id, name, version, slots, token: token.id, startedAt: before?.startedAt ?? now },
    agents: (agents ?? []).filter((agent) => names.includes(agent)),
    ...{ seenAt: now, goneAt: null, trouble: null },
  };
  workers.put(row);
  const stranger =
    version === hostVersion
      ? null
      : `it is version ${version}, and the room's host ${hostVersion}: install the host's there, and start it again`;
  greeted.set(id, { agents: told, stranger });
  registry.seen(setTrouble(host, row, stranger));
  return { room: roomId, queue: variable, agents: own.map((agent) => sharedAgent(agent, deps.effects)) };
}

/** Notes why a worker takes nothing; work that was offered to it is offered to the others. Returns the worker as it is then. */
function setTrouble(host: WorkerHost, worker: WorkerRow, trouble: string | null): WorkerRow {
  const { deps, workers, table, registry, onWorkerTrouble } = host;
  if (worker.trouble === trouble) return worker;
  workers.update(worker.id, { trouble });
  onWorkerTrouble(worker.name, trouble);
  for (const { turn, worker: holder } of trouble === null ? [] : table.out()) {
    const agent = holder === null ? deps.ledger.turns.get(turn)?.agent : undefined;
    if (agent !== undefined) registry.announce(agent);
  }
  return { ...worker, trouble };
}

function stopsFor({ deps, table, remoteTurns }: WorkerHost, worker: string, running: readonly TurnAttempt[]) {
  return running.flatMap(({ turn, attempt }) => {
    const remote = remoteTurns.get(turn);
    const row = table.get(turn);
    const isOver = deps.ledger.turns.get(turn)?.state !== 'running' || row?.ended != null;
    // One that it was handed and did not claim yet is not on record.
    const claimed = row?.attempt ?? -1;
    const isOthers = row === null || attempt < claimed || (attempt === claimed && row.worker !== worker);
    const stop = remote?.stop ?? null;
    if (isOver || isOthers) return [{ turn, attempt, reason: stop ?? ('interrupted' as const) }];
    return stop === null ? [] : [{ turn, attempt, reason: stop }];
  });
}

async function claim(host: WorkerHost, token: ApiToken, { turn: id, worker, attempt }: CallInput<'claim'>) {
  const { deps, table, queue } = host;
  const { name } = knownWorker(host, token, worker);
  const turn = sentTurn(host, token, id);
  if (table.get(id)!.ended !== null) throw new RoomError('gone', `turn ${id} is over`);
  const remote = workingTurn(host, turn);
  return remote.line.add(async () => {
    const row = table.get(id)!;
    if (row.attempt === attempt && row.worker === worker)
      return describe(host, turn, remote, attempt, worker);
    if (row.attempt !== null && attempt <= row.attempt)
      throw new RoomError('conflict', `attempt ${attempt} of turn ${id} is not the one at work`);
    // The queue says whose attempt it is; nobody's word counts here.
    const standing = await queue.find({ id: row.job, agent: turn.agent });
    if (standing?.state !== 'active' || standing.attempt !== attempt)
      throw new RoomError('conflict', `the queue knows of no attempt ${attempt} at turn ${id}`);
    const { dir, task, chore } = remote.input;
    const output = join(dir, 'output.log');
    // The worker begins the turn anew: the output of the attempt before is kept beside.
    if (row.attempt !== null && existsSync(output))
      renameSync(output, join(dir, `output.${row.attempt}.log`));
    const answer = describe(host, turn, remote, attempt, worker);
    await Promise.all([answer, deps.ledger.together(() => table.claim(id, attempt, worker))]);
    const about = { id: (task?.id ?? null) as never, name: task?.name ?? chore?.name ?? '' };
    deps.events.emit({ type: 'turn.claimed', turn: turn.id, ...about, worker: name, attempt });
    return answer;
  });
}

async function describe(
  { deps, workspaces, bridges }: WorkerHost,
  turn: TurnRecord,
  { input }: RemoteTurn,
  attempt: number,
  worker: string,
): Promise<ClaimedTurn> {
  const { agent, context, dir, room, session } = input;
  const bridge = bridges.get(turn.id);
  if (bridge === undefined) throw new RoomError('unavailable', `turn ${turn.id} is not taken up yet`);
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
    agent: sharedAgent(agent, deps.effects),
    workspaces: await describeBranches(workspaces, input),
    caller: callerOf(deps, turn.id),
    token: await secret,
    paths: { turn: dir, room, cwd: resolve(room, agent.cwd ?? '.'), program: TURN_PROGRAM },
  };
}

/** Names whose values are secrets, however they came into the file. */
const SECRET = /TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|PRIVATE|(^|_)KEY($|_)/i;

/** Without what the host alone does; a value that may be a secret becomes the name of a variable: the worker's own. */
function sharedAgent(agent: AgentConfig, { withheld }: TaskRoom['effects']): AgentConfig {
  const env = Object.entries(agent.env).flatMap(([name, value]): [string, EnvValue][] => {
    if (withheld.has(name)) return [];
    if (typeof value !== 'string') return [[name, value]];
    return [[name, SECRET.test(name) ? { from: name } : value]];
  });
  return { ...agent, env: Object.fromEntries(env), checks: [], budget: null };
}
