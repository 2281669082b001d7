// The runtime's side of the bridges between turns and their room: opened when a turn begins or is taken up, closed for good once its end is on
// record. A request that came before the end is carried out before it.
import { join } from 'node:path';
import { summaryOfThread, type TurnId, taskOfThread } from '../../core/ids.ts';
import type { Client } from '../../operations/client.ts';
import type { TurnBridge, TurnBridges } from '../../pulse/ports.ts';
import { type BridgeAnswer, type BridgeCaller, keyIn } from '../../remote/protocol.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import {
  forgetSecret,
  hashToken,
  keptSecret,
  openBridgeFolder,
  TURN_PROGRAM,
  takesRequests,
} from './bridge-folder.ts';
import { handleRequest, handleToolCall, type RequestHandler } from './handle-request.ts';

/** The bridge of a turn whose agent is on another machine. */
interface RemoteBridge {
  /** Handles one request of the turn's agent, but for what only an agent here may ask. Never rejects. */
  carry(text: string): Promise<BridgeAnswer>;
  /** The secret that the turn's agent reports with at that attempt; its hash is on record when it resolves. */
  secretOf(attempt: string): Promise<string>;
}

export type OpenBridges = Map<string, RemoteBridge>;

interface BridgeOptions {
  deps: TaskRoom;
  tasks: Client;
  open: OpenBridges; // Those of turns on other machines.
  endJobs(turn: TurnId): Promise<void>;
}

const TOKEN_BYTES = 32;

export function createTurnBridges({ deps, tasks, open: remote, endJobs }: BridgeOptions): TurnBridges {
  async function open(
    turn: TurnId,
    onTrouble: (error: unknown) => void,
    isRemote = false,
  ): Promise<TurnBridge> {
    const dir = join(deps.room.turnsDir, turn, 'bridge');
    const isNew = !isRemote && deps.ledger.turns.reporting(turn)?.tokenHash === null;
    const secret = isNew ? await issueSecret(deps, turn) : null;
    // A turn that is taken up after its requests were cut off lets none in again.
    let isCut = !isRemote && !isNew && !takesRequests(dir);
    let isDrained = false;
    const on: RequestHandler = { deps, tasks, turn, dir, onTrouble, isOver: () => isCut };
    const { line, spool, ...reached } = openBridgeFolder({
      ...{ dir, turn, secret, hasSpool: !isRemote, effects: deps.effects, onTrouble },
      caller: callerOf(deps, turn),
      // Requests of the spool that came before the cut are handled while it drains.
      handle: (key, text) => handleRequest({ ...on, isOver: () => isDrained }, key, text),
      send: (op, input) => handleToolCall(on, op, input),
    });
    const opened: RemoteBridge | null = isRemote
      ? {
          carry: (text) => line.add(() => handleRequest({ ...on, isRemote: true }, keyIn(text), text)),
          secretOf: createSecrets(deps, turn, dir),
        }
      : null;
    if (opened !== null) remote.set(turn, opened);
    return {
      ...reached,
      async drain() {
        // Tool calls and requests from elsewhere that came before are handled first.
        await line.add(async () => {
          isCut = true;
        });
        await spool?.drain();
        await endJobs(turn);
        isDrained = true;
      },
      async close() {
        if (remote.get(turn) === opened) remote.delete(turn);
        spool?.close();
        await line.settled();
        if (isDrained && !isRemote) forgetSecret(dir);
      },
    };
  }
  return { program: TURN_PROGRAM, open };
}

/** Returns a new secret, whose hash is on record. */
async function issueSecret({ ledger, effects }: TaskRoom, turn: TurnId): Promise<string> {
  const secret = Buffer.from(effects.randomBytes(TOKEN_BYTES)).toString('base64url');
  await ledger.together(() => ledger.turns.update(turn, { tokenHash: hashToken(secret) }));
  return secret;
}

/** The secret of a turn on another machine: that of its folder, or a new one for each attempt, kept in memory. */
function createSecrets(deps: TaskRoom, turn: TurnId, dir: string): RemoteBridge['secretOf'] {
  let last: { attempt: string; secret: Promise<string> } | null = null;
  return async (attempt) => {
    const kept = keptSecret(dir);
    if (kept !== null) return kept;
    // A worker that lost the answer asks again, and must get the same secret.
    if (last?.attempt !== attempt) last = { attempt, secret: issueSecret(deps, turn) };
    try {
      return await last.secret;
    } catch (error) {
      last = null;
      throw error;
    }
  };
}

/** The agent of a turn as its settings are now; one that was removed from the room still reports. */
export function callerOf({ ledger, agents, config }: TaskRoom, id: TurnId): BridgeCaller {
  const turn = ledger.turns.get(id);
  const task = turn && (taskOfThread(turn.thread) ?? summaryOfThread(turn.thread));
  const agent = agents().get(turn?.agent ?? '');
  const programs = agent !== undefined && agent.permissions !== 'edit';
  const { statuses } = config();
  return { agent: turn?.agent ?? '', access: agent?.access ?? 'readonly', task, programs, statuses };
}
