// Turns whose process is killed under a living daemon, or loses what tells of it: each counts, waits, and comes to an end.
import { describe, expect, test } from 'vitest';
import { room } from './each-room.ts';
import { SETTINGS } from './room.ts';

const WAYS: [what: string, command: string][] = [
  ['kills its whole process group at once', 'kill -9 0'],
  ['removes its pid file', 'rm "$(dirname "$TASKROOM_CONTEXT")/pid"'],
  ['forges its pid file', 'echo "4242 linux 1 x" > "$(dirname "$TASKROOM_CONTEXT")/pid"'],
  ["removes its turn's folder", 'rm -rf "$(dirname "$TASKROOM_CONTEXT")"'],
];

describe('an agent that', () => {
  test.each(WAYS)('D1: %s has failed: counted, and tried again after a wait', async (_what, command) => {
    room.agent('lost', { command });
    room.save('tasks/Lost.md', '---\nid: lost1\nowner: lost\n---\nLost.\n');
    const daemon = await room.up();
    const ended = await daemon.see('turn.ended', { name: 'Lost', state: 'failed', reason: 'interrupted' });
    const { retry_at } = await daemon.see('turn.retrying', { id: 'lost1', attempt: 2 });
    expect(Number(retry_at) - Date.parse(ended.at)).toBeGreaterThan(7_000);
    expect(daemon.all('turn.started')).toHaveLength(1);
  });

  test('D1: is lost as often as max_attempts allows has its task paused with the reason', async () => {
    room.settings(...SETTINGS, 'max_attempts: 1');
    room.agent('lost', { command: 'kill -9 0' });
    room.save('tasks/Lost.md', '---\nid: lost1\nowner: lost\n---\nLost.\n');
    expect((await room.run(['once'])).code).toBe(1);
    expect(room.read('tasks/Lost.md')).toMatch(
      /paused: true[\s\S]*gave up after 1 failed attempt: the process vanished/,
    );
  });

  test('D1: is lost in the turn of a chore makes the chore wait too', async () => {
    room.agent('lost', { command: 'kill -9 0' });
    room.save('chores/look.md', '---\nschedule: every 1h\nowner: lost\n---\nLook around.\n');
    const daemon = await room.up();
    await daemon.see('chore.failed', { name: 'look' });
    const { chores } = await room.json('chores');
    expect(chores).toMatchObject([{ name: 'look', failures: 1 }]);
    expect(daemon.all('turn.started')).toHaveLength(1);
  });
});

test('D1: `git clean -fdX` in a turn runs nothing a second time', async () => {
  room.agent('lost', { command: 'rm -rf "$AGENT_ROOM/.taskroom"' });
  room.save('tasks/Lost.md', '---\nid: lost1\nowner: lost\n---\nLost.\n');
  const daemon = await room.up();
  expect(await daemon.ended).toMatchObject({ code: 6 });
  expect(daemon.all('turn.started')).toHaveLength(1);
});
