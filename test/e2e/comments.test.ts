// A person's word on a task wakes its agent.
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
