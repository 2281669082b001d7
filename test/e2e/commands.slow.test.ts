// The commands, with a daemon and without one: what they change, what they say, and what follows.
import { renameSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Daemon } from './daemon.ts';
import { createRoom, type E2eRoom, SETTINGS } from './room.ts';

let room: E2eRoom;

beforeEach(async () => {
  room = await createRoom();
});
afterEach(() => room.close());

describe.each(['with', 'without'])('%s a daemon', (which) => {
  let daemon: Daemon | null;
  beforeEach(async () => {
    daemon = which === 'with' ? await room.up() : null;
  });

  test('new writes the recommended sections; the task runs now or with the next once', async () => {
    const made = await room.json(
      'new',
      'Fix the build',
      'CI fails.',
      '--priority',
      'high',
      '--label',
      'ci,web',
    );
    expect(made).toMatchObject({ name: 'Fix the build', path: 'tasks/Fix the build.md', changed: true });
    const text = room.read(made.path);
    expect(text).toMatch(
      new RegExp(
        `^---\\nid: ${made.id}\\nrequester: owner\\nstatus: (todo|doing)\\npaused: false\\npriority: high\\n`,
      ),
    );
    expect(text).toContain('\n## Task\nCI fails.\n\n## Notes\n\n## Progress\n\n## Outcome\n');
    if (daemon) await daemon.see('turn.ended', { id: made.id });
    else expect((await room.json('once')).results).toMatchObject([{ id: made.id, state: 'completed' }]);
    expect(room.read(made.path)).toBe(text.replace('status: todo', 'status: doing'));
  });

  test('a name that is taken, or no name at all, is refused', async () => {
    await room.ok('new', 'Once', '--draft');
    expect(await room.run(['new', 'Once'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('exists already'),
    });
    expect(await room.run(['new', '...'])).toMatchObject({ code: 2 });
  });

  test('a changing command adds no line but the key it sets, and the id when it is missing', async () => {
    const before = '---\r\n# mine\r\nstatus: "draft"   # not yet\r\nextra: {a: 1,b: 2}\r\n---\r\nWords.\r\n';
    room.save('tasks/Plain.md', before);
    await room.ok('set', 'Plain', 'priority=low');
    const text = room.read('tasks/Plain.md');
    const { id } = await room.json('show', 'Plain');
    expect(
      text
        .split('\r\n')
        .filter((line) => !before.split('\r\n').includes(line))
        .sort(),
    ).toEqual([`id: ${id}`, 'priority: low']);
    expect(text.replace(`id: ${id}\r\n`, '').replace('priority: low\r\n', '')).toBe(before);
    await room.ok('set', 'Plain', 'priority=low');
    expect(room.read('tasks/Plain.md')).toBe(text);
    await room.ok('set', 'Plain', 'priority=');
    expect(room.read('tasks/Plain.md')).toBe(text.replace('priority: low\r\n', ''));
    await room.ok('set', 'Plain', 'title=Plain words', 'labels=a,b', 'mine=yes');
    expect(await room.json('show', id)).toMatchObject({ title: 'Plain words', labels: ['a', 'b'] });
  });

  test('what can not be set is refused with what can', async () => {
    await room.ok('new', 'One', '--draft');
    expect(await room.run(['set', 'One', 'status=dome'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('done'),
    });
    expect(await room.run(['set', 'One', 'owner=nobody'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('gate'),
    });
    expect(await room.run(['set', 'One', 'blocked_by=Nothing'])).toMatchObject({ code: expect.any(Number) });
    expect(await room.run(['set', 'One', 'id=other'])).toMatchObject({ code: expect.any(Number) });
    expect((await room.json('show', 'One')).status).toBe('draft');
  });

  test("comment, progress, outcome and step write where they say, in the person's name", async () => {
    await room.ok('new', 'One', '- [ ] not a step', '--draft');
    await room.ok('comment', 'One', 'Seen too.\n## Outcome\nforged');
    await room.ok('progress', 'One', 'half');
    await room.ok('outcome', 'One', 'whole');
    await room.ok('step', 'One', '--add', 'Read it');
    await room.ok('step', 'One', '1');
    const text = room.read('tasks/One.md');
    expect(text).toMatch(/## Progress\n\n?- .* · half\n/);
    expect(text).toMatch(/## Outcome\n\n?\*\*.*\*\* · owner\n\nwhole\n/);
    expect(text).toMatch(/## Steps\n\n?- \[x\] Read it\n/);
    expect(text).toMatch(/\*\*@owner\*\* · .* <!-- c:\S+ -->\n> Seen too\.\n> ## Outcome\n> forged\n/);
    expect(await room.json('show', 'One')).toMatchObject({
      comments: [{ author: 'owner', text: 'Seen too.\n## Outcome\nforged' }],
      steps: { done: 1, total: 1 },
    });
  });

  test('done writes the history once, unblocks, and archive moves the file unchanged', async () => {
    const { id } = await room.json('new', 'One', 'Words.', '--draft');
    await room.ok('new', 'Two', '--blocked-by', 'One');
    await room.ok('done', 'One', '--outcome', 'ended well');
    await room.ok('done', 'One');
    if (daemon) await daemon.see('turn.ended', { name: 'Two' });
    else expect((await room.json('once')).results).toMatchObject([{ name: 'Two' }]);
    const { history } = await room.json('history');
    expect(history).toMatchObject([{ id, name: 'One', status: 'done' }]);
    const text = room.read('tasks/One.md');
    expect(history[0].text).toBe(text);
    const { path } = await room.json('archive', 'One');
    expect(path).toMatch(/^archive\/\d{4}-\d\d\/One\.md$/);
    expect(room.read(path)).toBe(text);
    expect(await room.run(['archive', 'Two'])).toMatchObject({ code: 4 });
    expect((await room.json('show', 'One')).path).toMatch(/^archive\/.*\/One\.md$/);
    expect(await room.run(['done', 'One'])).toMatchObject({ code: 4, stderr: expect.stringContaining(path) });
    expect((await room.json('list', '--all')).tasks).toMatchObject([{ name: 'Two', blocked: false }]);
    expect((await room.json('history')).history).toHaveLength(1);
  });

  test('tasks are named by id, unique prefix, file name or path; typos are helped', async () => {
    room.save('tasks/Alpha.md', '---\nid: abc123\nstatus: draft\n---\n');
    room.save('tasks/Beta.md', '---\nid: abd456\nstatus: draft\n---\n');
    if (daemon) await room.quiet(daemon);
    for (const word of [
      'abc123',
      'abc',
      'Alpha',
      'Alpha.md',
      'tasks/Alpha.md',
      'task:abc123',
      'task:local:abc123',
    ])
      expect((await room.json('show', word)).name).toBe('Alpha');
    expect(await room.run(['show', 'ab'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('abd456'),
    });
    expect(await room.run(['done', 'Alpa'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('did you mean "Alpha"?'),
    });
    expect(await room.run(['lst'])).toMatchObject({ code: 2, stderr: expect.stringContaining('list') });
    expect(await room.run(['list', '--staus', 'todo'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--status'),
    });
  });

  test('reading commands write nothing, not even an id', async () => {
    room.save('tasks/Fresh.md', '---\nstatus: draft\n---\n');
    if (daemon) await daemon.see('task.seen', { name: 'Fresh' });
    const before = room.read('tasks/Fresh.md');
    for (const command of ['list', 'show', 'context', 'status', 'turns', 'history', 'doctor']) {
      const ran = await room.run([command, ...(['show', 'context'].includes(command) ? ['Fresh'] : [])]);
      expect([0, 2, 3]).toContain(ran.code);
    }
    expect(room.read('tasks/Fresh.md')).toBe(before);
  });
});

describe('one history line a finish', () => {
  const count = async () => (await room.json('history')).history.length;
  const finishByHand = () => room.edit('tasks/One.md', (text) => text.replace(/status: \w+/, 'status: done'));

  beforeEach(async () => {
    room.save('tasks/One.md', '---\nid: one1\nstatus: draft\n---\n');
    expect((await room.run(['once'])).code).toBe(0);
  });

  test('by hand while no daemon runs, seen by the next command that looks at all, then by a daemon', async () => {
    finishByHand();
    await room.ok('new', 'Other', '--draft');
    await room.ok('run', '--all');
    expect(await count()).toBe(1);
    const daemon = await room.up();
    await room.quiet(daemon);
    expect(await count()).toBe(1);
  });

  test('by hand while no daemon runs, seen by the next daemon', async () => {
    finishByHand();
    renameSync(room.at('tasks/One.md'), room.at('tasks/Uno.md'));
    const daemon = await room.up();
    await room.quiet(daemon);
    expect(await room.json('history')).toMatchObject({ history: [{ id: 'one1', name: 'Uno' }] });
  });

  test('again after a reopen by command without a daemon', async () => {
    await room.ok('done', 'One');
    await room.ok('reopen', 'One');
    await room.ok('cancel', 'One');
    expect(
      (await room.json('history', 'one1')).history.map((line: { status: string }) => line.status),
    ).toEqual(['canceled', 'done']);
  });
});

test('init twice keeps what is there', async () => {
  room.settings(...SETTINGS, '# mine');
  const again = await room.json('init', room.dir);
  expect(again.made).toEqual([]);
  expect(room.read('room.yaml')).toContain('# mine');
});

test('errors are JSON where JSON was asked for', async () => {
  const ran = await room.run(['show', 'nothing', '--json']);
  expect(ran).toMatchObject({ code: 3, stdout: '' });
  expect(JSON.parse(ran.stderr)).toMatchObject({ error: { code: 'not_found' } });
});
