// The end of a task: done and canceled, by command and by hand, while a turn runs and after it; and opened again.
import { describe, expect, test } from 'vitest';
import { room } from './each-room.ts';
import { NAME, PATH, runningTask, startsOf } from './one-task.ts';

describe('done and reopened', () => {
  test('a task that becomes done while its turn runs gives the turn time to end by itself', async () => {
    const { turn, daemon } = await runningTask(room);
    room.open(NAME, 'taskroom done --outcome "it works"; read -r more < "$pipe"');
    await daemon.see('task.changed', { name: NAME, status: 'done' });
    await room.json('list');
    expect(daemon.all('turn.ended')).toEqual([]);
    room.open(NAME);
    await daemon.see('turn.ended', { turn, state: 'completed' });
    await room.quiet(daemon);
    expect(startsOf(daemon)).toBe(1);
    expect((await room.json('history')).history).toHaveLength(1);
  });

  test('canceled while its turn runs: the turn is stopped', async () => {
    const { id, turn, daemon } = await runningTask(room);
    room.edit(PATH, (text) => text.replace('status: doing', 'status: canceled'));
    await daemon.see('turn.ended', { turn, state: 'killed', reason: 'canceled' });
    await room.quiet(daemon);
    expect((await room.json('history', id)).history).toMatchObject([{ status: 'canceled' }]);
  });
});
