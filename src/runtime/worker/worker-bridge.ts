// A turn's bridge on a worker: the same folder and spool as beside the room, for the same program, and every request
// goes up to the host, in order. One that lies in the spool waits there while the host is away.
import { RoomError } from '../../core/errors.ts';
import type { TurnId } from '../../core/ids.ts';
import { createSerialQueue } from '../../core/keyed-mutex.ts';
import type { Effects } from '../../effects.ts';
import {
  type BridgeAnswer,
  type BridgeCaller,
  fromWireError,
  keyIn,
  toWireError,
} from '../../remote/wire.ts';
import { forgetSecret, makeBridgeFolder } from '../bridge/bridge-folder.ts';
import { openSpool } from '../bridge/spool.ts';
import { turnMcp, turnReach } from '../turn-program.ts';
import type { Reporter } from './reporter.ts';

export interface WorkerBridgeOptions {
  /** The bridge's folder. */
  dir: string;
  turn: TurnId;
  caller: BridgeCaller;
  token: string;
  /** Whether programs are to reach it. */
  startsPrograms: boolean;
  reporter: Reporter;
  effects: Effects;
  onTrouble(error: unknown): void;
}

export type WorkerBridge = ReturnType<typeof openWorkerBridge>;

export function openWorkerBridge(options: WorkerBridgeOptions) {
  const { dir, turn, caller, token, effects } = options;
  const forward = (text: string) => forwardTo(options.reporter, text);
  const line = createSerialQueue();
  if (options.startsPrograms) makeBridgeFolder(dir, caller, token);
  const carryOut = (_key: string, text: string) => forward(text);
  const spool = options.startsPrograms
    ? openSpool({ dir, effects, line, carryOut, onTrouble: options.onTrouble })
    : null;
  let asked = 0;
  const send = async (op: string, input: object) => {
    asked += 1;
    const key = `${effects.now().toString(36)}${asked.toString(36)}`.padEnd(12, '0');
    const answer = await line.add(() => forward(JSON.stringify({ key, token, op, input })));
    if (answer.ok) return answer.result;
    throw fromWireError(answer.error);
  };
  return {
    reach: turnReach(dir),
    mcp: turnMcp(dir),
    tools: async () => (await import('../agent-tools.ts')).toolsOfTurn(caller, turn, send),
    /** Lets nothing more in; resolves when all that came before has its answer. */
    async drain() {
      await line.settled();
      await spool?.drain();
    },
    close() {
      spool?.close();
      forgetSecret(dir);
    },
  };
}

/** Never rejects: what went wrong is in the answer. */
async function forwardTo(reporter: Reporter, text: string): Promise<BridgeAnswer> {
  try {
    const answer = await reporter.report({ kind: 'request', text });
    if (answer.kind === 'request') return answer.answer;
    if (answer.kind === 'failed') return { key: keyIn(text), ok: false, error: answer.error };
    throw new RoomError('bug', `the host answered a request with ${answer.kind}`);
  } catch (error) {
    return { key: keyIn(text), ok: false, error: toWireError(error) };
  }
}
