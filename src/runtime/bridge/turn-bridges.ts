// The runtime's side of the bridges between turns and their room: made when a turn begins, opened again when it is
// taken up, and closed for good once its end is on record. What came before the end is carried out before it.
import { join } from 'node:path';
import { dreamOfThread, type TurnId, taskOfThread } from '../../core/ids.ts';
import type { Client } from '../../operations/client.ts';
import type { TurnBridge, TurnBridges } from '../../pulse/turn/turn-bridge.ts';
import type { Send } from '../../remote/remote-operations.ts';
import { type BridgeAnswer, type BridgeCaller, keyIn } from '../../remote/wire.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { turnMcp, turnProgram, turnReach } from '../turn-program.ts';
import { forgetSecret, keptSecret, makeBridgeFolder, takesRequests } from './bridge-folder.ts';
import { type Carrier, carryForTurn, carryOut, hashToken } from './carry-out.ts';
import { createRequestLine, type RequestLine } from './request-line.ts';
import { createSpool } from './spool.ts';

/** A turn that runs on another machine reports through the bridge that was made for it here. */
export interface OpenBridge {
  /** Carries out one request of the turn's agent, but for what only an agent here may ask. Never rejects. */
  carry(text: string): Promise<BridgeAnswer>;
  /** The secret that the turn's agent reports with at that attempt; its hash is on record when it resolves. */
  secretOf(attempt: string): Promise<string>;
}

/** Those that are open, by their turns. */
export type OpenBridges = Map<string, OpenBridge>;

export interface BridgeOptions {
  deps: TaskRoom;
  tasks: Client;
  /** Where those that are open are found by their turns. */
  open?: OpenBridges;
  /** Ends the jobs of a turn that is over. */
  endJobs(turn: TurnId): Promise<void>;
}

const TOKEN_BYTES = 32;
/** Answers of a turn that are still known when a caller that lost the way to them asks again. */
const MAX_KNOWN = 200;

export function createTurnBridges(options: BridgeOptions): TurnBridges {
  return {
    program: turnProgram(),
    open: (turn, onTrouble, elsewhere) => openBridge(options, turn, onTrouble, elsewhere ?? false),
  };
}

async function openBridge(
  options: BridgeOptions,
  turn: TurnId,
  onTrouble: (error: unknown) => void,
  elsewhere: boolean,
): Promise<TurnBridge> {
  const { deps } = options;
  const dir = join(deps.room.turnsDir, turn, 'bridge');
  const thread = deps.ledger.turns.get(turn)?.thread ?? null;
  const task = thread === null ? null : (taskOfThread(thread) ?? dreamOfThread(thread));
  const way = elsewhere ? NO_WAY : await openWay(deps, turn, dir, task);
  const state = { isCut: way.isCut, isDrained: false };
  // Requests that came before the cut are carried out while it drains.
  const carrier: Omit<Carrier, 'isOver'> = { deps, tasks: options.tasks, turn, dir, onTrouble };
  const line = createRequestLine();
  const known = createKnownAnswers();
  const carry = (text: string) =>
    line.add(() => carryOnce(known, { ...carrier, isElsewhere: true, isOver: () => state.isCut }, text));
  const served = way.serve({
    ...{ line, onTrouble },
    carryOut: (key, text) => carryOut({ ...carrier, isOver: () => state.isDrained }, key, text),
  });
  const opened = { carry, secretOf: createSecrets(deps, turn, dir) };
  options.open?.set(turn, opened);
  return {
    reach: turnReach(dir),
    mcp: turnMcp(dir),
    tools: () =>
      toolsBehind(turn, callerOf(deps, turn, task), deps.effects, (op, input) =>
        line.add(() => carryForTurn({ ...carrier, isOver: () => state.isCut }, op, input)),
      ),
    async drain() {
      // What its tools and its agent elsewhere asked before is carried out as well.
      await line.add(async () => {
        state.isCut = true;
      });
      await served.drain();
      await options.endJobs(turn);
      state.isDrained = true;
    },
    async close() {
      if (options.open?.get(turn) === opened) options.open.delete(turn);
      served.close();
      await line.settled();
      if (state.isDrained) served.forget();
    },
  };
}

