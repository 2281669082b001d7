// The runtime's side of the bridges between turns and their room: made when a turn begins, opened again when it is
// taken up, and closed for good once its end is on record. What came before the end is carried out before it.
import { join } from 'node:path';
import { dreamOfThread, type TurnId, taskOfThread } from '../../core/ids.ts';
import type { TurnBridge, TurnBridges } from '../../pulse/turn/turn-bridge.ts';
import type { Send } from '../../remote/remote-operations.ts';
import { BRIDGE_FILES, type BridgeAnswer, type BridgeCaller, keyIn } from '../../remote/wire.ts';
import type { Operations } from '../../tasks/contract/operations.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { forgetSecret, makeBridgeFolder, takesRequests } from './bridge-folder.ts';
import { type Carrier, carryForTurn, carryOut, hashToken } from './carry-out.ts';
import type { OpenBridges } from './open-bridges.ts';
import { createRequestLine } from './request-line.ts';
import { listen } from './socket.ts';
import { createSpool } from './spool.ts';

export interface BridgeOptions {
  deps: TaskRoom;
  tasks: Operations;
  /** Absolute path of the bundled program of a turn. */
  entry: string;
  /** Where those that are open are found by their turns. */
  open?: OpenBridges;
  /** Ends the jobs of a turn that is over. */
  endJobs(turn: TurnId): Promise<void>;
}

const TOKEN_BYTES = 32;
/** Answers of a turn that are still known when a caller that lost the way to them asks again. */
const MAX_KNOWN = 200;

export function createTurnBridges(options: BridgeOptions): TurnBridges {
  return { open: (turn, onTrouble) => openBridge(options, turn, onTrouble) };
}

async function openBridge(
  options: BridgeOptions,
  turn: TurnId,
  onTrouble: (error: unknown) => void,
): Promise<TurnBridge> {
  const { deps, entry } = options;
  const dir = join(deps.room.turnsDir, turn, 'bridge');
  const isNew = deps.ledger.turns.tokenHash(turn) === null;
  const secret = isNew ? Buffer.from(deps.effects.randomBytes(TOKEN_BYTES)).toString('base64url') : null;
  const { ledger } = deps;
  if (secret !== null) await ledger.together(() => ledger.turns.setTokenHash(turn, hashToken(secret)));
  const thread = deps.ledger.turns.get(turn)?.thread ?? null;
  const task = thread === null ? null : (taskOfThread(thread) ?? dreamOfThread(thread));
  makeBridgeFolder(dir, { entry, task }, callerOf(deps, turn, task), secret);
  // Taken up after its requests were cut off: it lets none in again.
  const state = { isCut: !isNew && !takesRequests(dir), isDrained: false };
  // Requests that came before the cut are carried out while it drains.
  const carrier: Omit<Carrier, 'isOver'> = { deps, tasks: options.tasks, turn, dir, onTrouble };
  const line = createRequestLine();
  const known = createKnownAnswers();
  const spool = createSpool({
    dir,
    effects: deps.effects,
    line,
    carryOut: (key, text) => carryOut({ ...carrier, isOver: () => state.isDrained }, key, text),
    onTrouble,
  });
  const carry = (text: string, isElsewhere: boolean) =>
    line.add(() => carryOnce(known, { ...carrier, isElsewhere, isOver: () => state.isCut }, text));
  const socket = await listen(dir, (text) => carry(text, false));
  spool.start();
  const opened = { carry: (text: string) => carry(text, true) };
  options.open?.add(turn, opened);
  return {
    dir,
    mcp: { command: join(dir, BRIDGE_FILES.program), args: ['mcp'], env: {} },
    tools: () =>
      toolsBehind(turn, callerOf(deps, turn, task), deps.effects, (op, input) =>
        line.add(() => carryForTurn({ ...carrier, isOver: () => state.isCut }, op, input)),
      ),
    async drain() {
      // What was asked before by the socket is carried out as well.
      await line.add(async () => {
        state.isCut = true;
      });
      await spool.drain();
      await options.endJobs(turn);
      state.isDrained = true;
    },
    async close() {
      options.open?.remove(turn, opened);
      socket?.close();
      spool.close();
      await line.settled();
      if (state.isDrained) forgetSecret(dir);
    },
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
