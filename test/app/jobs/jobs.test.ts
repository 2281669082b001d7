// The keeper of jobs between two runtimes: what one began the next takes up, and nothing is started twice.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createJobs, type RoomJobs } from '../../../src/app/jobs/jobs.ts';
import type { TaskId, TurnId } from '../../../src/core/ids.ts';
import { refresh } from '../../../src/tasks/observe/refresh.ts';
import { forEachTest } from '../../support/for-each-test.ts';
import { openTestRoom } from '../../tasks/test-room.ts';

const PATIENCE = { timeout: 20_000, interval: 50 };

const room = forEachTest(() => openTestRoom({ smith: {} }));
let keepers: RoomJobs[];

beforeEach(async () => {
  keepers = [];
  room.save('Work.md', '---\nid: work1234\nowner: smith\n---\nDo it.\n');
  await refresh(room.handle);
});

afterEach(async () => {
  for (const { id } of room.deps.ledger.jobs.active()) room.deps.ledger.jobs.askToStop(id, 'person');
  const last = await keeper();
  last.look();
  await expect.poll(() => room.deps.ledger.jobs.active(), PATIENCE).toEqual([]);
  for (const each of keepers) await each.close();
});

async function keeper(onDue: (task: TaskId) => void = () => undefined): Promise<RoomJobs> {
  const jobs = createJobs({
    deps: room.deps,
    tasks: room.tasks,
    workspaces: { agentIn: (_task, agent) => agent },
  });
  keepers.push(jobs);
  await jobs.open({
    onDue,
    onTrouble(error) {
      throw error;
    },
  });
  return jobs;
}

function ask(id: string, command: string, keep = true): TurnId {
  const about = {
    kind: 'job' as const,
    task: 'work1234' as TaskId,
    turn: null,
    agent: 'smith',
    toolCall: null,
  };
  room.deps.ledger.jobs.add({
    ...about,
    id: id as TurnId,
    command,
    description: id,
    keep,
    watch: null,
    askedAt: room.now(),
  });
  return id as TurnId;
}

const job = (id: TurnId) => room.deps.ledger.jobs.get(id)!;
const file = (name: string) => join(room.dir, name);

test('a job that was started before that was on record is taken up, not started again', async () => {
  const id = ask('b11111111', 'echo once >> starts; while [ ! -e go ]; do /bin/sleep 0.05; done; exit 7');
  const first = await keeper();
  first.look();
  await expect.poll(() => existsSync(file('starts')), PATIENCE).toBe(true);
  await first.close();
  // As if the first had died between the start of the process and its record.
  room.deps.ledger.database.run("UPDATE jobs SET state = 'pending', started_at = NULL, pid = NULL");
  const woken: string[] = [];
  const second = await keeper((task) => woken.push(task));
  second.look();
  writeFileSync(file('go'), '');
  await expect.poll(() => job(id).state, PATIENCE).toBe('failed');
  expect(job(id)).toMatchObject({ reason: 'exit', exitCode: 7 });
  expect(readFileSync(file('starts'), 'utf8')).toBe('once\n');
  await expect.poll(() => woken, PATIENCE).toEqual(['work1234']);
  expect(room.deps.ledger.wakes.of('work1234')).toEqual(['job_ended']);
});

test('one that is pending when its keeper dies is started by the next', async () => {
  const id = ask('b22222222', 'echo here');
  const first = await keeper();
  await first.close();
  (await keeper()).look();
  await expect.poll(() => job(id).state, PATIENCE).toBe('completed');
});

test('one that is to end before it began never runs', async () => {
  const id = ask('b33333333', ': > ran');
  room.deps.ledger.jobs.askToStop(id, 'person');
  (await keeper()).look();
  await expect.poll(() => job(id).state, PATIENCE).toBe('killed');
  expect(existsSync(file('ran'))).toBe(false);
});

test('jobs of a canceled task end', async () => {
  const id = ask('b44444444', 'exec /bin/sleep 600');
  const jobs = await keeper();
  jobs.look();
  await expect.poll(() => job(id).pid, PATIENCE).not.toBe(null);
  await room.call('cancel', { ref: 'Work' }, { kind: 'person' });
  jobs.look();
  await expect.poll(() => job(id), PATIENCE).toMatchObject({ state: 'killed', reason: 'canceled' });
});
