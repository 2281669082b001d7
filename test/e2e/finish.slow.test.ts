// The end of a task: done and canceled, by command and by hand, while a turn runs and after it; and opened again.
import { describe, expect } from 'vitest';
import { NAME, PATH, runningTask, settledTask, startsOf } from './one-task.ts';
import { testInRoom } from './room-test.ts';

const test = testInRoom();

describe('done and reopened', () => {
  test('by command: one history line a finish, one more turn after the reopen', async ({ room }) => {
    const { id, daemon } = await settledTask(room);
    await room.ok('done', id, '--outcome', 'all is well');
    await daemon.see('task.changed', { id, status: 'done', was: 'doing' });
    await room.ok('reopen', NAME);
    const again = await daemon.see('turn.started', { name: NAME, reasons: ['reopened'] });
    await daemon.see('turn.ended', { turn: again.turn });
    await room.ok('done', id);
    await room.quiet(daemon);
    expect(startsOf(daemon)).toBe(2);
    const { history } = await room.json('history', id);
    expect(history.map((line: { status: string }) => line.status)).toEqual(['done', 'done']);
    expect(history[1].text).toContain('all is well');
  });

  test('by hand: seen, told, and open again when the file says so', async ({ room }) => {
    const { id, daemon } = await settledTask(room);
    room.edit(PATH, (text) => text.replace('status: doing', 'status: completed  # yes'));
    await daemon.see('task.changed', { id, status: 'done', was: 'doing' });
    room.edit(PATH, (text) => text.replace('status: completed', 'status: open'));
    await daemon.see('turn.started', { name: NAME, reasons: ['reopened'] });
    await room.quiet(daemon);
    expect(room.read(PATH)).toContain('status: doing  # yes\n');
    expect((await room.json('history')).history).toHaveLength(1);
  });

  test('an agent may not reopen a task', async ({ room }) => {
    room.gate(NAME);
    room.save('tasks/Other.md', `---\nid: other\nstatus: done\nparent: ${NAME}\n---\n`);
    room.save(PATH, 'CI fails.\n');
    const daemon = await room.up();
    await daemon.see('turn.started', { name: NAME });
    room.open(NAME, 'taskroom reopen other; echo "exit $?"; taskroom set other status=todo; echo "exit $?"');
    const { turn } = await daemon.see('turn.ended', { name: NAME });
    const { text } = await room.json('log', String(turn));
    expect(text.match(/exit 4/g)).toHaveLength(2);
    expect(text).toContain("an agent can't reopen it");
    expect(room.read('tasks/Other.md')).toContain('status: done');
  });

  test('a task that becomes done while its turn runs gives the turn time to end by itself', async ({
    room,
  }) => {
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

  test('canceled while its turn runs: the turn is stopped', async ({ room }) => {
    const { id, turn, daemon } = await runningTask(room);
    room.edit(PATH, (text) => text.replace('status: doing', 'status: canceled'));
    await daemon.see('turn.ended', { turn, state: 'killed', reason: 'canceled' });
    await room.quiet(daemon);
    expect((await room.json('history', id)).history).toMatchObject([{ status: 'canceled' }]);
  });
});
