// What people write by hand, in files and on command lines: taken where it is clear, told where it is not.
import { describe, expect, test } from 'vitest';
import { room } from './each-room.ts';

describe('front matter that is none of ours', () => {
  test('F8: TOML is invalid with how to mend it, and nothing is put above it', async () => {
    const text = '+++\ntitle = "x"\nstatus = "todo"\n+++\n\nDo it.\n';
    room.save('tasks/Toml.md', text);
    const { invalid } = await room.json('list');
    expect(invalid).toMatchObject([
      {
        path: 'tasks/Toml.md',
        problems: [
          { line: 1, message: expect.stringContaining('TOML'), hint: expect.stringContaining('as YAML') },
        ],
      },
    ]);
    expect((await room.run(['comment', 'Toml', 'hello'])).code).toBe(6);
    const daemon = await room.up();
    await room.quiet(daemon);
    expect(room.read('tasks/Toml.md')).toBe(text);
    expect(daemon.all('turn.requested')).toEqual([]);
  });

  test('F8: a map where a list belongs is invalid, never [object Object]', async () => {
    for (const key of ['labels', 'blocked_by'])
      room.save(`tasks/${key}.md`, `---\n${key}: {a: 1}\n---\nDo it.\n`);
    for (const key of ['title', 'owner', 'sprint', 'status', 'priority', 'resources', 'paused', 'sort'])
      room.save(`tasks/${key}.md`, `---\n${key}: {a: 1}\n---\nDo it.\n`);
    room.save('tasks/deep.md', '---\nlabels: [{a: 1}]\n---\nDo it.\n');
    const ran = await room.run(['list', '--json']);
    const { tasks, invalid } = JSON.parse(ran.stdout);
    expect(tasks).toEqual([]);
    expect(invalid).toHaveLength(11);
    expect(ran.stdout).not.toContain('[object Object]');
    const labels = invalid.find(({ path }: { path: string }) => path === 'tasks/labels.md');
    expect(labels.problems).toMatchObject([
      { message: 'labels holds a map', hint: 'write it as a list: labels: [one, two]' },
    ]);
  });
});

describe('F10: what names a task', () => {
  const odd: readonly [string, string, string][] = [
    ['NFD typed as NFC', 'Cafe\u0301', 'Caf\u00e9'],
    ['NFC typed as NFD', 'Nai\u0308ve'.normalize('NFC'), 'Nai\u0308ve'],
    ['a leading space', ' lead', ' lead'],
    ['a leading space, typed without', ' ahead', 'ahead'],
    ['a trailing space', 'trail ', 'trail '],
    ['a trailing space, typed without', 'behind ', 'behind'],
    ['.md twice', 'abc.md', 'abc.md'],
    ['.md twice, as a file', 'def.md', 'def.md.md'],
    ['.md twice, as a path', 'ghi.md', 'tasks/ghi.md.md'],
    ['its title', 'long-name', 'The title, as it is'],
  ];
  for (const [what, file, typed] of odd) {
    test(`F10: ${what}`, async () => {
      room.save(`tasks/${file}.md`, '---\ntitle: The title, as it is\nstatus: draft\n---\nDo it.\n');
      for (const words of [
        ['show', typed],
        ['comment', typed, 'hi'],
        ['progress', typed, 'on'],
        ['pause', typed],
        ['resume', typed],
      ])
        await room.ok(...words);
      const { tasks } = await room.json('list');
      expect(tasks).toMatchObject([{ name: file }]);
      // What a list prints can be given back.
      await room.ok('show', tasks[0].name);
      await room.ok('done', tasks[0].name);
      await room.ok('done', typed);
      await room.ok('history', typed);
      await room.ok('delete', typed);
    });
  }

  test('F10: a file name goes before a title, and a title that two tasks have is ambiguous', async () => {
    room.save('tasks/one.md', '---\ntitle: two\nstatus: draft\n---\n');
    room.save('tasks/two.md', '---\ntitle: Same\nstatus: draft\n---\n');
    room.save('tasks/three.md', '---\ntitle: Same\nstatus: draft\n---\n');
    expect((await room.json('show', 'two')).path).toBe('tasks/two.md');
    expect((await room.run(['show', 'Same'])).stderr).toContain('more than one task');
  });
});

