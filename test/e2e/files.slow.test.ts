// A file is never harmed, and one file never harms the others: odd files beside good ones, as the command line and the
// daemon meet them.
import { describe, expect, test } from 'vitest';
import { room } from './each-room.ts';

const BARE = '---\nstatus: draft\n---';

describe('a file that ends with its front matter', () => {
  const odd: readonly [string, string][] = [
    ['no line end', BARE],
    ['blanks instead', `${BARE}  `],
    ['CRLF', BARE.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\uFEFF${BARE}`],
  ];
  for (const [what, text] of odd) {
    test(`F1: commands that add to it start a new line (${what})`, async () => {
      const words: readonly (readonly string[])[] = [
        ['comment', 'a', 'said'],
        ['progress', 'b', 'moved'],
        ['outcome', 'c', 'done so'],
        ['pause', 'd', '--reason', 'later'],
        ['step', 'e', '--add', 'First'],
        ['done', 'f', '--outcome', 'all of it'],
      ];
      for (const [, name] of words) room.save(`tasks/${name}.md`, text);
      for (const line of words) await room.ok(...line);
      const { tasks, invalid } = await room.json('list');
      expect(invalid).toEqual([]);
      expect(tasks).toHaveLength(words.length);
      for (const [, name] of words) expect(room.read(`tasks/${name}.md`)).not.toMatch(/---[^\r\n]*##/);
      expect((await room.json('show', 'a')).comments).toMatchObject([{ text: 'said' }]);
      expect(room.read('tasks/b.md')).toMatch(/\r?\n---[ ]*\r?\n## Progress\r?\n\r?\n- .* · moved\r?\n$/);
    });
  }

  test("F1: the daemon's own note starts a new line", async () => {
    room.settings('default_agent: fails', 'settle: 50ms', 'max_attempts: 1');
    room.agent('fails', { command: ['/bin/sh', '-c', 'exit 3'] });
    room.save('tasks/a.md', '---\nstatus: todo\n---');
    const daemon = await room.up();
    await daemon.see('task.paused', { name: 'a' });
    await room.quiet(daemon);
    expect((await room.json('list')).invalid).toEqual([]);
    expect(room.read('tasks/a.md')).toMatch(/\n---\n## Progress\n\n- .*Paused/);
  });
});
