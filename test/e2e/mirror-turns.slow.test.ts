// Mirrored tasks in a running room: answers go up soon after a turn, what comes back starts nothing, and only people the
// mirror trusts start turns.
import { expect, test } from 'vitest';
import { mirror, room } from './each-mirror-room.ts';

const FIRST = 'Login fails (issues#1)';

test('what a turn did goes up soon after it, and its echo starts no second turn', async () => {
  mirror.open('Login fails');
  await room.ok('sync');
  // Its chore never runs by itself: what goes up is pushed for the turn's sake.
  const daemon = await room.up();
  await daemon.see('mirror.pushed', { name: FIRST, status: 'done' });
  expect(mirror.issue(1).state).toBe('done');
  const said = mirror.issue(1).comments.map(({ body }) => body);
  expect(said.filter((body) => body.includes('Looked at it'))).toHaveLength(1);
  expect(said.filter((body) => body.includes('All is well'))).toHaveLength(1);
  await room.quiet(daemon);
  const [report] = (await room.json('sync')).reports;
  expect(report).toMatchObject({ created: 0, updated: 0, pushed: 0, comments_in: 0, comments_out: 0 });
  await room.quiet(daemon);
  expect(daemon.all('turn.started', { name: FIRST })).toHaveLength(1);
  expect(mirror.issue(1).comments).toHaveLength(2);
  expect((await room.json('mirrors')).mirrors).toMatchObject([{ state: 'in_sync', waiting: 0 }]);
});

test('once ends when what its turns did is upstream, the end of a task after its turn', async () => {
  mirror.open('Login fails');
  mirror.open('Search fails');
  await room.ok('sync');
  const said = await room.ok('once');
  for (const id of [1, 2]) {
    expect(mirror.issue(id).state).toBe('done');
    expect(mirror.issue(id).comments.at(-1)!.body).toContain('All is well');
  }
  expect(said).toMatch(/↑ Login fails +closed upstream, \d comments?\n/);
  expect((await room.json('mirrors')).mirrors).toMatchObject([{ state: 'in_sync' }, { state: 'in_sync' }]);
});

test('what was done while nothing ran goes up at the start; a failing tracker is told once, with what to do', async () => {
  mirror.open('Login fails');
  await room.ok('sync');
  await room.ok('done', FIRST, '--outcome', 'Mended by hand.');
  expect(mirror.issue(1).state).toBe('open');
  const daemon = await room.up();
  await daemon.see('mirror.pushed', { name: FIRST, status: 'done', comments: 1 });
  expect(mirror.issue(1).comments.at(-1)!.body).toContain('Mended by hand.');

  const provider = room.read('json-file.mjs');
  await room.ok('stop');
  await daemon.ended;
  room.save('json-file.mjs', 'export const factory = 1;');
  await room.ok('reopen', FIRST);
  const again = await room.up();
  const failed = await again.see('sync.failed', { chore: 'web', direction: 'push' });
  expect(failed.message).toContain('json-file.mjs');
  await again.see('turn.ended', { name: FIRST });
  await room.quiet(again);
  expect(again.all('sync.failed')).toHaveLength(1);
  await room.ok('stop');
  await again.ended;
  room.save('json-file.mjs', provider);
  const [report] = (await room.json('sync')).reports;
  expect(report.error).toBeNull();
  expect((await room.json('mirrors')).mirrors).toMatchObject([{ state: 'in_sync', waiting: 0 }]);
});
