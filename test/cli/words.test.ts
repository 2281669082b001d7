// The words a person learns: the first help page and old names of commands, one filter language and natural dates, what is said of
// a change, and taking it back.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeRoom, type RoomFolder } from './room-folder.ts';

const TERMINAL = { columns: 100 };

async function ok(room: RoomFolder, ...argv: string[]): Promise<string> {
  const { code, out, err } = await room.run(argv);
  expect(err).toBe('');
  expect(code).toBe(0);
  return out;
}
const names = async (room: RoomFolder, ...argv: string[]): Promise<string[]> =>
  (await room.run([...argv, '--json'])).json().tasks.map(({ name }: { name: string }) => name);

test('the first page of the help has the commands of a first week, and --all has the rest', async () => {
  const room = makeRoom();
  const first = await ok(room, '--help');
  const commands = (help: string) => help.match(/^ {2}[a-z]+ {2,}/gm)!.map((line) => line.trim());
  expect(commands(first).length).toBeLessThanOrEqual(26);
  expect(commands(first)).toEqual(expect.arrayContaining(['init', 'new', 'list', 'undo', 'answer', 'sync']));
  expect(first).toContain('taskroom help --all');
  expect(await ok(room, 'help')).toBe(first);
  const all = commands(await ok(room, 'help', '--all'));
  expect(all).toEqual(expect.arrayContaining([...commands(first), 'bulk', 'mirror', 'restore', 'scope']));
  for (const old of [
    ...['notices', 'workers', 'block', 'unblock', 'history', 'hooks', 'link', 'settle', 'mirrors'],
  ])
    expect(all).not.toContain(old);
});

