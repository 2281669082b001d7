// A room whose turns run on other machines: from a task's file to its outcome through the queue, a worker and back. How long
// a kill and a move take at most is measured by `npm run test:workers`.
import { expect, test } from 'vitest';
import { forAllTests, forEachTest } from '../support/for-each-test.ts';
import { startPostgres } from '../support/postgres.ts';
import { until } from './room.ts';
import { createSite } from './workers.ts';

const postgres = forAllTests(() => startPostgres());
const site = forEachTest(() => createSite(postgres));

const REPORTS = `cat > seen-prompt.md
program=$(grep -o '/[^ \`]*/turn-path/taskroom' seen-prompt.md | head -n 1)
"$program" progress "begun at $TASKROOM_BRIDGE"
echo "printed by the agent"
taskroom step --add "Look around"
taskroom step 1
taskroom outcome "Finished elsewhere."
taskroom done
`;

test('a turn runs at a worker: its agent reports, its output is here, and it holds nothing of the room', async () => {
  const { room } = site;
  room.agent('far', { command: ['/bin/sh', '-c', REPORTS] });
  const daemon = await room.up('--port', '0');
  await daemon.see('api.ready');
  room.save('tasks/Fix it.md', '---\nowner: far\nstatus: todo\n---\n\nFix the build.\n');
  await daemon.see('task.waiting', {}, 0);
  const why = await room.ok('list');
  expect(why).toContain('waits for a worker that can run its agent');
  const worker = await site.worker('build-2');
  const { turn } = await daemon.see('turn.claimed', { worker: 'build-2', attempt: 0 });
  expect(turn).toMatch(/^r/);
  const end = await daemon.see('turn.ended', { name: 'Fix it' });
  expect(end).toMatchObject({ state: 'completed', reason: 'ok' });
  const text = room.read('tasks/Fix it.md');
  expect(text).toContain(`begun at ${worker.home}/cache/`);
  expect(text).toMatch(/- \[x\] Look around/);
  expect(text).toContain('Finished elsewhere.');
  expect(text).toContain('status: done');
  expect(await room.ok('log', String(turn))).toContain('printed by the agent');
  worker.signal('SIGTERM');
  expect(await worker.ended).toBe(0);
  expect(site.agentsOf(worker)).toEqual([]);
});

test('a kill reaches the worker, and nothing of the turn is left there', async () => {
  const { room } = site;
  room.agent('far', { command: ['/bin/sh', '-c', 'sleep 600'] });
  const daemon = await room.up('--port', '0');
  await daemon.see('api.ready');
  const worker = await site.worker('build-2');
  room.save('tasks/Long.md', '---\nowner: far\nstatus: todo\n---\n\nSleep.\n');
  await daemon.see('turn.claimed', {});
  await until('its agent runs', () => site.agentsOf(worker).length > 0);
  await room.ok('kill', 'Long');
  const end = await daemon.see('turn.ended', { name: 'Long' });
  expect(end).toMatchObject({ state: 'killed', reason: 'person' });
  expect(site.agentsOf(worker)).toEqual([]);
});

test('a worker that is stopped twice gives its turns back to another', async () => {
  const { room } = site;
  const log = room.at('starts.log');
  const command = `echo "$PWD" >> '${log}'; if [ "$(wc -l < '${log}')" -lt 2 ]; then sleep 600; fi; taskroom done`;
  room.agent('far', { command: ['/bin/sh', '-c', command] });
  const daemon = await room.up('--port', '0');
  await daemon.see('api.ready');
  const first = await site.worker('one');
  room.save('tasks/Back.md', '---\nowner: far\nstatus: todo\n---\n\nMove.\n');
  await daemon.see('turn.claimed', { worker: 'one' });
  await until('its agent runs', () => site.agentsOf(first).length > 0);
  await site.worker('two');
  first.signal('SIGINT');
  await until('it takes nothing new', () => /no new turns/.test(first.said()));
  first.signal('SIGINT');
  expect(await first.ended).toBe(0);
  await daemon.see('turn.claimed', { worker: 'two', attempt: 1 });
  expect(await daemon.see('turn.ended', { name: 'Back' })).toMatchObject({ state: 'completed' });
});