/** How programs of this machine reach the bridge. */
interface Way {
  /** It lets no requests in any more. */
  isCut: boolean;
  serve(to: {
    line: RequestLine;
    carryOut(key: string, text: string): Promise<BridgeAnswer>;
    onTrouble(error: unknown): void;
  }): { drain(): Promise<void>; close(): void; forget(): void };
}

/** A turn on another machine has nothing here that would ask. */
const NO_WAY: Way = {
  isCut: false,
  serve: () => ({ async drain() {}, close() {}, forget() {} }),
};

/** The folder with the turn's secret and its spool. */
async function openWay(deps: TaskRoom, turn: TurnId, dir: string, task: string | null): Promise<Way> {
  const { ledger, effects } = deps;
  const isNew = ledger.turns.tokenHash(turn) === null;
  const secret = isNew ? newSecret(effects) : null;
  if (secret !== null)
    await ledger.together(() => ledger.turns.update(turn, { tokenHash: hashToken(secret) }));
  makeBridgeFolder(dir, callerOf(deps, turn, task), secret);
  return {
    // Taken up after its requests were cut off: it lets none in again.
    isCut: !isNew && !takesRequests(dir),
    serve({ line, carryOut: answer, onTrouble }) {
      const spool = createSpool({ dir, effects, line, carryOut: answer, onTrouble });
      spool.start();
      return { drain: spool.drain, close: spool.close, forget: () => forgetSecret(dir) };
    },
  };
}

function newSecret({ randomBytes }: TaskRoom['effects']): string {
  return Buffer.from(randomBytes(TOKEN_BYTES)).toString('base64url');
}

/** The secret of a turn on another machine: the one of its folder, or a new one for each attempt, known here alone. */
function createSecrets({ ledger, effects }: TaskRoom, turn: TurnId, dir: string) {
  let last: { attempt: string; secret: Promise<string> } | null = null;
  const issue = async () => {
    const secret = newSecret(effects);
    await ledger.together(() => ledger.turns.update(turn, { tokenHash: hashToken(secret) }));
    return secret;
  };
  return (attempt: string): Promise<string> => {
    const kept = keptSecret(dir);
    if (kept !== null) return Promise.resolve(kept);
    // Asked again by one that lost the answer it is the same: a late asking must not take it away.
    if (last?.attempt !== attempt) {
      last = { attempt, secret: issue() };
      last.secret.catch(() => {
        last = null;
      });
    }
    return last.secret;
  };
}

/** What was carried out before has the answer that it had. */
async function carryOnce(
  known: ReturnType<typeof createKnownAnswers>,
  carrier: Carrier,
  text: string,
): Promise<BridgeAnswer> {
  return known.find(text) ?? known.keep(text, await carryOut(carrier, keyIn(text), text));
}

/** @param send carries an operation out as that turn */
async function toolsBehind(turn: TurnId, who: BridgeCaller, effects: TaskRoom['effects'], send: Send) {
  return (await import('../agent-tools.ts')).toolsOfTurn(who, turn, effects, send);
}

/** The agent of a turn as its settings say now; one that is no agent of the room any more still reports. */
export function callerOf({ ledger, agents }: TaskRoom, turn: TurnId, task: string | null): BridgeCaller {
  const id = ledger.turns.get(turn)?.agent ?? '';
  const agent = agents().get(id);
  const programs = agent !== undefined && agent.permissions !== 'edit';
  return { agent: id, access: agent?.access ?? 'readonly', task, programs };
}

/** What was carried out, by the whole request, its secret included. */
function createKnownAnswers() {
  const answers = new Map<string, BridgeAnswer>();
  return {
    find: (request: string): BridgeAnswer | null => answers.get(hashToken(request)) ?? null,
    keep(request: string, answer: BridgeAnswer): BridgeAnswer {
      const [oldest] = answers.keys();
      if (answers.size >= MAX_KNOWN && oldest !== undefined) answers.delete(oldest);
      if (answer.ok) answers.set(hashToken(request), answer);
      return answer;
    },
  };
}
