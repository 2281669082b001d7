// The operations that an agent on a worker has are those of the room: from its turn's bridge there, through the worker's reports
// and the host's API, to the turn's bridge here.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TaskRunInput } from '../../../../src/agents/runner.ts';
import { createTurnBridges } from '../../../../src/app/bridge/turn-bridges.ts';
import { createRemoteTurn } from '../../../../src/app/workers/host/remote-runner.ts';
import { createPgBossQueue, type WorkQueue } from '../../../../src/app/workers/queue/pg-boss-queue.ts';
import { createHost } from '../../../../src/app/workers/worker/host.ts';
import { createReporter } from '../../../../src/app/workers/worker/reporter.ts';
import { openWorkerBridge } from '../../../../src/app/workers/worker/run-turn.ts';
import { openTurnRoom } from '../../../../src/cli/turn/turn-room.ts';
import { threadOfTask } from '../../../../src/core/ids.ts';
import { createNodeEffects } from '../../../../src/node.ts';
import { prepareTurn } from '../../../agents/prepared-turn.ts';
import { Lacking, seedRoom, testOperations } from '../../../conformance/operations.ts';
import { forAllTests } from '../../../support/for-each-test.ts';
import { startPostgres } from '../../../support/postgres.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { failureOf, openTestRoom, type TestRoom } from '../../../tasks/test-room.ts';
import { TURN } from '../../bridge/bridge-rig.ts';
import { openWorkerHost } from './worker-host-rig.ts';

const ROOM = 'conformance';
const AGENT = 'runbook';
const TASK = 'abc12345';
const effects = createNodeEffects({});

const postgres = forAllTests(() => startPostgres());
let atHost: WorkQueue;
let atWorker: WorkQueue;
beforeAll(() => {
  const options = { url: postgres.url, room: ROOM, onTrouble: () => undefined };
  atHost = createPgBossQueue({ ...options, role: 'host' });
  atWorker = createPgBossQueue({ ...options, role: 'worker' });
});
afterAll(async () => {
  await atWorker.close();
  await atHost.close();
});

testOperations({
  answers: 'whole',
  open: async () => {
    const room = openTestRoom();
    seedRoom(room);
    room.runTurn(TURN, TASK);
    const { tasks, close } = await openTurnAtWorker(room);
    return {
      ...{ tasks, room, actor: { kind: 'agent', agent: AGENT, turn: TURN } as const },
      async close() {
        await close();
        await room.close();
      },
    };
  },
});

test('a job of the room is not started from there', async () => {
  const room = openTestRoom();
  seedRoom(room);
  room.runTurn(TURN, TASK);
  const { call, close } = await openTurnAtWorker(room);
  const error = await failureOf(
    call('startJob', { task: 'One', command: 'true' }, { kind: 'agent', agent: AGENT, turn: TURN }),
  );
  await close();
  await room.close();
  expect(error).toMatchObject({
    code: 'refused',
    message: expect.stringMatching(/starts no jobs of the room/),
  });
});

/** Sends the room's turn out, takes it as a worker does, and opens its bridge there. */
async function openTurnAtWorker(room: TestRoom) {
  const faults: unknown[] = [];
  const onTrouble = (error: unknown) => void faults.push(error);
  const desk = await openWorkerHost({ room, queue: atHost, roomId: ROOM, variable: 'ROOM_QUEUE' });
  const { table, remoteTurns } = desk.dispatching;
  const prepared = prepareTurn();
  const here = await createTurnBridges({
    ...{ deps: room.deps, tasks: room.tasks, open: desk.bridges },
    endJobs: async () => undefined,
  }).open(TURN, onTrouble, true);
  const id = randomUUID();
  table.add(TURN, id);
  const given = { ...prepared.input, turn: { id: TURN, attempt: 1 }, reach: here.reach } as TaskRunInput;
  remoteTurns.set(TURN, createRemoteTurn(given));
  await atHost.send({ id, agent: AGENT, turn: TURN, thread: threadOfTask(TASK as never), priority: 1 });
  const [job] = await atWorker.fetch([AGENT], 1);

  const worker = 'workerofthesuite';
  const host = createHost({ url: desk.url, token: desk.token, id: worker, effects, withoutTls: false });
  await host('hello', { id: worker, name: 'far', version: '0.0.0', slots: 1, agents: [AGENT] });
  const claimed = await host('claim', { turn: TURN, attempt: job!.attempt });
  const reporter = createReporter({
    effects,
    ...{ host, job: job! },
    onLost: () => onTrouble(new Error('the attempt was lost')),
    onTrouble,
  });
  const folder = tempFolder('taskroom-worker');
  const dir = join(folder, TURN, 'bridge');
  const there = openWorkerBridge({ claimed, reporter, dir: join(folder, TURN), effects, onTrouble }, true);
  const turnRoom = openTurnRoom(dir, effects);
  // A job runs beside the room, where the agent of another machine has nothing to run.
  const { call } = turnRoom.tasks;
  const callOther: typeof call = async (name, ...given) => {
    if (name === 'startJob') throw new Lacking(name);
    return call(name, ...given);
  };
  return {
    ...{ tasks: { ...turnRoom.tasks, call: callOther }, call },
    async close() {
      await turnRoom.close();
      await there.drain();
      there.close();
      reporter.close();
      await atWorker.complete(job!);
      await here.close();
      await desk.close();
      expect(faults).toEqual([]);
    },
  };
}
