// Runners of programs hold on a worker what they hold beside their room: through PostgreSQL, a `taskroom worker` that is a
// process of its own, and its reports.
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { createAcpRunner } from '../../src/agents/acp/acp.ts';
import { createCommandRunner } from '../../src/agents/command/command.ts';
import type { Outcome, RunInput, Runner } from '../../src/agents/runner.ts';
import { createTurnBridges } from '../../src/app/bridge/turn-bridges.ts';
import { createRemoteRunner } from '../../src/app/workers/host/remote-runner.ts';
import { createPgBossQueue, type WorkQueue } from '../../src/app/workers/queue/pg-boss-queue.ts';
import type { AgentConfig } from '../../src/core/config/agent-config.ts';
import { openWorkerHost, type WorkerHostRig } from '../app/workers/host/worker-host-rig.ts';
import { runnerConformance } from '../conformance/runner.ts';
import type { RunnerSetup } from '../conformance/runner-bench.ts';
import { buildProgram, TURN_PROGRAM, until } from '../e2e/room.ts';
import { startWorker, type WorkerProcess } from '../e2e/workers.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { openTestRoom, type TestRoom } from '../tasks/test-room.ts';
import { commandOf } from './acp/scripted-turn.ts';
import { type PreparedTurn, readIfThere } from './prepared-turn.ts';

const ROOM = 'conformance';
const QUEUE = 'ROOM_QUEUE';
/** What programs of the suite leave in the folder of `AGENT_ROOM`, and where they wait. */
const LEFT = ['go', 'here', 'child', 'ran', 'surroundings.json'];
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));

const home = tempFolder('taskroom-home');
const folder = join(home, 'cache');
const there = join(folder, ROOM);
let postgres: Postgres;
let queue: WorkQueue;
let room: TestRoom;
let desk: WorkerHostRig;
let worker: WorkerProcess;
let turns = 0;

beforeAll(async () => {
  buildProgram();
  postgres = await startPostgres();
  queue = createPgBossQueue({ url: postgres.url, room: ROOM, role: 'host', onTrouble: () => undefined });
  room = openTestRoom();
  desk = await openWorkerHost({ room, queue, roomId: ROOM, variable: QUEUE, version });
  worker = startWorker('far', home, {
    token: desk.token,
    args: ['--dir', folder, '--url', desk.url],
    env: { [QUEUE]: postgres.url, KEPT: 'kept', LENDER: 'lent' },
  });
  await until('the worker takes turns', () => /takes turns of runbook/.test(worker.said()));
  mkdirSync(there, { recursive: true });
}, 120_000);

afterAll(async () => {
  // The second time it hands back what a test that failed left running.
  for (const _ of [1, 2]) worker.signal('SIGTERM');
  await worker.ended;
  await desk.close();
  await queue.close();
  await room.close();
  await postgres.close();
});

runnerConformance(
  'command on a worker',
  elsewhere(createCommandRunner(), false, (line) => ['sh', '-c', line]),
);
runnerConformance(
  'acp on a worker',
  elsewhere(createAcpRunner(), true, (line) => commandOf({ line })),
);

function elsewhere(runner: Runner, talks: boolean, commandFor: (line: string) => string[]): RunnerSetup {
  return {
    create: () => sentOut(runner),
    options: (line) => ({
      // As on record: its queue is named after it.
      agent: { id: 'runbook', runner: runner.name, command: commandFor(line) } as Partial<AgentConfig>,
    }),
    promptOnStdin: !talks,
    talks,
    endsWithLine: true,
    keepsOutput: true,
    // What came after a stop is told with the end.
    printed: (rig) => readIfThere(join(placesOf(rig).dir, 'output.log')) || rig.log(),
    elsewhere: { placesOf, version, withheld: ['TASKROOM_TOKEN', QUEUE] },
  };
}

function placesOf({ input }: PreparedTurn) {
  const dir = join(there, '.taskroom/turns', input.turn.id);
  const { thread } = room.deps.ledger.turns.get(input.turn.id)!;
  const cwd = join(there, 'work', thread.replaceAll(':', '-'));
  return { room: there, dir, path: dirname(TURN_PROGRAM), cwd };
}

/** The runner as a room with a queue has it; each turn is on record as running while it runs. */
function sentOut(local: Runner): Runner {
  const runner = createRemoteRunner(local, desk?.dispatching);
  return {
    ...runner,
    async *run(input) {
      putOnRecord(input);
      const bridge = await bridgesOf(desk).open(input.turn.id, () => undefined, true);
      let outcome: Outcome;
      try {
        outcome = yield* runner.run(input);
      } finally {
        await bridge.close();
      }
      const { state, reason, exitCode, signal, message } = outcome;
      const endedAt = room.deps.effects.now();
      room.deps.ledger.turns.end(input.turn.id, { state, reason, exitCode, signal, message, endedAt });
      return outcome;
    },
  };
}

function bridgesOf({ bridges }: WorkerHostRig) {
  const parts = { deps: room.deps, tasks: room.tasks, open: bridges };
  return createTurnBridges({ ...parts, endJobs: async () => undefined });
}

function putOnRecord(input: RunInput): void {
  if (room.deps.ledger.turns.get(input.turn.id) !== null) return;
  turns += 1;
  room.runTurn(input.turn.id, `suite${turns}`);
  for (const name of LEFT) {
    rmSync(join(there, name), { force: true });
    symlinkSync(join(input.room, name), join(there, name));
  }
}
