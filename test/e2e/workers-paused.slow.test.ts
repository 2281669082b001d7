// A worker that is alone: paused, when its agents are ended beside it before its turns run elsewhere, and going on, when nothing
// that it or its agents said has an effect; or told to end while the room and its queue are away.
import { expect, test } from 'vitest';
import { until } from './room.ts';
import { postgres, room, site } from './site.ts';

const TASKS = ['awake', 'asleep'];

test('the agents of a worker that is paused are ended before its turns are others’, and it learns so and changes nothing', async () => {
  // It does not end when it is asked to.
  const first = `trap '' TERM; taskroom progress "first began"; read -r go < '${room.dir}/gates/first-'$TASKROOM_TASK; taskroom progress "first too late"; taskroom done; sleep 600`;
  const second = `taskroom progress "second began"; read -r go < '${room.dir}/gates/second-'$TASKROOM_TASK; taskroom progress "second went on"; taskroom done`;
  const command = `echo $$ >> '${room.dir}/pids-'$TASKROOM_TASK; if [ "$(wc -l < '${room.dir}/pids-'$TASKROOM_TASK)" -lt 2 ]; then ${first}; else ${second}; fi`;
  room.agent('far', { command: ['/bin/sh', '-c', command] });
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
  // By then no agent of the worker that stands still is left: never two of one task.
  await daemon.see('turn.claimed', { worker: 'two', attempt: 1 });
  expect(site.agentsOf(one)).toEqual([]);
  for (const task of TASKS) await daemon.see('turn.claimed', { id: task, worker: 'two', attempt: 1 });
  for (const task of TASKS) await until('it runs elsewhere', () => says(task, 'second began'));
  one.signal('SIGCONT');
  room.open('first-asleep');
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
  // It takes turns again.
  one.signal('SIGTERM');
  expect(await one.ended).toBe(0);
  await daemon.kill();
}, 60_000);

test('a worker whose room and queue are away ends at the second signal, and leaves no agent', async () => {
  room.agent('alone', { command: ['/bin/sh', '-c', 'echo begun; sleep 600'] });
  const daemon = await room.up('--port', '0');
  await daemon.see('api.ready');
  const three = await site.worker('three', { args: ['--agents', 'alone'] });
  room.save('tasks/left.md', '---\nid: left\nowner: alone\nstatus: todo\n---\n\nWait.\n');
  await until('its agent has begun', () => site.agentsOf(three).length > 0);
  await Promise.all([daemon.kill(), postgres.kill()]);
  three.signal('SIGTERM');
  await until('it says that it waits for one', () => three.said().includes('1 running'));
  three.signal('SIGTERM');
  expect(await three.ended).toBe(0);
  expect(site.agentsOf(three)).toEqual([]);
}, 60_000);
