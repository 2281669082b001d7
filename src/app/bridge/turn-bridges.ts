// The runtime's side of the bridges between turns and their room: made when a turn begins, opened again when it is
// taken up, and closed for good once its end is on record. What came before the end is carried out before it.
import { join } from 'node:path';
import { dreamOfThread, type TurnId, taskOfThread } from '../../core/ids.ts';
import { createSerialQueue } from '../../core/keyed-mutex.ts';
import type { Client } from '../../operations/client.ts';
import type { TurnBridge, TurnBridges } from '../../pulse/ports.ts';
import type { Send } from '../../remote/remote-client.ts';
import { type BridgeAnswer, type BridgeCaller, keyIn } from '../../remote/wire.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import {
  forgetSecret,
  keptSecret,
  makeBridgeFolder,
  takesRequests,
  turnMcp,
  turnProgram,
  turnReach,
} from './bridge-folder.ts';
import { type Carrier, carryForTurn, carryOut, hashToken } from './carry-out.ts';
import { openSpool } from './spool.ts';

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
  const state = { isCut: false, isDrained: false };
  if (!elsewhere) {
    const isNew = deps.ledger.turns.tokenHash(turn) === null;
    makeBridgeFolder(dir, callerOf(deps, turn, task), isNew ? await issueSecret(deps, turn) : null);
    // Taken up after its requests were cut off: it lets none in again.
    state.isCut = !isNew && !takesRequests(dir);
  }
  // Requests that came before the cut are carried out while it drains.
  const carrier: Omit<Carrier, 'isOver'> = { deps, tasks: options.tasks, turn, dir, onTrouble };
  const line = createSerialQueue();
  const spool = elsewhere
    ? null
    : openSpool({
        ...{ dir, effects: deps.effects, line, onTrouble },
        carryOut: (key, text) => carryOut({ ...carrier, isOver: () => state.isDrained }, key, text),
      });
  const opened: OpenBridge = {
    carry(text) {
      const far = { ...carrier, isElsewhere: true, isOver: () => state.isCut };
      return line.add(() => carryOut(far, keyIn(text), text));
    },
    secretOf: createSecrets(deps, turn, dir),
  };
  options.open?.set(turn, opened);
  const send: Send = (op, input) =>
    line.add(() => carryForTurn({ ...carrier, isOver: () => state.isCut }, op, input));
  return {
    reach: turnReach(dir),
    mcp: turnMcp(dir),
    async tools() {
      const { toolsOfTurn } = await import('../agents/agent-tools.ts');
      return toolsOfTurn(callerOf(deps, turn, task), turn, send);
    },
    async drain() {
      // What its tools and its agent elsewhere asked before is carried out as well.
      await line.add(async () => {
        state.isCut = true;
      });
      await spool?.drain();
      await options.endJobs(turn);
      state.isDrained = true;
    },
    async close() {
      if (options.open?.get(turn) === opened) options.open.delete(turn);
      spool?.close();
      await line.settled();
      if (state.isDrained && !elsewhere) forgetSecret(dir);
    },
  };
}

/** A new secret, whose hash is on record. */
async function issueSecret({ ledger, effects }: TaskRoom, turn: TurnId): Promise<string> {
  const secret = Buffer.from(effects.randomBytes(TOKEN_BYTES)).toString('base64url');
  await ledger.together(() => ledger.turns.update(turn, { tokenHash: hashToken(secret) }));
  return secret;
}

/** The secret of a turn on another machine: the one of its folder, or a new one for each attempt, known here alone. */
function createSecrets(deps: TaskRoom, turn: TurnId, dir: string) {
  let last: { attempt: string; secret: Promise<string> } | null = null;
  return (attempt: string): Promise<string> => {
    const kept = keptSecret(dir);
    if (kept !== null) return Promise.resolve(kept);
    // Asked again by one that lost the answer it is the same: a late asking must not take it away.
    if (last?.attempt !== attempt) {
      last = { attempt, secret: issueSecret(deps, turn) };
      last.secret.catch(() => {
        last = null;
      });
    }
    return last.secret;
  };
}

/** The agent of a turn as its settings say now; one that is no agent of the room any more still reports. */
export function callerOf({ ledger, agents }: TaskRoom, turn: TurnId, task: string | null): BridgeCaller {
  const id = ledger.turns.get(turn)?.agent ?? '';
  const agent = agents().get(id);
  const programs = agent !== undefined && agent.permissions !== 'edit';
  return { agent: id, access: agent?.access ?? 'readonly', task, programs };
}
