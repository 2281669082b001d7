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
import { beginTurn, ENDED_WELL } from '../support/ledger-queue.ts';
import { tempFolder } from '../support/temp-folder.ts';

export const PERSON: Actor = { kind: 'person' };
export const AGENT: Actor = { kind: 'agent', agent: 'runbook', turn: 'b00000000' as TurnId };

// Later than any file time of today, so that no file looks as if it were being written right now.
const START_MS = Date.UTC(2040, 0, 2, 3, 4, 5);

export type TestRoom = ReturnType<typeof openTestRoom>;

export function openTestRoom(agents: Record<string, object> = {}) {
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
      takeInArtifacts: async (handle: RoomHandle) => void (await takeInArtifacts(handle)),
      killOrphan: async (turn: TurnRecord, reason: string) => {
        rig.killed.push({ turn: turn.id, reason });
        const end = { ...ENDED_WELL, state: 'killed', reason: 'person', exitCode: null } as const;
        rig.deps.ledger.turns.end(turn.id, { ...end, endedAt: nowMs });
      },
    };
    rig.handle = Object.assign(rig.deps, { ports });
    rig.tasks = createClient(rig.handle);
  };
  const shut = async (): Promise<void> => {
    await rig.deps.writer.close();
    rig.deps.ledger.close();
  };
  const rig = {
    dir,
    // Those of the process that runs the room, by `wire`.
    deps: null as unknown as TaskRoom,
    handle: null as unknown as RoomHandle,
    tasks: null as unknown as Client,
    events: [] as RoomEvent[],
    rings: 0,
    killed: [] as { turn: string; reason: string }[],
    daemon: false,
    settings: {} as Partial<RoomConfig>,
    /** Calls an operation, as the person unless told otherwise. */
    call: <Name extends OperationName>(name: Name, input: InputOf<Name>, actor: Actor = PERSON) =>
      rig.tasks.call(name, input, actor) as Promise<OutputOf<Name>>,
    now: () => nowMs,
    later(ms: number): void {
      nowMs += ms;
    },
    /** Saves as an editor does, by rename. */
    save(name: string, text: string): void {
      writeFileSync(join(dir, 'tasks/.saving'), text);
      renameSync(join(dir, 'tasks/.saving'), join(dir, 'tasks', name));
    },
    read: (path: string): string => readFileSync(join(dir, path), 'utf8'),
    names(folder: string): string[] {
      try {
        return readdirSync(join(dir, folder)).sort();
      } catch {
        return [];
      }
    },
    /** A second process on the same room, with its own ledger handle. */
    async reopen(ledgerPath = room.ledgerPath): Promise<void> {
      await shut();
      wire(ledgerPath);
    },
    runTurn(id: string, task: string): TurnRecord {
      const when = { askedAt: nowMs, startedAt: nowMs };
      const about = { thread: threadOfTask(task as TaskId), description: task };
      return rig.deps.ledger.turns.get(beginTurn(rig.deps.ledger, { id, ...about, ...when }))!;
    },
    close: shut,
  };
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
