// Plans in a running room: typed by hand, seen by the watcher, and worked through.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { room } from './each-room.ts';

test('a plan made final by hand beside a daemon gets its tasks, and they run', async () => {
  mkdirSync(room.at('artifacts'), { recursive: true });
  const daemon = await room.up();
  room.save(
    'artifacts/Ship.md',
    '---\ntype: plan\nstage: draft\n---\n## Steps\n- [ ] Build it\n- [ ] Ship it\n',
  );
  await room.quiet(daemon);
  expect(existsSync(room.at('tasks/Build it.md'))).toBe(false);
  room.edit('artifacts/Ship.md', (text) => text.replace('draft', 'final'));
  await daemon.see('turn.ended', { name: 'Build it' });
  await daemon.see('turn.ended', { name: 'Ship it' });
  await room.quiet(daemon);
  expect(room.read('artifacts/Ship.md').match(/\(task:\w{8}\)/g)).toHaveLength(2);
  await room.ok('done', 'Build it');
  expect((await room.json('plan')).plans).toMatchObject([{ name: 'Ship', tasks: { done: 1, total: 2 } }]);
  rmSync(room.at('artifacts/Ship.md'));
  await daemon.see('task.changed', { name: 'Build it', status: 'done' });
  await room.ok('plan', 'new', 'Next', '--step', 'Tell them');
  const made = await room.json('plan', 'final', 'Next');
  expect(made.made).toMatchObject([{ name: 'Tell them' }]);
  await daemon.see('turn.ended', { name: 'Tell them' });
  await room.quiet(daemon);
  expect(room.read('tasks/Ship it.md')).not.toContain('artifact');
});
