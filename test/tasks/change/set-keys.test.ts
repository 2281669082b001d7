import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { parseDocument } from '../../../src/core/document/document.ts';
import { readTask } from '../../../src/core/task/read-task.ts';
import { KNOWN_KEYS } from '../../../src/core/task/task-keys.ts';
import { keyOf } from '../../../src/tasks/change/key-values.ts';
import { forAllAsync } from '../../support/for-all.ts';
import { rig, withAgents } from '../each-room.ts';
import { AGENT, codeOf, failureOf, PERSON } from '../test-room.ts';

const BODY = '\n## Task\nDo it.\n';
const TEXT = `---\nid: abc12345 # mine\nstatus: "todo"\npaused: no\nlabels: a, b\nx: 007\n---\n${BODY}`;

withAgents({ coder: {}, guest: { tasks: false } });
beforeEach(() => rig.save('One.md', TEXT));

const set = (changes: Record<string, string>, actor = PERSON) =>
  rig.call('set', { ref: 'One', keys: changes }, actor);
const text = () => rig.read('tasks/One.md');

test.each([
  [{ status: 'in_progress' }, 'status: "todo"', 'status: "doing"'],
  [{ paused: 'on' }, 'paused: no', 'paused: true'],
  [{ labels: 'p, q' }, 'labels: a, b', 'labels: [p, q]'],
  [{ x: '8' }, 'x: 007', 'x: 8'],
])('%j changes its line alone', async (changes, before, after) => {
  expect((await set(changes)).changed).toBe(true);
  expect(text()).toBe(TEXT.replace(before, after));
});

test.each([
  [{ priority: 'HIGH' }, 'priority: high'],
  [{ owner: 'coder' }, 'owner: coder'],
  [{ 'blocked-by': 'Two' }, 'blocked_by: [two22222]'],
  [{ parent: 'two2' }, 'parent: two22222'],
  [{ sort: '1.5' }, 'sort: 1.5'],
  [{ points: '5' }, 'points: 5'],
  [{ points: '05' }, 'points: "05"'],
  [{ flag: 'true' }, 'flag: true'],
  [{ flag: 'yes' }, 'flag: "yes"'],
  [{ due: '2026-12-24' }, 'due: "2026-12-24"'],
  [{ due: '2026-12-24T18:00-05:30' }, 'due: "2026-12-24T18:00-05:30"'],
  [{ assignees: 'alice, bob' }, 'assignees: [alice, bob]'],
  [{ created_by: 'alice' }, 'created_by: alice'],
  [{ note: 'a: b # c' }, 'note: "a: b # c"'],
])('%j adds one line', async (changes, line) => {
  rig.save('Two.md', '---\nid: two22222\n---\n');
  await set(changes);
  expect(text()).toBe(TEXT.replace('x: 007\n', `x: 007\n${line}\n`));
});

test.each([{ status: 'pending' }, { paused: 'false' }, { labels: 'a,b' }, { nothing: '' }])(
  '%j writes nothing, because it says so already',
  async (changes) => {
    expect((await set(changes)).changed).toBe(false);
    expect(text()).toBe(TEXT);
  },
);

test.each([
  [
    { status: 'dome' },
    'unknown status "dome"',
    'did you mean done? known: draft, todo, doing, done, canceled, deleted',
  ],
  [{ paused: 'maybe' }, 'paused is "maybe", expected true or false', undefined],
  [{ priority: 'hihg' }, 'unknown priority "hihg"', 'did you mean high? known: high, medium, low'],
  [{ owner: 'codr' }, 'coder, guest, runbook', 'did you mean coder?'],
  [{ sort: 'first' }, 'expected a number', undefined],
  [
    { due: '2026-12-24T18:00+25:99' },
    'expected a date',
    'such as 2026-12-24, 2026-12-24T18:00, tomorrow, friday or +3d',
  ],
  [{ blocked_by: 'Nobody' }, 'no task "Nobody"', 'see: taskroom list'],
  [{ title: 'two\nlines' }, 'one line', 'longer text belongs below the front matter: taskroom edit'],
  [{ id: 'other' }, 'never set', 'remove the line in an editor to get a new one'],
  [{ '': 'x' }, "can't be a key", undefined],
  [{ '- x': 'x' }, "can't be a key", undefined],
  [{ x: 'a\u0000b' }, 'no text a file can hold', undefined],
  [{}, 'nothing to change', 'give one or more keys'],
])('%j is refused and says what is allowed', async (changes, message, hint) => {
  const failure = await failureOf(set(changes as Record<string, string>));
  expect(failure.code).toBe('bad_input');
  expect(failure.message).toContain(message);
  if (hint !== undefined) expect(failure.hint).toBe(hint);
  expect(text()).toBe(TEXT);
});