describe('F11: files of other tools', () => {
  test('F11: their words for a status and their ids are taken', async () => {
    room.save(
      'tasks/task-1.md',
      '---\nid: task-2.1\nstatus: To Do\npaused: true\n---\n\n## Steps\n- [ ] a (task:task-2.2)\n',
    );
    room.save('tasks/task-2.md', '---\nid: TASK_9.a-b\nstatus: In Progress\npaused: true\n---\n');
    room.save(
      'tasks/task-3.md',
      '---\nid: 2.10\nstatus: In  Progress\npaused: true\nblocked_by: [task-2.1]\n---\n',
    );
    const { tasks, invalid } = await room.json('list');
    expect(invalid).toEqual([]);
    expect(tasks).toMatchObject([
      { id: 'task-2.1', status: 'todo' },
      { id: 'TASK_9.a-b', status: 'doing' },
      { id: '2.10', status: 'doing', blocked: true },
    ]);
    expect(await room.ok('show', 'task-2.1')).toContain('task-2.2');
    await room.ok('comment', 'task-2.1', 'found');
    await room.ok('resume', 'task-2.1');
    const daemon = await room.up();
    await daemon.see('turn.ended', { id: 'task-2.1', state: 'completed' });
    await room.ok('done', '2.10');
    await room.quiet(daemon);
    expect(room.read('tasks/task-1.md')).toContain('id: task-2.1\n');
    expect(await room.json('history', '2.10')).toBeDefined();
  });

  test('F11: an id that leads out of a folder is no id', async () => {
    const ids = ['..', '.x', '../x', 'a/b', '-x', 'x'.repeat(65)];
    for (const [at, id] of ids.entries()) room.save(`tasks/${at}.md`, `---\nid: "${id}"\n---\n`);
    expect((await room.json('list')).invalid).toHaveLength(ids.length);
  });

  test('F11: an unquoted @ is invalid, and the message says to put quotes', async () => {
    room.save('tasks/a.md', '---\nassignee: [@name]\n---\n');
    const { invalid } = await room.json('list');
    expect(invalid).toMatchObject([
      { problems: [{ line: 2, col: 12, hint: 'put quotes around it: "@name"' }] },
    ]);
  });
});

describe('F12: a task that is over, and one that is not', () => {
  test('F12: an edit of a finished task starts nothing, and says so', async () => {
    room.save('tasks/a.md', '---\nid: abc12345\nstatus: done\n---\nOld words.\n');
    const daemon = await room.up();
    await room.quiet(daemon);
    const from = daemon.mark();
    room.edit('tasks/a.md', (text) => text.replace('Old', 'New'));
    await daemon.see('task.edited_after_end', { id: 'abc12345', status: 'done' }, from);
    await room.quiet(daemon);
    expect(daemon.all('turn.requested')).toEqual([]);
    const ran = await room.run(['edit', 'a'], { env: { EDITOR: 'sed -i s/New/Newer/' } });
    expect(ran.stdout).toContain('it is done, so that nothing starts: taskroom reopen does');
  });

  test('F12: pause, then reopen: it stays paused, and says so and how to go on', async () => {
    room.save('tasks/my task.md', '---\nstatus: done\n---\nDo it.\n');
    await room.ok('pause', 'my task');
    const said = await room.ok('reopen', 'my task');
    expect(said).toContain("is open again, and paused: taskroom resume 'my task' lets it run");
    expect(room.read('tasks/my task.md')).toMatch(/^status: todo\n(.*\n)?paused: true$/m);
  });
});

describe('F9: keys that look mistyped', () => {
  test('F9: are kept and told by list, doctor and the daemon', async () => {
    room.save('tasks/a.md', '---\nid: abc12345\nower: x\nStatus: done\npoints: 3\nstate: new\n---\nDo it.\n');
    const daemon = await room.up();
    const { problems } = await daemon.see('task.odd_keys', { path: 'tasks/a.md' });
    const wanted = [
      { line: 3, message: 'unknown key "ower", kept as it is', hint: 'did you mean owner?' },
      { line: 4, message: 'unknown key "Status", kept as it is', hint: 'did you mean status?' },
    ];
    expect(problems).toMatchObject(wanted);
    await room.quiet(daemon);
    expect(daemon.all('task.odd_keys')).toHaveLength(1);
    const list = await room.json('list');
    expect(list.tasks[0]).toMatchObject({ id: 'abc12345' });
    expect(list.odd).toMatchObject([{ path: 'tasks/a.md', problems: wanted }]);
    expect(await room.ok('list')).toContain('unknown key "ower", kept as it is; did you mean owner?');
    expect((await room.run(['doctor'])).stdout).toContain('did you mean status?');
    expect(room.read('tasks/a.md')).toContain('ower: x\nStatus: done\npoints: 3\n');
  });

  test('F9: set asks about them, and --force keeps them', async () => {
    room.save('tasks/a.md', '---\nstatus: draft\n---\nDo it.\n');
    const asked = await room.run(['set', 'a', 'prority=high']);
    expect(asked).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean priority? --force sets it'),
    });
    expect(room.read('tasks/a.md')).toBe('---\nstatus: draft\n---\nDo it.\n');
    await room.ok('set', 'a', 'points=3', 'team=red');
    await room.ok('set', 'a', 'prority=high', '--force');
    expect(room.read('tasks/a.md')).toContain('points: 3\nteam: red\nprority: high\n');
    expect((await room.json('list')).odd).toHaveLength(1);
    await room.ok('set', 'a', 'prority=');
    expect((await room.json('list')).odd).toEqual([]);
  });
});
