// What every way to the machine of a room owes its person: the same tokens, looks and saved files as beside the room. Each
// case runs on both, in rooms that were alike; made ids, keys, times and folders are one word.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { textEditOf } from '../../src/core/document/text-edit.ts';
import { isRoomError } from '../../src/core/errors.ts';
import { hashText } from '../../src/core/task/read-task.ts';
import type { HostOperations, Runtime } from '../../src/runtime.ts';
import type { Actor } from '../../src/tasks/task-room.ts';

/** One room behind the way that is tested. */
export interface HostUnderTest {
  /** Holds what `seedHost` makes. */
  dir: string;
  way: Pick<Runtime, 'host' | 'elsewhere'>;
  close(): Promise<void>;
}

type Case = (host: HostOperations, room: RoomFiles) => Promise<unknown>;

interface RoomFiles {
  write(path: string, text: string): void;
  remove(path: string): void;
  elsewhere: Runtime['elsewhere'];
}

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

const wish = { name: 'lap', access: 'full', tasks: null, agents: null, expiresAt: null } as const;

async function save(host: HostOperations, path: string, from: string, to: string): Promise<unknown> {
  const { text, hash } = await host.readFile(path);
  const edit = { only: hash, ...textEditOf(text, text.replace(from, to)) };
  return [await host.saveFile(path, edit, PERSON), (await host.readFile(path)).text];
}

const CASES: Readonly<Record<string, Case>> = {
  'tokens: made, listed, revoked by name and by id': async ({ tokens }) => {
    const lap = await tokens.create({ ...wish, expiresAt: 4e12 });
    const ci = await tokens.create({ ...wish, name: 'ci', access: 'assistant', tasks: ['One', 'crlf'] });
    const build = await tokens.create({ ...wish, name: 'build', access: 'worker', agents: ['coder'] });
    const revoked = [await tokens.revoke('lap'), await tokens.revoke(ci.row.id)];
    return [lap.row, ci.row, build.row, lap.token.slice(0, 5), revoked, (await tokens.list()).slice(1)];
  },
  'tokens: a task that is not there': ({ tokens }) =>
    tokens.create({ ...wish, access: 'readonly', tasks: ['None'] }),
  'tokens: an agent that is not there': ({ tokens }) =>
    tokens.create({ ...wish, access: 'worker', agents: ['nobody'] }),
  'tokens: all rights for one task': ({ tokens }) => tokens.create({ ...wish, tasks: ['One'] }),
  'tokens: a name that is taken': async ({ tokens }) => {
    await tokens.create(wish);
    return tokens.create(wish);
  },
  'tokens: none to revoke': ({ tokens }) => tokens.revoke('lap'),
  'workers, and where turns run': async (host, { elsewhere }) => [await host.workers(), await elsewhere()],
  'examine: what is wrong': (host) => host.examine(),
  'files: read as they are': async (host) => {
    const paths = [ONE, 'tasks/Windows.md', 'tasks/Bad.md', 'archive/2026-10/Old.md'];
    const read = await Promise.all(paths.map((path) => host.readFile(path)));
    return read.map(({ text, hash }) => [text, hash === hashText(text)]);
  },
  'files: one that is no text': (host) => host.readFile('tasks/Bytes.md'),
  'files: gone': (host) => host.readFile('tasks/None.md'),
  'files: one that is no task': (host) => host.readFile('tasks/notes.txt'),
  'files: outside of tasks': (host) => host.readFile('tasks/../room.yaml'),
  'files: of the room itself': (host) => host.saveFile('.taskroom/token', editOf('', 'x'), PERSON),
  'save: a word': (host) => save(host, ONE, 'Do it.', 'Do it twice.'),
  'save: nothing': (host) => save(host, ONE, 'Do it.', 'Do it.'),
  'save: line ends, BOM and a missing end stay': (host) =>
    save(host, 'tasks/Windows.md', 'naïve 🙂', 'näive 🙃'),
  'save: one that could not be read': (host) => save(host, 'tasks/Bad.md', 'nope', 'todo'),
  'save: one that can not be read then': (host) => save(host, ONE, 'draft', 'nope'),
  'save: its front matter and all': (host) => save(host, ONE, TEXT, 'Just words.\n'),
  'save: an entry goes': (host) => save(host, ONE, '- 2026-11-20 10:00 · Begun\n', ''),
  'save: an archived one': (host) => save(host, 'archive/2026-10/Old.md', 'over', 'past'),
  'save: all of it goes': (host) => save(host, ONE, TEXT, ''),
  'save: another text by now': async (host, room) => {
    const { hash } = await host.readFile(ONE);
    room.write(ONE, TEXT.replace('Do it.', 'Do it now.'));
    return host.saveFile(ONE, { only: hash, start: 0, end: 0, text: 'x' }, PERSON);
  },
  'save: gone by now': async (host, room) => {
    const { hash } = await host.readFile(ONE);
    room.remove(ONE);
    return host.saveFile(ONE, { only: hash, start: 0, end: 0, text: 'x' }, PERSON);
  },
  'save: a place that is not there': (host) =>
    host.saveFile(ONE, { only: hashText(TEXT), start: 1, end: 1e6, text: 'x' }, PERSON),
  'save: no text any more': (host) => host.saveFile(ONE, editOf(TEXT, `${TEXT}\0`), PERSON),
  'save: half a character': (host) => host.saveFile(ONE, editOf(TEXT, `${TEXT}\uD83D`), PERSON),
  'save: nearly all that a file may hold': (host) =>
    host.saveFile(ONE, editOf(TEXT, TEXT + 'long '.repeat(209_000)), PERSON),
};

function editOf(before: string, after: string) {
  return { only: hashText(before), ...textEditOf(before, after) };
}

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
    elsewhere: way.elsewhere,
  };
  try {
    const answer = await (async () => run(await way.host(), room))().catch((error: unknown) => {
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
      .replace(/"id":"[0-9a-z]{10}"/g, '"id":"TAG"'),
  );
}
