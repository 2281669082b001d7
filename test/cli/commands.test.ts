// Whole commands on real rooms, without a daemon.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeRoom } from './room-folder.ts';

const RUN = (script: string) => `Do it.\n\n\`\`\`sh run\n${script}\n\`\`\`\n`;

test('a task from its first line to the archive', async () => {
  const room = makeRoom();
  const made = await room.run(['new', 'Fix it', '-', '--label', 'a,b', '--priority', 'high', '--json'], {
    input: 'The build\nis broken.\n',
  });
  expect(made.err).toBe('');
  const { id } = made.json();
  expect(made.json()).toEqual({
    id: expect.stringMatching(/^[0-9a-z]{8}$/),
    name: 'Fix it',
    path: 'tasks/Fix it.md',
    changed: true,
  });

  const text = () => readFileSync(room.at('tasks/Fix it.md'), 'utf8');
  expect(text()).toContain('## Task\nThe build\nis broken.\n');

  expect((await room.run(['set', id, 'sprint=12', 'owner=runbook'])).code).toBe(0);
  expect((await room.run(['set', 'Fix it', 'sprint=12', '--json'])).json().changed).toBe(false);
  expect((await room.run(['step', 'fix it.md', '--add', 'Look'])).err).toContain('did you mean');
  expect((await room.run(['step', 'Fix it', '--add', 'Look', '--add', 'Mend, then test'])).out).toContain(
    'has 2 new steps',
  );
  expect((await room.run(['step', 'tasks/Fix it.md', '1'])).out).toContain('has step 1 done');
  expect((await room.run(['comment', id.slice(0, 6), '- a list item'])).code).toBe(0);
  expect((await room.run(['progress', id, 'Half way.'])).code).toBe(0);

  const list = (await room.run(['list', '--json'])).json();
  expect(list.invalid).toEqual([]);
  expect(list.tasks).toMatchObject([
    {
      id,
      name: 'Fix it',
      status: 'todo',
      priority: 'high',
      labels: ['a', 'b'],
      sprint: '12',
      owner: 'runbook',
      steps: { done: 1, total: 2 },
    },
  ]);

  const shown = (await room.run(['show', id, '--json'])).json();
  expect(shown).toMatchObject({
    steps: {
      done: 1,
      total: 2,
      list: [
        { title: 'Look', done: true },
        { title: 'Mend, then test', done: false },
      ],
    },
    comments: [{ text: '- a list item' }],
    turns: [],
  });
  expect((await room.run(['show', id])).out).toMatch(/^☐ Fix it\n {2}id {8}[0-9a-z]{8}\n/);

  expect((await room.run(['archive', id])).code).toBe(4);
  expect((await room.run(['done', id, '--outcome', 'It works.'])).out).toContain('Fix it');
  expect(text()).toMatch(/## Outcome[\s\S]*It works\./);
  expect((await room.run(['history', '--json'])).json().history).toMatchObject([
    { id, name: 'Fix it', status: 'done', task: { blocked_by: [] } },
  ]);
  expect((await room.run(['list', '--status', 'todo', '--json'])).json().tasks).toEqual([]);
  expect((await room.run(['reopen', id, '--json'])).json().changed).toBe(true);
  expect((await room.run(['pause', id, '--reason', 'later'])).code).toBe(0);
  expect((await room.run(['run', id])).code).toBe(4);
  expect((await room.run(['resume', id])).code).toBe(0);
  expect((await room.run(['cancel', id])).code).toBe(0);
  const archived = (await room.run(['archive', id, '--json'])).json();
  expect(existsSync(room.at('tasks/Fix it.md'))).toBe(false);
  expect(archived.changed).toBe(true);
});

test('once runs what is due; turns, log and context tell about it', async () => {
  const room = makeRoom();
  room.put('Works', RUN('echo out of it'));
  const once = await room.run(['once']);
  expect(once.err).toBe('');
  expect(once.code).toBe(0);
  expect(once.out).toContain('✓ 1 turn\n');
  const { turns } = (await room.run(['turns', 'Works', '--json'])).json();
  expect(turns).toMatchObject([{ state: 'completed', reason: 'ok', agent: 'runbook', attempt: 1 }]);
  expect((await room.run(['log', 'Works'])).out).toBe('out of it\n');
  const log = (await room.run(['log', turns[0].id, '--offset', '4', '--json'])).json();
  expect(log).toEqual({
    ...{ turn: turns[0].id, state: 'completed', reason: 'ok', offset: 4, next: 10, size: 10 },
    ...{ text: 'of it\n', format: null },
  });
  const { context, prompt } = (await room.run(['context', 'Works', '--json'])).json();
  expect(Object.keys(context.task).sort()).toEqual([
    ...['body', 'name', 'provider', 'ref', 'requester', 'status', 'thread_id'],
  ]);
  expect(prompt).toContain('Works');
  expect((await room.run(['kill', 'Works'])).code).toBe(4);
});

test('status and stop without a daemon', async () => {
  const room = makeRoom();
  room.put('Broken', '---\nstatus: opne\n---\n');
  const status = await room.run(['status', '--json']);
  expect(status.code).toBe(3);
  expect(status.json()).toMatchObject({
    room: room.dir,
    daemon: null,
    running: [],
    pending: [],
    held: [],
    next_retry: null,
    problems: [],
  });
  expect(status.json().invalid).toMatchObject([{ path: 'tasks/Broken.md', problems: [{ line: 2, col: 9 }] }]);
  expect((await room.run(['status'])).out).toContain('tasks/Broken.md:2:9');
  expect(await room.run(['stop', '--json'])).toMatchObject({
    code: 0,
    out: '{"stopped":false,"pid":null}\n',
  });
  expect((await room.run(['run', 'Broken', '--wait'])).code).toBe(6);
});

test('edit opens the file, also a broken one, and says what changed', async () => {
  const room = makeRoom();
  room.put('Edit me', '---\nid: editme01\nstatus: todo\n---\nText\n');
  const script = room.at('editor.sh');
  writeFileSync(script, '#!/bin/sh\nsed "$EXPRESSION" "$1" > "$1.new~" && mv "$1.new~" "$1"\n', {
    mode: 0o755,
  });
  const edit = (name: string, expression: string, more: string[] = []) =>
    room.run(['edit', name, ...more], { env: { EDITOR: script, EXPRESSION: expression } });
  expect((await edit('Edit me', 's/todo/draft/')).out).toBe(
    '✓ Edit me: status todo → draft, 1 line added, 1 line removed\n',
  );
  expect((await edit('Edit me', 's/nothing/x/', ['--json'])).json()).toEqual({
    id: 'editme01',
    name: 'Edit me',
    path: 'tasks/Edit me.md',
    changed: false,
  });
  const broken = await edit('editme01', 's/draft/drfat/');
  expect(broken.code).toBe(6);
  expect(broken.err).toContain('tasks/Edit me.md:3:9');
  expect((await edit('tasks/Edit me.md', 's/drfat/todo/')).out).toBe('✓ Edit me: can be read again\n');
  expect((await room.run(['edit', 'Edit me'], { env: { EDITOR: 'exit 3;' } })).err).toContain(
    'ended with exit code 3',
  );
  expect((await edit('nothing like it', 's/a/b/')).code).toBe(3);
});

test('doctor names what is wrong, and how to mend it', async () => {
  const room = makeRoom();
  room.put('Fine', '---\nid: fine0001\n---\n');
  const healthy = await room.run(['doctor', '--json']);
  expect(healthy.json().checks.filter(({ state }: { state: string }) => state !== 'ok')).toEqual([]);
  expect(healthy.code).toBe(0);
  room.put('Broken', '---\nstatus: opne\n---\n');
  room.put('A', '---\nid: aaaa0001\nblocked_by: [B]\nowner: nobody\n---\n');
  room.put('B', '---\nid: bbbb0001\nblocked_by: [aaaa0001, nowhere]\n---\n');
  room.put('Fine copy', '---\nid: fine0001\n---\n');
  writeFileSync(room.at('tasks/notes.txt'), 'x');
  mkdirSync(room.at('tasks/later'));
  writeFileSync(room.at('room.yaml'), 'setle: 1s\n');
  const { code, json } = await room.run(['doctor', '--json']);
  expect(code).toBe(6);
  const found = json()
    .checks.filter(({ state }: { state: string }) => state !== 'ok')
    .map(({ name, state, text }: Record<string, string>) => `${state} ${name}: ${text}`);
  expect(found).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^fail settings: room\.yaml:1:1 unknown key "setle"/),
      expect.stringMatching(/^fail files: tasks\/Broken\.md:2:9/),
      expect.stringMatching(/^fail blockers: a circle: (A → B → A|B → A → B)$/),
      expect.stringMatching(/^warn blockers: tasks\/B\.md waits for nowhere/),
      expect.stringMatching(/^warn owners: tasks\/A\.md: owner nobody/),
      expect.stringMatching(/^warn passed over: tasks\/notes\.txt: not a \.md file/),
      'warn passed over: tasks/later: a folder; a task is a file in tasks/ itself',
    ]),
  );
  expect(
    json().checks.every(
      ({ state, hint }: { state: string; hint: string | null }) => state === 'ok' || hint !== null,
    ),
  ).toBe(true);
  const nowhere = await room.run(['doctor', '--json', '--room', room.at('missing')]);
  expect(nowhere.json().checks).toContainEqual(expect.objectContaining({ name: 'room', state: 'fail' }));
});

