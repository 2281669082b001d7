// A real room in a temp folder with everything the operations need, a clock moved by hand, and a daemon that is
// there or not as a test wants.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentConfig } from '../../src/core/config/agent-config.ts';
import type { RoomConfig } from '../../src/core/config/room-config.ts';
import { type ErrorCode, isRoomError, type RoomError } from '../../src/core/errors.ts';
import { createEventBus, type RoomEvent } from '../../src/core/events.ts';
import { type TaskId, type TurnId, threadOfTask } from '../../src/core/ids.ts';
import { createNodeEffects } from '../../src/node.ts';
import {
  type Client,
  createClient,
  type InputOf,
  type OperationName,
  type OutputOf,
} from '../../src/operations/client.ts';
import { defaultRoomConfig, readAgents } from '../../src/store/files/config-files.ts';
import { openLedger } from '../../src/store/ledger/ledger.ts';
import type { TurnRecord } from '../../src/store/ledger/turns/turns.ts';
import { openRoom } from '../../src/store/room.ts';
import { createWriter } from '../../src/store/write/writer.ts';
import { takeInArtifacts } from '../../src/tasks/plans/take-in-artifacts.ts';
import type { Actor, RoomHandle, TaskRoom } from '../../src/tasks/task-room.ts';
import { tempFolder } from '../support/temp-folder.ts';

export const PERSON: Actor = { kind: 'person' };
export const AGENT: Actor = { kind: 'agent', agent: 'runbook', turn: 'b00000000' as TurnId };

// Later than any file time of today, so that no file looks as if it were being written right now.
const START_MS = Date.UTC(2040, 0, 2, 3, 4, 5);

export interface TestRoom {
  dir: string;
  deps: TaskRoom;
  handle: RoomHandle;
  tasks: Client;
  /** Calls an operation, as the person unless told otherwise. */
  call<Name extends OperationName>(name: Name, input: InputOf<Name>, actor?: Actor): Promise<OutputOf<Name>>;
  events: RoomEvent[];
  rings: number;
  killed: { turn: string; reason: string }[];
  daemon: boolean;
  settings: Partial<RoomConfig>;
  now(): number;
  later(ms: number): void;
  /** Saves as an editor does, by rename. */
  save(name: string, text: string): void;
  read(path: string): string;
  names(folder: string): string[];
  /** A second process on the same room, with its own ledger handle. */
  reopen(ledgerPath?: string): Promise<void>;
  runTurn(id: string, task: string): TurnRecord;
  close(): Promise<void>;
}

export function openTestRoom(agents: Record<string, object> = {}): TestRoom {
  const dir = tempFolder('taskroom-tasks');
  mkdirSync(join(dir, 'tasks'));
  for (const [id, agent] of Object.entries({ runbook: {}, ...agents })) {
    mkdirSync(join(dir, 'agents', id), { recursive: true });
    const runner = 'runner' in agent ? {} : { runner: 'command', command: ['true'] };
    writeFileSync(join(dir, 'agents', id, 'agent.json'), JSON.stringify({ ...runner, ...agent }));
  }
  const room = openRoom(dir);
  const node = createNodeEffects();
  let nowMs = START_MS;
  const effects = { ...node, now: () => nowMs };
  const defaults = defaultRoomConfig();
  const found: ReadonlyMap<string, AgentConfig> = readAgents(dir).agents;

  const rig = { dir, events: [], rings: 0, killed: [], daemon: false, settings: {} } as unknown as TestRoom;
  const wire = (ledgerPath: string): void => {
    const ledger = openLedger(ledgerPath, { effects: createNodeEffects() });
    const events = createEventBus((fault) => {
      throw fault;
    });
    events.subscribe((event) => rig.events.push(event));
    const config = () => ({ ...defaults, ...rig.settings });
    const writer = createWriter({ room, database: ledger.database, effects, words: config });
    rig.deps = { room, ledger, writer, effects, events, config, agents: () => found };
    const ports = {
      daemonRuns: () => rig.daemon,
      ring: () => {
        rig.rings += 1;
      },
      async takeInArtifacts(handle: RoomHandle) {
        await takeInArtifacts(handle);
      },
      killOrphan: async (turn: TurnRecord, reason: string) => {
        rig.killed.push({ turn: turn.id, reason });
        rig.deps.ledger.turns.end(turn.id, {
          state: 'killed',
          reason: 'person',
          exitCode: null,
          signal: null,
          message: '',
          endedAt: nowMs,
        });
      },
    };
    rig.handle = Object.assign(rig.deps, { ports });
    rig.tasks = createClient(rig.handle);
  };
  const shut = async (): Promise<void> => {
    await rig.deps.writer.close();
    rig.deps.ledger.close();
  };
  Object.assign(rig, {
    call: (name: OperationName, input: never, actor = PERSON) => rig.tasks.call(name, input, actor),
    now: () => nowMs,
    later: (ms: number) => {
      nowMs += ms;
    },
    save(name: string, text: string) {
      writeFileSync(join(dir, 'tasks/.saving'), text);
      renameSync(join(dir, 'tasks/.saving'), join(dir, 'tasks', name));
    },
    read: (path: string) => readFileSync(join(dir, path), 'utf8'),
    names(folder: string) {
      try {
        return readdirSync(join(dir, folder)).sort();
      } catch {
        return [];
      }
    },
    async reopen(ledgerPath = room.ledgerPath) {
      await shut();
      wire(ledgerPath);
    },
    runTurn(id: string, task: string) {
      const thread = threadOfTask(task as TaskId);
      const { requests, turns } = rig.deps.ledger;
      requests.add({
        thread,
        origin: 'task',
        agent: 'runbook',
        reasons: ['run'],
        priority: 1,
        askedAt: nowMs,
        forced: false,
        outside: true,
      });
      const fields = {
        agent: 'runbook',
        runner: 'runbook',
        reasons: ['run' as const],
        attempt: 1,
        revision: 'r',
        description: task,
      };
      turns.begin({
        id: id as TurnId,
        thread,
        origin: 'task',
        ...fields,
        outside: true,
        askedAt: nowMs,
        startedAt: nowMs,
      });
      return turns.get(id)!;
    },
    async close() {
      await shut();
    },
  });
  wire(room.ledgerPath);
  return rig;
}

/** The RoomError that a promise fails with; any other end fails the test. */
export async function failureOf(promise: Promise<unknown>): Promise<RoomError> {
  try {
    await promise;
  } catch (error) {
    if (isRoomError(error)) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

export async function codeOf(promise: Promise<unknown>): Promise<ErrorCode> {
  return (await failureOf(promise)).code;
}
