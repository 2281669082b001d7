// A clock that was set back while nobody looked: what was due by the old clock is not put off until it catches up.
import { utimesSync } from 'node:fs';
import { expect, test } from 'vitest';
import { room } from './each-room.ts';
import { SETTINGS } from './room.ts';

const DAY_MS = 86_400_000;

test('a retry that lies a day ahead is tried at once', async () => {
  room.agent('failing', { command: 'exit 3' });
  room.save('tasks/Fail.md', '---\nowner: failing\n---\nFail.\n');
  expect((await room.run(['once'])).code).toBe(1);
  room.sql(`UPDATE tasks SET retry_at = ${Date.now() + DAY_MS}`);
  const daemon = await room.up();
  await daemon.see('turn.started', { name: 'Fail', attempt: 2 });
});

test('a heartbeat that was last heard in two days does not silence those until then', async () => {
  room.save('tasks/Open.md', 'Open.\n');
  expect((await room.run(['once'])).code).toBe(0);
  room.sql(`INSERT OR REPLACE INTO meta(key, value) VALUES('heartbeat', '${Date.now() + 2 * DAY_MS}')`);
  const daemon = await room.up();
  await room.quiet(daemon);
  await room.json('stop');
  expect(daemon.all('turn.started')).toEqual([]);
  const [{ value }] = room.sql("SELECT value FROM meta WHERE key = 'heartbeat'") as [{ value: string }];
  expect(Number(value)).toBeLessThanOrEqual(Date.now());
});

test('files from tomorrow are read as any other', async () => {
  const tomorrow = (Date.now() + DAY_MS) / 1000;
  room.settings(...SETTINGS);
  const daemon = await room.up();
  room.save('tasks/Later.md', 'From tomorrow.\n');
  utimesSync(room.at('tasks/Later.md'), tomorrow, tomorrow);
  await daemon.see('turn.ended', { name: 'Later', state: 'completed' });
  await room.quiet(daemon);
  expect(daemon.all('turn.started')).toHaveLength(1);
});
