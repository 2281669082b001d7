// What every way to the machine of a room owes its person: the same tokens, looks and saved files as beside the room. Each
// case runs on both, in rooms that were alike; made ids, keys, times and folders are one word.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RoomClient } from '../../src/app/open-room.ts';
import { textEditOf } from '../../src/core/document/edits.ts';
import { isRoomError } from '../../src/core/errors.ts';
import { hashText } from '../../src/core/task/read-task.ts';
import type { InputOf, OperationName, OutputOf } from '../../src/operations/client.ts';
import type { Actor } from '../../src/tasks/task-room.ts';

/** One room behind the way that is tested. */
export interface HostUnderTest {
  /** Holds what `seedHost` makes. */
  dir: string;
  way: Pick<RoomClient, 'tasks'>;
  close(): Promise<void>;
}

type Ask = <Name extends OperationName>(name: Name, input: InputOf<Name>) => Promise<OutputOf<Name>>;
type Case = (ask: Ask, room: RoomFiles) => Promise<unknown>;

type RoomFiles = { write(path: string, text: string): void; remove(path: string): void };

const PERSON: Actor = { kind: 'person' };
const ONE = 'tasks/One.md';
const TEXT =
  '---\nid: one11111\nstatus: draft\n---\n\n## Task\nDo it.\n\n## Progress\n\n- 2026-11-20 10:00 · Begun\n';
const CRLF = '\uFEFF---\r\nid: crlf1111\r\nstatus: draft\r\n---\r\nnaïve 🙂 text without an end';

export function seedHost(dir: string): void {
  const write = (path: string, text: string | Buffer) => writeFileSync(join(dir, path), text);
  for (const folder of ['archive/2026-10', 'agents/coder']) mkdirSync(join(dir, folder), { recursive: true });
  write('agents/coder/agent.json', '{"runner":"command","command":["/bin/true"]}');
  write(ONE, TEXT);
  write('tasks/Windows.md', CRLF);
  write('tasks/Bad.md', '---\nstatus: nope\n---\nText.\n');
  write('tasks/Bytes.md', Buffer.from([0x66, 0xff, 0x0a]));
  write('tasks/notes.txt', 'No task.\n');
  write('archive/2026-10/Old.md', '---\nid: old11111\nstatus: done\n---\nIt is over.\n');
}

const wish = { name: 'lap', access: 'full' } as const;

async function save(ask: Ask, path: string, from: string, to: string): Promise<unknown> {
  const { text, hash } = await ask('readFile', { path });
  const edit = { only: hash, ...textEditOf(text, text.replace(from, to)) };
  return [await ask('saveFile', { path, edit }), (await ask('readFile', { path })).text];
}