test.each([
  [['notices'], ['inbox', '--notices']],
  [['workers'], ['worker', 'list']],
  [['history'], ['list', '--finished']],
  [
    ['hooks', 'check'],
    ['doctor', '--hooks'],
  ],
  [['mirrors'], ['mirror', 'list']],
  [
    ['settle', 'A'],
    ['mirror', 'settle', 'A'],
  ],
])('%j is another name of %j', async (old, now) => {
  const room = makeRoom();
  room.put('A', 'Words.\n');
  const { code, out } = await room.run([...now, '--json']);
  expect(await room.run([...old, '--json'])).toMatchObject({ code, out });
  expect(out).toMatch(/^\{/);
});

test('block and unblock are left as old names of what set does', async () => {
  const room = makeRoom();
  for (const name of ['A', 'B', 'C']) room.put(name, '---\nstatus: draft\n---\nWords.\n');
  await ok(room, 'block', 'A', 'B');
  expect(await ok(room, 'set', 'A', 'blocked_by+=C')).toContain('blocked_by is now B, C');
  expect(await ok(room, 'set', 'A', 'blocked_by-=B')).toContain('blocked_by is now C');
  await ok(room, 'unblock', 'A', 'C');
  expect(readFileSync(room.at('tasks/A.md'), 'utf8')).not.toContain('blocked_by');
  expect((await room.run(['set', 'C', 'blocked_by+=C'])).err).toContain('circle');
});

test('words of list are a filter, as its options are', async () => {
  const room = makeRoom();
  room.put('Web', '---\nstatus: draft\nlabels: [web]\ndue: 2001-01-02\n---\nOf x and y.\n');
  room.put('Other', '---\nstatus: todo\nlabels: [late]\n---\nOf the web.\n');
  expect(await names(room, 'list', 'label:web', 'due:<today')).toEqual(['Web']);
  expect(await names(room, 'list', '--label', 'web', '--due', '<today')).toEqual(['Web']);
  expect(await names(room, 'list', 'web')).toEqual(['Other', 'Web']);
  expect(await names(room, 'list', 'x')).toEqual(['Web']);
  expect(await names(room, 'list', 'the web', 'status:todo')).toEqual(['Other']);
  const odd = await room.run(['list', 'label:wbe']);
  expect(odd.out).toContain('no label is "wbe"; did you mean web?');
  expect((await room.run(['list', '--owner', 'cluade'])).out).toContain('no owner is "cluade"');
  expect((await room.run(['list', 'labl:web'])).out).toContain('did you mean label:?');
  expect((await room.run(['list', '--due', 'someday'])).err).toContain('expected a date');
});

test('what was finished is found by the same words, and since a date', async () => {
  const room = makeRoom();
  for (const [name, label] of [
    ['Web', 'web'],
    ['Other', 'late'],
  ] as const) {
    await ok(room, 'new', name, `Of ${label}.`, '--label', label);
    await ok(room, 'done', name);
  }
  const found = async (...argv: string[]): Promise<string[]> =>
    (await room.run(['list', '--finished', ...argv, '--json']))
      .json()
      .history.map((one: { name: string }) => one.name);
  expect(await found()).toEqual(['Other', 'Web']);
  expect(await found('label:web', '--since', 'yesterday')).toEqual(['Web']);
  expect(await found('--since', 'tomorrow')).toEqual([]);
  expect(await found('of late')).toEqual(['Other']);
  expect((await room.run(['history', 'Web', '--json'])).json().history).toHaveLength(1);
  expect(
    (await room.run(['turns', 'status:failed', 'label:web', '--since', 'monday', '--json'])).json(),
  ).toEqual({ turns: [] });
  expect((await room.run(['turns', 'status:nonsense'])).err).toContain('unknown state');
});

test('new and set take dates in words, and say what they wrote', async () => {
  const room = makeRoom();
  await ok(
    room,
    ...['new', 'A: B/C', 'Words.', '--draft', '--due', 'tomorrow', '--label', 'web', '--priority', 'high'],
  );
  const { due } = (await room.run(['show', 'A: B/C', '--json'])).json();
  const day = new Date();
  day.setDate(day.getDate() + 1);
  expect(due).toBe(
    [day.getFullYear(), day.getMonth() + 1, day.getDate()]
      .map((part) => String(part).padStart(2, '0'))
      .join('-'),
  );
  expect(await ok(room, 'set', 'A: B/C', 'due=2031-12-24', 'owner=')).toContain(
    'due is now 24 Dec 2031, owner is gone',
  );
  expect(await ok(room, 'set', 'A: B/C', 'status=canceled')).toContain('status is now canceled');
});

test('undo takes the last change back, then the one before, and keeps what it replaces', async () => {
  const room = makeRoom();
  room.put('A', '---\nid: abc12345\nstatus: draft\n---\nWords.\n');
  await ok(room, 'set', 'A', 'priority=low');
  await ok(room, 'comment', 'A', 'A word.');
  expect(await ok(room, 'undo')).toMatch(
    /A .*is draft, as before your change; what it said lies in \.taskroom\/attic\//,
  );
  expect(readFileSync(room.at('tasks/A.md'), 'utf8')).toMatch(/priority: low[\s\S]*Words\.\s*$/);
  await ok(room, 'undo');
  expect(readFileSync(room.at('tasks/A.md'), 'utf8')).not.toContain('priority');
  const kept = readdirSync(room.at('.taskroom/attic')).map((name) =>
    readFileSync(room.at(`.taskroom/attic/${name}`), 'utf8'),
  );
  expect(kept.some((text) => text.includes('A word.'))).toBe(true);
  expect((await room.run(['undo'])).err).toContain('no change of yours');
});

test('undo brings a deleted task back, and takes a new one away', async () => {
  const room = makeRoom();
  await ok(room, 'new', 'A', 'Words.', '--draft');
  const text = readFileSync(room.at('tasks/A.md'), 'utf8');
  await ok(room, 'delete', 'A');
  await ok(room, 'undo');
  expect(readFileSync(room.at('tasks/A.md'), 'utf8')).toBe(text);
  expect(await names(room, 'list')).toEqual(['A']);
  expect(await ok(room, 'undo')).toContain('is taken back; it lies in .taskroom/attic/');
  expect(existsSync(room.at('tasks/A.md'))).toBe(false);
});

test('one undo takes back all that one command deleted, archived or changed', async () => {
  const room = makeRoom();
  const put = (name: string, more = 'status: done\nscope: spike') =>
    room.put(name, `---\nid: ${name.toLowerCase()}bc12345\n${more}\n---\nWords of ${name}.\n`);
  for (const name of ['A', 'B', 'C']) put(name);
  put('Below', 'status: draft\nparent: C');
  const texts = () =>
    readdirSync(room.at('tasks')).map((name) => readFileSync(room.at(`tasks/${name}`), 'utf8'));
  await ok(room, 'list');
  const before = texts();
  for (const argv of [
    ['delete', '--scope', 'spike', '--completed'],
    ['delete', '--completed'],
    ['scope', 'delete', 'spike'],
    ['delete', 'A', 'B'],
    ['delete', 'C'],
    ['archive', 'A', 'B', 'C'],
    ['archive', 'A'],
    ['reopen', 'A', 'B'],
  ]) {
    await ok(room, ...argv);
    expect(texts()).not.toEqual(before);
    const { id, tasks } = (await room.run(['undo', '--json'])).json();
    expect(id).toMatch(/bc12345$/);
    expect(texts(), argv.join(' ')).toEqual(before);
    expect(await names(room, 'list', '--all')).toHaveLength(4);
    if (argv.length > 2) expect(tasks.length).toBeGreaterThan(1);
  }
  await ok(room, 'delete', 'A', 'B');
  put('B');
  expect((await room.run(['undo'])).err).toContain('tasks/B.md is there again');
  expect(existsSync(room.at('tasks/A.md'))).toBe(false);
});

test('undo refuses where the file was changed since; restore keeps that and brings back what it said', async () => {
  const room = makeRoom();
  room.put('A', '---\nid: abc12345\nstatus: draft\n---\nWords.\n');
  await ok(room, 'set', 'A', 'priority=low');
  const later = `${readFileSync(room.at('tasks/A.md'), 'utf8')}Typed later.\n`;
  writeFileSync(room.at('tasks/A.md'), later);
  const refused = await room.run(['undo']);
  expect(refused.err).toMatch(/was changed since[\s\S]*taskroom restore abc12345/);
  expect(readFileSync(room.at('tasks/A.md'), 'utf8')).toBe(later);
  const said = await ok(room, 'restore', 'A');
  const [, attic] = /lies in (\.taskroom\/attic\/.*\.md)/.exec(said)!;
  expect(readFileSync(room.at(attic!), 'utf8')).toBe(later);
  expect(readFileSync(room.at('tasks/A.md'), 'utf8')).toBe('---\nid: abc12345\nstatus: draft\n---\nWords.\n');
  expect((await room.run(['restore', 'A'])).err).toContain('no earlier text of A is kept');
  await ok(room, 'delete', 'A');
  expect(await ok(room, 'restore', 'abc12345')).toContain('is back: tasks/A.md');
});

test('delete of many and of a scope tell what goes and ask, in a terminal', async () => {
  const room = makeRoom();
  const put = () => {
    for (const name of ['A', 'B']) room.put(name, '---\nstatus: done\nscope: spike\n---\nWords.\n');
  };
  put();
  for (const argv of [
    ['delete', '--completed'],
    ['delete', '--scope', 'completed'],
    ['scope', 'delete', 'spike'],
  ]) {
    const left = await room.run(argv, { ...TERMINAL, input: 'n\n' });
    expect(left.out).toMatch(/A[\s\S]*would go to the attic[\s\S]*\[y\/N\] $/);
    expect(left).toMatchObject({ code: 4, err: expect.stringContaining('nothing was done') });
    expect(existsSync(room.at('tasks/A.md'))).toBe(true);
    expect((await room.run([...argv, '--dry-run'])).out).toContain('would go to the attic');
    expect((await room.run(argv, { ...TERMINAL, input: 'y\n' })).out).toMatch(
      /B.* lies in \.taskroom\/attic/,
    );
    expect(existsSync(room.at('tasks/B.md'))).toBe(false);
    put();
    expect((await room.run([...argv, '--yes'], TERMINAL)).out).not.toContain('[y/N]');
    put();
  }
});

test('tasks are called by their titles, and found by them as they were typed', async () => {
  const room = makeRoom();
  const title = 'Ship: the 2nd "build" / release?';
  expect(await ok(room, 'new', title, 'Words.', '--draft')).toContain(`${title} `);
  await ok(room, 'new', 'Below', 'Words.', '--draft', '--parent', title);
  await ok(room, 'set', 'Below', `blocked_by=${title}`);
  const { id, name } = (await room.run(['show', title, '--json'])).json();
  expect(name).not.toBe(title);
  for (const word of [title, name, id, id.slice(0, 5), `  ${title} `])
    expect((await room.run(['show', word, '--json'])).json().id).toBe(id);
  expect(await ok(room, 'list')).toContain(`✎ ${title}  ${id}`);
  expect(await ok(room, 'list')).toContain(`waits for ${title}`);
  const shown = await ok(room, 'show', name);
  expect(shown.split('\n')[0]).toBe(`✎ ${title}`);
  expect(shown).toContain(`tasks/${name}.md`);
  expect(await ok(room, 'show', 'Below')).toContain(`waits for ${title} (draft)`);
  await ok(room, 'done', title);
  expect(await ok(room, 'list', '--finished')).toContain(title);
  await ok(room, 'archive', title);
  expect((await room.run(['show', title, '--json'])).json()).toMatchObject({ id, archived: true });
  await ok(room, 'undo');
  await ok(room, 'delete', title);
  expect((await room.run(['show', title, '--json'])).json()).toMatchObject({ id, deleted: true });
});

test('each line of the inbox goes when its command is run as it stands there', async () => {
  const room = makeRoom();
  mkdirSync(room.at('agents/helper'));
  writeFileSync(room.at('agents/helper/agent.json'), '{"runner":"command","command":["true"]}');
  room.put('Bad', '---\nid: bad12345\nstatus: nope\nowner: helper\n---\nWords.\n');
  for (const name of ['One', 'Two'])
    room.put(name, `---\nid: ${name.toLowerCase()}12345\nowner: nobody\n---\n\`\`\`sh\ntrue\n\`\`\`\n`);
  room.put(
    'Asks',
    '---\nid: asks1234\nowner: helper\n---\nDo.\n\n## Questions\n\n**@agent:x** · 2026-11-20 10:00 <!-- q:k1 -->\n> Why?\n',
  );
  await ok(room, 'new', 'Takes all in', 'Words.', '--draft');
  const lines = async (): Promise<{ kind: string; key: string; settle: string }[]> =>
    (await room.run(['inbox', '--json'])).json().inbox;
  const before = await lines();
  expect(before.map(({ kind }) => kind)).toEqual(['question', 'invalid', 'setup']);
  for (const { key, settle } of before) {
    const [program, ...argv] = settle.match(/'[^']*'|\S+/g)!.map((word) => word.replaceAll("'", ''));
    expect(program).toBe('taskroom');
    expect((await room.run(argv, { env: { EDITOR: 'sed -i s/nope/todo/' } })).code, settle).toBe(0);
    expect((await lines()).map((item) => item.key)).not.toContain(key);
  }
  expect(await lines()).toEqual([]);
});
