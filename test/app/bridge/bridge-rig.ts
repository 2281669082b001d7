// A real room with a turn that runs, its bridge as the runtime opens it, and the turn's own side of it.
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenBridges } from '../../../src/app/bridge/turn-bridges.ts';
import { createTurnBridges } from '../../../src/app/bridge/turn-bridges.ts';
import type { RoomClient } from '../../../src/app/open-room.ts';
import { openTurnRoom } from '../../../src/cli/turn/turn-room.ts';
import type { TurnId } from '../../../src/core/ids.ts';
import type { Effects } from '../../../src/effects.ts';
import { createNodeEffects } from '../../../src/node.ts';
import type { Client } from '../../../src/operations/client.ts';
import type { TurnBridge } from '../../../src/pulse/ports.ts';
import { type BridgeAnswer, requestName } from '../../../src/remote/protocol.ts';
import { openTestRoom } from '../../tasks/test-room.ts';

export const TURN = 'b11111111' as TurnId;

export type BridgeRig = Awaited<ReturnType<typeof openBridgeRig>>;

/** @param task the id of the turn's task; its file is there */
export async function openBridgeRig(task = 'abc12345', agents: Record<string, object> = {}) {
  const room = openTestRoom(agents);
  room.save('One.md', `---\nid: ${task}\nstatus: doing\n---\nDo it.\n`);
  room.runTurn(TURN, task);
  const dir = join(room.deps.room.turnsDir, TURN, 'bridge');
  const faults: unknown[] = [];
  const opened: TurnBridge[] = [];
  const clients: RoomClient[] = [];
  const found: OpenBridges = new Map();
  const options = { endJobs: async () => undefined, open: found };
  const openWith = (tasks: Client, turn: TurnId, isRemote = false) => {
    const bridges = createTurnBridges({ ...options, deps: room.deps, tasks });
    return bridges.open(turn, (error) => faults.push(error), isRemote);
  };
  const rig = {
    room,
    dir,
    /** What failed behind the answers. */
    faults,
    /** The bridges as they are found for turns on other machines. */
    found,
    bridge: undefined as unknown as TurnBridge,
    /** The room as the turn has it. */
    client(effects: Effects = createNodeEffects()): RoomClient {
      const runtime = openTurnRoom(rig.dir, effects);
      clients.push(runtime);
      return runtime;
    },
    /** Opens a bridge, of this turn when none is named. */
    async open(turn: TurnId = TURN, isRemote = false): Promise<TurnBridge> {
      const bridge = await openWith(room.tasks, turn, isRemote);
      opened.push(bridge);
      return bridge;
    },
    /** The same of a runtime with operations that may never come to an end: nobody waits for it. */
    openDoomed: (tasks: Client): Promise<TurnBridge> => openWith(tasks, TURN),
    token: (): string => readFileSync(join(dir, 'token'), 'utf8').trim(),
    /** Puts a request into the spool as the program does; `at` decides the order. */
    put(at: number, op: string, input: object, more: object = {}): string {
      const key = `key${String(at).padStart(8, '0')}`;
      const request = { key, token: rig.token(), op, input, ...more };
      writeFileSync(join(dir, 'requests', requestName(at, key)), JSON.stringify(request));
      return key;
    },
    answer(key: string): BridgeAnswer | null {
      const path = join(dir, 'answers', `${key}.json`);
      return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as BridgeAnswer) : null;
    },
    refused(): { operation: string; message: string }[] {
      appendFileSync(join(dir, 'refused.jsonl'), '');
      const lines = readFileSync(join(dir, 'refused.jsonl'), 'utf8').split('\n').filter(Boolean);
      return lines.map((line) => JSON.parse(line));
    },
    files: (folder: string): string[] =>
      existsSync(join(dir, folder)) ? readdirSync(join(dir, folder)).sort() : [],
    async close(): Promise<void> {
      for (const runtime of clients) await runtime.close();
      for (const bridge of opened) await bridge.close();
      await room.close();
    },
  };
  rig.bridge = await rig.open();
  return rig;
}