const CASES: Readonly<Record<string, Case>> = {
  'tokens: made, listed, revoked by name and by id': async (ask) => {
    const lap = await ask('createToken', { ...wish, expires_at: '2096-10-02T07:06:40.000Z' });
    const ci = await ask('createToken', { name: 'ci', access: 'assistant', tasks: ['One', 'crlf'] });
    const build = await ask('createToken', { name: 'build', access: 'worker', agents: ['coder'] });
    const made = [lap, ci, build].map(({ token, ...row }) => [row, token.slice(0, 5)]);
    const revoked = [await ask('revokeToken', { name: 'lap' }), await ask('revokeToken', { name: ci.id })];
    return [made, revoked, (await ask('listTokens', {})).tokens.slice(1)];
  },
  'tokens: a task that is not there': (ask) =>
    ask('createToken', { ...wish, access: 'readonly', tasks: ['None'] }),
  'tokens: an agent that is not there': (ask) =>
    ask('createToken', { ...wish, access: 'worker', agents: ['nobody'] }),
  'tokens: all rights for one task': (ask) => ask('createToken', { ...wish, tasks: ['One'] }),
  'tokens: a name that is taken': async (ask) => {
    await ask('createToken', wish);
    return ask('createToken', wish);
  },
  'tokens: none to revoke': (ask) => ask('revokeToken', { name: 'lap' }),
  'workers, and where turns run': (ask) => ask('listWorkers', {}),
  'examine: what is wrong': (ask) => ask('examine', {}),
  'files: read as they are': async (ask) => {
    const paths = [ONE, 'tasks/Windows.md', 'tasks/Bad.md', 'archive/2026-10/Old.md'];
    const read = await Promise.all(paths.map((path) => ask('readFile', { path: path })));
    return read.map(({ text, hash }) => [text, hash === hashText(text)]);
  },
  'files: one that is no text': (ask) => ask('readFile', { path: 'tasks/Bytes.md' }),
  'files: gone': (ask) => ask('readFile', { path: 'tasks/None.md' }),
  'files: one that is no task': (ask) => ask('readFile', { path: 'tasks/notes.txt' }),
  'files: outside of tasks': (ask) => ask('readFile', { path: 'tasks/../room.yaml' }),
  'files: of the room itself': (ask) => ask('saveFile', { path: '.taskroom/token', edit: editOf('', 'x') }),
  'save: a word': (ask) => save(ask, ONE, 'Do it.', 'Do it twice.'),
  'save: nothing': (ask) => save(ask, ONE, 'Do it.', 'Do it.'),
  'save: line ends, BOM and a missing end stay': (ask) =>
    save(ask, 'tasks/Windows.md', 'naïve 🙂', 'näive 🙃'),
  'save: one that could not be read': (ask) => save(ask, 'tasks/Bad.md', 'nope', 'todo'),
  'save: one that can not be read then': (ask) => save(ask, ONE, 'draft', 'nope'),
  'save: its front matter and all': (ask) => save(ask, ONE, TEXT, 'Just words.\n'),
  'save: an entry goes': (ask) => save(ask, ONE, '- 2026-11-20 10:00 · Begun\n', ''),
  'save: an archived one': (ask) => save(ask, 'archive/2026-10/Old.md', 'over', 'past'),
  'save: all of it goes': (ask) => save(ask, ONE, TEXT, ''),
  'save: another text by now': async (ask, room) => {
    const { hash } = await ask('readFile', { path: ONE });
    room.write(ONE, TEXT.replace('Do it.', 'Do it now.'));
    return ask('saveFile', { path: ONE, edit: { only: hash, start: 0, end: 0, text: 'x' } });
  },
  'save: gone by now': async (ask, room) => {
    const { hash } = await ask('readFile', { path: ONE });
    room.remove(ONE);
    return ask('saveFile', { path: ONE, edit: { only: hash, start: 0, end: 0, text: 'x' } });
  },
  'save: a place that is not there': (ask) =>
    ask('saveFile', { path: ONE, edit: { only: hashText(TEXT), start: 1, end: 1e6, text: 'x' } }),
  'save: no text any more': (ask) => ask('saveFile', { path: ONE, edit: editOf(TEXT, `${TEXT}\0`) }),
  'save: half a character': (ask) => ask('saveFile', { path: ONE, edit: editOf(TEXT, `${TEXT}\uD83D`) }),
  'save: nearly all that a file may hold': (ask) =>
    ask('saveFile', { path: ONE, edit: editOf(TEXT, TEXT + 'long '.repeat(209_000)) }),
};

const editOf = (before: string, after: string) => ({ only: hashText(before), ...textEditOf(before, after) });

/** Every case of the suite as tests. */
export function testHost(open: () => Promise<HostUnderTest>, openHere: () => Promise<HostUnderTest>): void {
  test.for(Object.entries(CASES))('%s', async ([, run]) => {
    const found = await outcomeOf(await open(), run);
    const expected = await outcomeOf(await openHere(), run);
    expect(found).toEqual(expected);
  });
}

async function outcomeOf({ dir, way, close }: HostUnderTest, run: Case): Promise<unknown> {
  const room: RoomFiles = {
    write: (path, text) => writeFileSync(join(dir, path), text),
    remove: (path) => rmSync(join(dir, path)),
  };
  try {
    const answer = await (async () =>
      run((name, input) => way.tasks.call(name, input, PERSON), room))().catch((error: unknown) => {
      if (!isRoomError(error)) throw error;
      const { code, message, hint, problems } = error;
      return { refused: code, message, hint, problems };
    });
    const files = [ONE, 'tasks/Windows.md', 'tasks/Bad.md', 'archive/2026-10/Old.md'].map(
      (path) => [path, readOr(join(dir, path))] as const,
    );
    return masked({ answer, files }, dir);
  } finally {
    await close();
  }
}

function readOr(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** As JSON has it, with what is made anew in each room as one word. */
function masked(outcome: object, dir: string): unknown {
  return JSON.parse(
    JSON.stringify(outcome)
      .replaceAll(dir, 'ROOM')
      .replace(/\b1[5-9]\d{11}\b/g, '0')
      .replace(/"202\d-[\dT:.-]+Z"/g, '"TIME"')
      .replace(/"id":"[0-9a-z]{10}"/g, '"id":"TAG"'),
  );
}