describe('circles', () => {
  test('a task without an id may wait for another, and not for itself', async () => {
    for (const name of ['Fresh', 'Itself']) rig.save(`${name}.md`, 'Text.\n');
    rig.save('Else.md', '---\nid: else1234\n---\nText.\n');
    await rig.call('set', { ref: 'Fresh', keys: { blocked_by: 'else1234' } });
    expect(rig.read('tasks/Fresh.md')).toContain('blocked_by: [else1234]');
    const failure = await failureOf(rig.call('set', { ref: 'Itself', keys: { blocked_by: 'Itself' } }));
    expect(failure.message).toContain('round in a circle: Itself → Itself');
  });

  beforeEach(() => {
    rig.save('Two.md', '---\nid: two22222\nblocked_by: [abc12345]\nparent: abc12345\n---\n');
    rig.save('Three.md', '---\nid: three333\nblocked_by: Two\nparent: two22222\n---\n');
  });

  test.each([
    [{ blocked_by: 'One' }, 'One → One'],
    [{ blocked_by: 'two22222' }, 'One → Two → One'],
    [{ blocked_by: 'Three' }, 'One → Three → Two → One'],
    [{ parent: 'three3' }, 'One → Three → Two → One'],
  ])('%j is refused', async (changes, way) => {
    const failure = await failureOf(set(changes as Record<string, string>));
    expect(failure).toMatchObject({ code: 'bad_input' });
    expect(failure.message).toContain(way);
    expect(text()).toBe(TEXT);
  });
});

test.each(['requester', 'created_by', 'remote', 'checks', 'budget'])('agents may not set %s', async (key) => {
  expect(await codeOf(set({ [key]: 'owner' }, AGENT))).toBe('not_allowed');
  expect(text()).toBe(TEXT);
});

test('a file without front matter gets the key and an id, and nothing else', async () => {
  rig.save('Bare.md', 'Just do it.\r\n');
  const { id } = await rig.call('set', { ref: 'Bare', keys: { status: 'doing' } });
  expect(rig.read('tasks/Bare.md')).toBe(`---\r\nid: ${id}\r\nstatus: doing\r\n---\r\n\r\nJust do it.\r\n`);
  expect(rig.deps.ledger.tasks.get(id)).toMatchObject({ path: 'tasks/Bare.md', status: 'doing' });
});

test.each([
  ['2020-01-01', /^updated: "2040-01-02"$/m],
  ['2020-01-01T00:00:00Z', /^updated: "?2040-01-02T03:04:05.000Z"?$/m],
])('updated: %s is kept current in its own form', async (was, now) => {
  rig.save('One.md', TEXT.replace('x: 007', `updated: ${was}`));
  await set({ x: '1' });
  expect(text()).toMatch(now);
  const before = text();
  rig.later(5000);
  await set({ x: '1' });
  expect(text()).toBe(before);
});

test('any key and value changes its own line alone and reads back', { timeout: 120_000 }, async () => {
  const key = fc.oneof(
    fc.constantFrom('x', 'note', 'ключ', 'a.b', 'a b', 'null', 'true', 'constructor', 'toString', '123'),
    fc.string({ maxLength: 12 }),
  );
  const value = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(
      ...['yes', '~', '- a', '{a: b}', '"', "'", '#', ': ', '1e3', '0x1f', '2026-01-01', '|', '*a'],
      ...['&a b', '!t', '%', '@x', '`'],
    ),
  );
  await forAllAsync(150, key, value, async (typedKey, typed) => {
    rig.save('One.md', TEXT);
    let name: string;
    try {
      name = keyOf(typedKey);
    } catch {
      return;
    }
    if ((KNOWN_KEYS as readonly string[]).includes(name)) return;
    let changed = false;
    try {
      ({ changed } = await set({ [typedKey]: typed }));
    } catch {
      expect(text()).toBe(TEXT);
      expect(typed.includes('\0') || !typed.isWellFormed()).toBe(true);
      return;
    }
    const parsed = parseDocument(text(), 'One.md');
    if (!parsed.ok) throw new Error('the file can be read');
    expect(text().endsWith(BODY)).toBe(true);
    if (typed.trim() === '') {
      expect(Object.hasOwn(parsed.doc.data, name)).toBe(false);
      expect(changed).toBe(name === 'x');
    } else {
      expect(String(parsed.doc.data[name])).toBe(typed);
      if (name !== 'x') expect(text().startsWith(TEXT.slice(0, TEXT.indexOf('x: 007')))).toBe(true);
    }
    expect(readTask('tasks/One.md', text(), null)).toMatchObject({
      ok: true,
      task: { id: 'abc12345', status: 'todo', labels: ['a', 'b'] },
    });
  });
});
