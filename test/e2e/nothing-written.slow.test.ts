// A turn that ends by itself and reports nothing on its task has failed: it is told, asked once more, then the task rests.
import { describe, expect, test } from 'vitest';
import { room } from './each-room.ts';
import type { E2eRoom } from './room.ts';

const RETRY_NOW = 'UPDATE tasks SET retry_at = 1 WHERE retry_at IS NOT NULL';

/** A task of an agent that runs `command`; what it was asked last lies in prompt.txt. */
function giveTo(room: E2eRoom, command: string): void {
  room.agent('quiet', { command: `cat > prompt.txt; ${command}` });
  room.save('tasks/Look.md', '---\nowner: quiet\n---\nLook at it.\n');
}

/** Runs what is due: a turn that reported nothing has failed, which the exit code says. */
const once = async (room: E2eRoom) => JSON.parse((await room.run(['once', '--json'])).stdout);

const listed = async (room: E2eRoom) => (await room.json('list')).tasks[0];

describe('a turn that writes nothing', () => {
  test('is shown as such, noted in the file, asked once more and then paused', async () => {
    giveTo(room, 'true');
    const first = await once(room);
    expect(first.results).toMatchObject([{ state: 'failed', reason: 'nothing_written' }]);
    expect(room.read('prompt.txt')).not.toContain('wrote nothing');
    expect(room.read('tasks/Look.md')).toMatch(/## Progress\n+- .* · A turn ended and reported nothing/);
    expect(await listed(room)).toMatchObject({ status: 'doing', paused: false, nothing_written: true });
    expect((await listed(room)).retry_at).not.toBeNull();
    expect(await room.ok('list')).toMatch(/Look .*last turn wrote nothing {2}tried again at/);
    expect(await room.ok('turns')).toContain('failed: nothing written');
    expect(await room.ok('show', 'Look')).toMatch(/status .*last turn wrote nothing/);
    // Nothing more before its time.
    expect(await once(room)).toMatchObject({ turns: 0 });

    room.sql(RETRY_NOW);
    const second = await once(room);
    expect(second.results).toMatchObject([{ reason: 'nothing_written' }]);
    expect(room.read('prompt.txt')).toContain('without writing anything into this task');
    const text = room.read('tasks/Look.md');
    expect(text).toContain('paused: true');
    expect(text).toMatch(/Paused: two turns in a row ended and reported nothing/);
    expect((await listed(room)).retry_at).toBeNull();

    // Its words were never answered: resumed, it is asked anew.
    await room.ok('resume', 'Look');
    expect((await once(room)).results).toMatchObject([{ reason: 'nothing_written' }]);
    expect(room.read('tasks/Look.md')).toContain('paused: false');
  });

  test('is made good by one that writes', async () => {
    giveTo(room, 'if [ -f tried ]; then taskroom progress "looked"; fi; touch tried');
    await once(room);
    room.sql(RETRY_NOW);
    expect((await once(room)).results).toMatchObject([{ reason: 'ok' }]);
    expect(await listed(room)).toMatchObject({ paused: false, retry_at: null, nothing_written: false });
    expect(await once(room)).toMatchObject({ turns: 0 });
    expect((await room.json('show', 'Look')).turns).toHaveLength(2);
  });

  test('counts its own edit of the file, however made, as writing', async () => {
    giveTo(room, 'printf "\\n## Progress\\n- by hand\\n" >> tasks/Look.md');
    expect((await once(room)).results).toMatchObject([{ reason: 'ok' }]);
  });

  test('is as good as any of an agent that is not meant to write', async () => {
    room.agent('quiet', { command: 'true', writes: false });
    room.save('tasks/Look.md', '---\nowner: quiet\n---\nLook at it.\n');
    expect((await once(room)).results).toMatchObject([{ reason: 'ok' }]);
    expect(await listed(room)).toMatchObject({ retry_at: null, nothing_written: false });
  });

  test('is asked once more when a finished subtask woke it: the wake is not lost', async () => {
    giveTo(room, 'if [ ! -f tried ]; then taskroom progress "waits for its part"; fi; touch tried');
    await once(room);
    room.save(
      'tasks/Part.md',
      '---\nid: part0001\nparent: Look\nowner: quiet\nstatus: todo\npaused: true\n---\nPart.\n',
    );
    await once(room);
    await room.ok('done', 'Part');
    const { results } = await once(room);
    expect(results).toMatchObject([{ name: 'Look', state: 'failed', reason: 'nothing_written' }]);
    expect(await listed(room)).toMatchObject({ name: 'Look', paused: false, retry_at: expect.any(String) });
  });

  test('says its last words, and a change of somebody else is no report', async () => {
    const look = 'printf "\\n## Notes\\nA note of a neighbour.\\n" >> tasks/Look.md';
    giveTo(room, `${look}; echo 'Loop detected, stopping.'`);
    const { results } = await once(room);
    // Its own edit asks for the second turn; a third would end alike.
    const silent = { state: 'failed', reason: 'nothing_written' };
    expect(results).toMatchObject([silent, silent]);
    expect(await listed(room)).toMatchObject({ name: 'Look', paused: true });
    const { turns } = await room.json('turns', 'Look');
    expect(turns[0].message).toContain('its last words: Loop detected, stopping.');
  });

  test('has reported by a comment', async () => {
    giveTo(room, 'taskroom comment "Nothing to be done here."');
    expect((await once(room)).results).toMatchObject([{ state: 'completed', reason: 'ok' }]);
  });
});
