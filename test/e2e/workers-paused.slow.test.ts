// A worker that is alone: paused, as a laptop whose lid is closed, and going on when its turns run elsewhere, when nothing that it
// or its agents say has an effect; or told to end while the room and its queue are away.
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { until } from './room.ts';
import { createSite, type Site } from './workers.ts';

let postgres: Postgres;
let site: Site;
beforeAll(async () => {
  postgres = await startPostgres();
  site = await createSite(postgres);
}, 60_000);
afterAll(async () => {
  await site?.close();
  await postgres?.close();
});

const TASKS = ['awake', 'asleep'];

test('a worker that was paused learns that its turns are others’, ends their agents, and changes nothing', async () => {
  const { room } = site;
  const first = `taskroom progress "first began"; read -r go < '${room.dir}/gates/first-'$TASKROOM_TASK; taskroom progress "first too late"; taskroom done; echo "first was heard" >> '${room.dir}/heard.log'; sleep 600`;
  const second = `taskroom progress "second began"; read -r go < '${room.dir}/gates/second-'$TASKROOM_TASK; taskroom progress "second went on"; taskroom done`;
  const command = `echo $$ >> '${room.dir}/pids-'$TASKROOM_TASK; if [ "$(wc -l < '${room.dir}/pids-'$TASKROOM_TASK)" -lt 2 ]; then ${first}; else ${second}; fi`;
  room.agent('far', { runner: 'command', command: ['/bin/sh', '-c', command] });
  const daemon = await room.up('--port', '0');
  await daemon.see('api.ready');
  const one = await site.worker('one', { args: ['--slots', '2'] });
  for (const task of TASKS) {
    room.gate(`first-${task}`);
    room.gate(`second-${task}`);
    room.save(`tasks/${task}.md`, `---\nid: ${task}\nowner: far\nstatus: todo\n---\n\nMove.\n`);
  }
  const says = (task: string, word: string) => room.read(`tasks/${task}.md`).includes(word);
  for (const task of TASKS) await until('its agent has begun', () => says(task, 'first began'));
  const pidOf = (task: string) => Number(room.read(`pids-${task}`).split('\n')[0]);
  await site.worker('two', { args: ['--slots', '2'] });
  one.signal('SIGSTOP');
  process.kill(pidOf('asleep'), 'SIGSTOP');
  // The one whose agent goes on without its worker speaks to nobody.
  room.open('first-awake');
  for (const task of TASKS) await daemon.see('turn.claimed', { id: task, worker: 'two', attempt: 1 });
  for (const task of TASKS) await until('it runs elsewhere', () => says(task, 'second began'));
  process.kill(pidOf('asleep'), 'SIGCONT');
  one.signal('SIGCONT');
  room.open('first-asleep');
  await until('its agents are ended', () => site.agentsOf(one).length === 0);
  await until('it says so', () => one.said().match(/lost to another worker/g)?.length === 2);
  expect(daemon.all('turn.ended')).toEqual([]);
  for (const task of TASKS) room.open(`second-${task}`);
  for (const task of TASKS) {
    const end = await daemon.see('turn.ended', { id: task });
    expect(end).toMatchObject({ state: 'completed', reason: 'ok' });
    const text = room.read(`tasks/${task}.md`);
    expect(['first began', 'second began', 'second went on'].map((word) => text.split(word).length)).toEqual([
      2, 2, 2,
    ]);
    expect(text).not.toContain('too late');
  }
  expect(daemon.all('turn.ended')).toHaveLength(2);
  expect(readdirSync(room.dir)).not.toContain('heard.log');
  // It takes turns again.
  one.signal('SIGTERM');
  expect(await one.ended).toBe(0);
  await daemon.kill();
}, 60_000);

test('a worker whose room and queue are away ends at the second signal, and leaves no agent', async () => {
  const { room } = site;
  room.agent('alone', { runner: 'command', command: ['/bin/sh', '-c', 'echo begun; sleep 600'] });
  const daemon = await room.up('--port', '0');
  await daemon.see('api.ready');
  const three = await site.worker('three', { args: ['--agents', 'alone'] });
  room.save('tasks/left.md', '---\nid: left\nowner: alone\nstatus: todo\n---\n\nWait.\n');
  await until('its agent has begun', () => site.agentsOf(three).length > 0);
  await Promise.all([daemon.kill(), postgres.kill()]);
  three.signal('SIGTERM');
  await until('it says that it waits for one', () => three.said().includes('1 running'));
  await until('it gave up what the queue gives to others', () => site.agentsOf(three).length === 0);
  three.signal('SIGTERM');
  expect(await three.ended).toBe(0);
}, 60_000);
