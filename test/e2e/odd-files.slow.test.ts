// Links, names, permissions and texts that a folder of tasks may hold: each is its own file's trouble, and every command and
// every other task goes on.
import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { room } from './each-room.ts';
import { type E2eRoom, SETTINGS } from './room.ts';

/** Reason of each entry of tasks/ that doctor says is passed over. */
async function passedOver(room: E2eRoom): Promise<string[]> {
  const ran = await room.run(['doctor', '--json']);
  const findings = JSON.parse(ran.stdout).checks as { name: string; state: string; text: string }[];
  return findings
    .filter(({ name, state }) => name === 'passed over' && state === 'warn')
    .map(({ text }) => text);
}

describe('two names of one file', () => {
  test('F2: are one task; the daemon rests, and heeds its signals', async () => {
    room.save('tasks/a.md', 'Do it.\n');
    symlinkSync('a.md', room.at('tasks/b.md'));
    const daemon = await room.up();
    await daemon.see('turn.ended', { name: 'a' });
    await room.quiet(daemon);
    expect(daemon.all('turn.requested')).toHaveLength(1);
    expect(daemon.all('task.seen').map(({ name }) => name)).not.toContain('b');
    room.edit('tasks/a.md', (text) => `${text}\nMore.\n`);
    await daemon.see('turn.ended', { name: 'a' }, daemon.mark());
    expect(room.read('tasks/a.md').match(/^id:/gm)).toHaveLength(1);
    expect(await passedOver(room)).toEqual([expect.stringMatching(/tasks\/b\.md: another name of a\.md/)]);
    expect(readFileSync(room.at('tasks/b.md'), 'utf8')).toBe(room.read('tasks/a.md'));
    daemon.signal('SIGTERM');
    expect((await daemon.ended).code).toBe(0);
  });

  test('F2: hard links come apart at the first write', async () => {
    room.save('tasks/a.md', 'Do it.\n');
    linkSync(room.at('tasks/a.md'), room.at('tasks/b.md'));
    const daemon = await room.up();
    await daemon.see('turn.ended', { name: 'a' });
    await daemon.see('turn.ended', { name: 'b' });
    await room.quiet(daemon);
    expect(daemon.all('turn.requested')).toHaveLength(2);
  });

  test('F2: a task whose file holds another id asks for no turn without end', async () => {
    room.save('tasks/a.md', '---\nid: first\n---\n\nDo it.\n');
    room.gate('a');
    const daemon = await room.up();
    await daemon.see('turn.started', { name: 'a' });
    room.edit('tasks/a.md', (text) => text.replace('id: first', 'id: second'));
    await daemon.see('turn.started', { id: 'second' });
    room.open('a');
    room.open('a');
    await daemon.see('turn.ended', { id: 'first' });
    await daemon.see('turn.ended', { id: 'second' });
    await room.quiet(daemon);
    expect(daemon.all('turn.requested').length).toBeLessThan(6);
    daemon.signal('SIGTERM');
    expect((await daemon.ended).code).toBe(0);
  });
});

