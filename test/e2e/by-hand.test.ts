// What a person does by hand in a running room: a comment, a word in a file, a plan made final.

import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { room } from './each-room.ts';

test("a person's comment asks for a turn, an agent's and one on a finished task do not", async () => {
  const daemon = await room.up();
  room.save('tasks/A.md', 'Ask if need be.\n');
  await daemon.see('turn.ended', { name: 'A' });
  await room.quiet(daemon);
  const from = daemon.mark();
  await room.ok('comment', 'A', 'The second one, please.');
  await daemon.see('turn.started', { name: 'A', reasons: ['comment'] }, from);
  await daemon.see('turn.ended', { name: 'A' }, from);
  await room.ok('done', 'A');
  await room.quiet(daemon);
  await room.ok('comment', 'A', 'Thank you.');
  await room.quiet(daemon);
  room.agent('talker', { command: 'taskroom comment "Which one?"' });
  room.save('tasks/B.md', '---\nowner: talker\n---\nAsk.\n');
  await daemon.see('turn.ended', { name: 'B' });
  await room.quiet(daemon);
  expect(daemon.all('turn.started').map(({ name }) => name)).toEqual(['A', 'A', 'B']);
});

test('status: deleted takes the file to the attic while a daemon runs, and every face is rid of it', async () => {
  room.save('tasks/Old.md', '---\nid: abc12345\nstatus: draft\n---\n\nNot needed.\n');
  const daemon = await room.up();
  await room.quiet(daemon);
  room.save('tasks/Old.md', room.read('tasks/Old.md').replace('draft', 'Deleted'));
  await daemon.see('task.gone', { id: 'abc12345' });
  const { tasks } = await room.json('list');
  expect(tasks.map(({ name }: { name: string }) => name)).not.toContain('Old');
  const kept = await room.json('show', 'abc12345');
  expect(kept).toMatchObject({
    name: 'Old',
    deleted: true,
    path: expect.stringMatching(/^\.taskroom\/attic\/.*-Old\.md$/),
  });
  expect(room.read(kept.path)).toContain('status: Deleted');
  expect(await room.ok('show', 'Old')).toContain('canceled, deleted');
});

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
