// The runtime's side of the bridges between turns and their room: made when a turn begins, opened again when it is
// taken up, and closed for good once its end is on record. What came before the end is carried out before it.
import { join } from 'node:path';
import { dreamOfThread, type TurnId, taskOfThread } from '../../core/ids.ts';
import { createSerialQueue } from '../../core/keyed-mutex.ts';
import type { Client } from '../../operations/client.ts';
import type { TurnBridge, TurnBridges } from '../../pulse/ports.ts';
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
interface OpenBridge {
  /** Carries out one request of the turn's agent, but for what only an agent here may ask. Never rejects. */
  carry(text: string): Promise<BridgeAnswer>;
  /** The secret that the turn's agent reports with at that attempt; its hash is on record when it resolves. */
  secretOf(attempt: string): Promise<string>;
}

/** Those that are open, by their turns. */
export type OpenBridges = Map<string, OpenBridge>;

interface BridgeOptions {
  deps: TaskRoom;
  tasks: Client;
  /** Where those that are open are found by their turns. */
  open: OpenBridges;
  /** Ends the jobs of a turn that is over. */
  endJobs(turn: TurnId): Promise<void>;
}

const TOKEN_BYTES = 32;

export function createTurnBridges(options: BridgeOptions): TurnBridges {
  return {
    program: turnProgram(),
    open: (turn, onTrouble, elsewhere = false) => openBridge(options, turn, onTrouble, elsewhere),
  };
}

async function openBridge(
  { deps, tasks, open, endJobs }: BridgeOptions,
  turn: TurnId,
  onTrouble: (error: unknown) => void,
  isElsewhere: boolean,
): Promise<TurnBridge> {
  const dir = join(deps.room.turnsDir, turn, 'bridge');
  let isCut = false;
  let isDrained = false;
  if (!isElsewhere) {
    const isNew = deps.ledger.turns.tokenHash(turn) === null;
    makeBridgeFolder(dir, callerOf(deps, turn), isNew ? await issueSecret(deps, turn) : null);
    // A turn that is taken up after its requests were cut off lets none in again.
    isCut = !isNew && !takesRequests(dir);
  }
  const line = createSerialQueue();
  const carrier: Carrier = { deps, tasks, turn, dir, onTrouble, isOver: () => isCut };
  // Requests of the spool that came before the cut are carried out while it drains.
  const spooled: Carrier = { ...carrier, isOver: () => isDrained };
  const spool = isElsewhere
    ? null
    : openSpool({
        ...{ dir, effects: deps.effects, line, onTrouble },
        carryOut: (key, text) => carryOut(spooled, key, text),
      });
  const opened: OpenBridge = {
    carry: (text) => line.add(() => carryOut({ ...carrier, isElsewhere: true }, keyIn(text), text)),
    secretOf: createSecrets(deps, turn, dir),
  };
  open.set(turn, opened);
  return {
    reach: turnReach(dir),
    mcp: turnMcp(dir),
    async tools() {
      const { toolsOfTurn } = await import('../agents/agent-tools.ts');
      return toolsOfTurn(callerOf(deps, turn), turn, (op, input) =>
        line.add(() => carryForTurn(carrier, op, input)),
      );
    },
    async drain() {
      // What its tools and its agent elsewhere asked before is carried out as well.
      await line.add(async () => {
        isCut = true;
      });
      await spool?.drain();
      await endJobs(turn);
      isDrained = true;
    },
    async close() {
      if (open.get(turn) === opened) open.delete(turn);
      spool?.close();
      await line.settled();
      if (isDrained && !isElsewhere) forgetSecret(dir);
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
function createSecrets(deps: TaskRoom, turn: TurnId, dir: string): OpenBridge['secretOf'] {
  let last: { attempt: string; secret: Promise<string> } | null = null;
  return async (attempt) => {
    const kept = keptSecret(dir);
    if (kept !== null) return kept;
    // A worker that lost the answer gets the same secret again: its late question must not replace it.
    if (last?.attempt !== attempt) last = { attempt, secret: issueSecret(deps, turn) };
    try {
      return await last.secret;
    } catch (error) {
      last = null;
      throw error;
    }
  };
}

/** The agent of a turn as its settings say now; one that is no agent of the room any more still reports. */
export function callerOf({ ledger, agents }: TaskRoom, id: TurnId): BridgeCaller {
  const turn = ledger.turns.get(id);
  const task = turn === null ? null : (taskOfThread(turn.thread) ?? dreamOfThread(turn.thread));
  const agent = agents().get(turn?.agent ?? '');
  const programs = agent !== undefined && agent.permissions !== 'edit';
  return { agent: turn?.agent ?? '', access: agent?.access ?? 'readonly', task, programs };
}