describe('a link that is no task', () => {
  test('F3: is passed over with the reason; all else goes on, and nothing is written through it', async () => {
    room.save('tasks/good.md', 'Do it.\n');
    writeFileSync(room.at('hosts'), 'secret\n');
    writeFileSync(room.at('tasks.md'), 'outside\n');
    const links: Readonly<Record<string, string>> = {
      ...{ 'self.md': 'self.md', 'ping.md': 'pong.md', 'pong.md': 'ping.md', 'far.md': 'x'.repeat(300) },
      ...{ 'gone.md': 'nowhere.md', 'below.md': 'good.md/x.md', 'system.md': '../hosts' },
      ...{ 'folder.md': '..', 'device.md': '/dev/null', 'fine.md': '../tasks.md' },
    };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, room.at(`tasks/${name}`));
    expect((await room.json('list')).tasks).toHaveLength(2);
    expect((await room.run(['status'])).code).toBe(3);
    await room.ok('show', 'good');
    await room.ok('comment', 'fine', 'well');
    expect((await room.run(['comment', 'system', 'harm'])).code).toBe(3);
    expect(readFileSync(room.at('hosts'), 'utf8')).toBe('secret\n');
    expect(readFileSync(room.at('tasks.md'), 'utf8')).toContain('> well');
    expect((await passedOver(room)).sort()).toEqual([
      expect.stringContaining('tasks/below.md: broken symlink'),
      expect.stringContaining('tasks/device.md: a symlink to no regular file'),
      expect.stringContaining('tasks/far.md: a symlink to a name that is too long'),
      expect.stringContaining('tasks/folder.md: a symlink to a folder'),
      expect.stringContaining('tasks/gone.md: broken symlink'),
      expect.stringContaining('tasks/ping.md: a symlink that leads back to itself'),
      expect.stringContaining('tasks/pong.md: a symlink that leads back to itself'),
      expect.stringContaining('tasks/self.md: a symlink that leads back to itself'),
      expect.stringContaining('tasks/system.md: a symlink to a file that is no .md'),
    ]);
    const daemon = await room.up();
    await daemon.see('turn.ended', { name: 'good' });
    // While it runs, too.
    symlinkSync('late.md', room.at('tasks/late.md'));
    symlinkSync('../hosts', room.at('tasks/later.md'));
    await room.quiet(daemon);
    expect(daemon.all('room.trouble')).toEqual([]);
    expect(readFileSync(room.at('hosts'), 'utf8')).toBe('secret\n');
    daemon.signal('SIGTERM');
    expect((await daemon.ended).code).toBe(0);
  });

  test('F3: chores and agents that are odd links harm no command either', async () => {
    symlinkSync('loop.md', room.at('chores/loop.md'));
    symlinkSync('loop', room.at('agents/loop'));
    mkdirSync(room.at('agents/odd'));
    symlinkSync('agent.json', room.at('agents/odd/agent.json'));
    room.save('tasks/good.md', 'Do it.\n');
    expect((await room.json('list')).tasks).toHaveLength(1);
    expect((await room.run(['status'])).code).toBe(3);
    await room.ok('chores');
    expect((await room.run(['doctor'])).code).not.toBe(70);
    const ran = await room.run(['once']);
    expect(ran.code).toBe(0);
    expect(room.agentLog()).toHaveLength(2);
  });
});

describe('a file that can not be read', () => {
  // Root may read everything: as root the commands run as somebody else.
  test('F4: is invalid with the reason; all else goes on', async () => {
    room.save('tasks/good.md', 'Do it.\n');
    room.save('tasks/shut.md', 'Secret.\n');
    room.settings(...SETTINGS, 'sweep: 1s');
    giveAway(room, 65_534);
    chmodSync(room.at('tasks/shut.md'), 0);
    const { tasks, invalid } = await room.json('list');
    expect(tasks).toHaveLength(1);
    expect(invalid).toMatchObject([
      { path: 'tasks/shut.md', problems: [{ message: expect.stringMatching(/permission denied/) }] },
    ]);
    expect((await room.run(['status'])).code).toBe(3);
    await room.ok('show', 'good');
    expect(await room.run(['show', 'shut'])).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/permission denied/),
    });
    expect((await room.run(['doctor'])).code).toBe(6);
    expect((await room.run(['once'])).code).toBe(0);
    expect(room.agentLog()).toHaveLength(2);
    const daemon = await room.up();
    const from = daemon.mark();
    chmodSync(room.at('tasks/shut.md'), 0o644);
    await daemon.see('turn.ended', { name: 'shut' }, from);
  });

  test('F5: a name that is no UTF-8 is told by list and doctor', async () => {
    room.save('tasks/good.md', 'Do it.\n');
    writeFileSync(
      Buffer.concat([Buffer.from(room.at('tasks/b')), Buffer.from([0xe4]), Buffer.from('d.md')]),
      'x\n',
    );
    const { tasks, invalid } = await room.json('list');
    expect(tasks).toHaveLength(1);
    expect(invalid).toMatchObject([{ problems: [{ message: 'its name is not UTF-8' }] }]);
    expect((await room.run(['list'])).stdout).toContain('its name is not UTF-8');
    expect((await room.run(['doctor'])).stdout).toContain('its name is not UTF-8');
    expect((await room.run(['once'])).code).toBe(0);
  });
});