test('init makes a room once, and never overwrites', async () => {
  const room = makeRoom();
  const dir = room.at('inner');
  expect((await room.run(['init', 'inner', '--json'])).json()).toMatchObject({ room: dir, kept: [] });
  writeFileSync(`${dir}/room.yaml`, 'settle: 5s\n');
  writeFileSync(`${dir}/.gitignore`, 'node_modules\n');
  const again = await room.run(['init', dir]);
  expect(again.code).toBe(0);
  expect(again.out).toContain('was a room already');
  expect(again.out).toContain('add the line .taskroom/ to .gitignore');
  expect(readFileSync(`${dir}/room.yaml`, 'utf8')).toBe('settle: 5s\n');
  writeFileSync(room.at('file'), '');
  expect((await room.run(['init', 'file'])).code).toBe(6);
});

test('mistakes say what to do', async () => {
  const room = makeRoom();
  room.put('Fix the build', 'x\n');
  expect(await room.run(['lst'])).toMatchObject({
    code: 2,
    out: '',
    err: 'taskroom: there is no command "lst"\n  did you mean list?\n',
  });
  expect((await room.run(['list', '--status', 'opne'])).err).toContain('unknown status "opne"');
  expect((await room.run(['show', 'Fix teh build'])).err).toContain('did you mean "Fix the build"?');
  const missing = await room.run(['show', 'qqqq', '--json']);
  expect(missing).toMatchObject({ code: 3, out: '' });
  expect(JSON.parse(missing.err).error).toMatchObject({ code: 'not_found', problems: [] });
  expect((await room.run(['show'])).err).toContain('no task was given');
  expect((await room.run(['comment', 'Fix the build'])).code).toBe(2);
  expect((await room.run(['comment', 'Fix the build', '-'], { input: ' \n' })).err).toContain(
    'the text is empty',
  );
  expect((await room.run(['new', 'x', '--priority', 'hihg'])).err).toContain('did you mean high?');
  expect((await room.run(['list', '--room', '/nowhere'])).code).toBe(6);
  expect((await room.run([])).code).toBe(2);
  expect((await room.run(['--frobnicate'])).err).toContain('unknown option --frobnicate');
  expect((await room.run(['help', 'list'])).out).toMatch(/^Usage: taskroom list/);
  expect((await room.run(['--room', room.dir, 'list', '--json'])).code).toBe(0);
});

test('colours only where they are wanted', async () => {
  const room = makeRoom();
  room.put('A task', 'x\n');
  expect((await room.run(['list'])).out).not.toContain('\u001b[');
  expect((await room.run(['list'], { columns: 80 })).out).toContain('\u001b[');
  expect((await room.run(['list', '--no-color'], { columns: 80 })).out).not.toContain('\u001b[');
  expect((await room.run(['list'], { env: { FORCE_COLOR: '1' } })).out).toContain('\u001b[');
  expect((await room.run(['show', 'nothing'], { columns: 80, env: { NO_COLOR: '1' } })).err).not.toContain(
    '\u001b[',
  );
});