/** From now on the room is that user's, and commands run as that user; for one who is not root they do already. */
function giveAway(room: E2eRoom, user: number): void {
  if (process.getuid?.() !== 0) return;
  execFileSync('chown', ['-R', String(user), room.dir]);
  room.user = user;
}

test('front matter below other text is text, and it is said so; in an example it is meant', async () => {
  room.save('tasks/Slip.md', 'A word before.\n\n---\nid: slip1\nstatus: draft\n---\n\nDo it.\n');
  room.save('tasks/Example.md', 'Write this:\n\n```markdown\n---\nstatus: draft\n---\n```\n');
  room.save('tasks/Rule.md', 'Above.\n\n---\nNote: not ours\n\n---\nBelow.\n');
  const { tasks, odd } = await room.json('list');
  expect(tasks.map(({ name, status }: { name: string; status: string }) => [name, status]).sort()).toEqual([
    ['Example', 'todo'],
    ['Rule', 'todo'],
    ['Slip', 'todo'],
  ]);
  expect(odd).toMatchObject([
    {
      path: 'tasks/Slip.md',
      problems: [{ line: 3, message: expect.stringContaining('below other text'), hint: expect.any(String) }],
    },
  ]);
  expect(await room.ok('list')).toMatch(/tasks\/Slip\.md:3:1 front matter below other text/);
  const daemon = await room.up();
  await daemon.see('task.odd_keys', { path: 'tasks/Slip.md' });
});

test('text that is no entry starts nothing, and is said so where the person looks', async () => {
  const typed =
    '---\nid: typed1\n---\nDo it.\n\n## Comments\n\nPlease use blue.\n\n**@owner** · 2026-11-20 10:00 <!-- c:x1 -->\n> An entry.\n\n## Outcome\n\nAnd do it twice.\n';
  room.save('tasks/Typed.md', typed);
  const odd = [
    { path: 'tasks/Typed.md', line: 8, message: expect.stringContaining('"Please use blue."') },
    { path: 'tasks/Typed.md', line: 15, message: expect.stringContaining('"And do it twice."') },
  ];
  expect((await room.json('show', 'Typed')).odd).toMatchObject(odd);
  expect(await room.ok('show', 'Typed')).toMatch(
    /line 8: text under Comments that is no entry starts no turn.*; say it with/,
  );
  expect((await room.run(['doctor'])).stdout).toMatch(/odd +tasks\/Typed\.md:15:1 text under Outcome/);
  const daemon = await room.up();
  expect(await daemon.see('task.odd_keys', { path: 'tasks/Typed.md' })).toMatchObject({ problems: odd });
});

test('a remote that names no tracker is told at reading, and the task gets no turn', async () => {
  const text = '---\nremote: whatever\n---\nDo it.\n';
  room.save('tasks/One.md', text);
  const problem = { path: 'tasks/One.md', message: '"whatever" names no tracker' };
  expect((await room.json('list')).invalid).toMatchObject([{ problems: [problem] }]);
  const daemon = await room.up();
  await daemon.see('task.invalid', { path: 'tasks/One.md' });
  await room.quiet(daemon);
  expect(daemon.all('room.trouble')).toEqual([]);
  expect(daemon.all('turn.ended')).toEqual([]);
  expect(room.read('tasks/One.md')).toBe(text);
});

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
