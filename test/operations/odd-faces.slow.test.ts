// The same odd inputs by every face: the library, commands here and with --url, the API, tools in each dialect, a turn's bridge. The
// effect, the answer and the refusal are the same by all.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpenRoom } from '../../src/app/open-room.ts';
import { createRoomApi } from '../../src/app/room-api.ts';
import { ROOMS } from '../../src/bin/bin-rooms.ts';
import { runCli } from '../../src/cli/main.ts';
import { isRoomError } from '../../src/core/errors.ts';
import { answerMcp } from '../../src/mcp/serve-mcp.ts';
import type { Client } from '../../src/operations/client.ts';
import { PLACES } from '../../src/operations/places.ts';
import { requestOf } from '../../src/operations/request.ts';
import type { Dialect } from '../../src/operations/tools/tool-list.ts';
import { prepareApi } from '../../src/server/serve.ts';
import { openBridgeRig } from '../app/bridge/bridge-rig.ts';
import { createFakeTerminal } from '../cli/fake-terminal.ts';
import { linkClient } from '../mcp/linked-client.ts';
import { openTestRoom, PERSON, type TestRoom } from '../tasks/test-room.ts';
import { CASES, type Case, ONE } from './odd-cases.ts';
import { assistantIn } from './tools/tool-room.ts';

interface Told {
  /** `code: message`; null where it was done. */
  refused: string | null;
  answer?: unknown;
  /** Of the room that was asked, where that is another. */
  read?: TestRoom['read'];
}

let room: TestRoom;
let ends: (() => Promise<void>)[];
let served: Promise<{ url: string; token: string }> | null;
beforeEach(async () => {
  room = openTestRoom();
  room.save('One.md', ONE);
  ends = [() => room.close()];
  served = null;
});
afterEach(async () => {
  for (const end of ends.reverse()) await end();
});

const failed = (error: unknown): Told => {
  if (!isRoomError(error)) throw error;
  return { refused: `${error.code}: ${error.message}` };
};
const done = (answer: unknown): Told => ({ refused: null, answer });
type Called = Parameters<Client['call']>[0];

function serve(): Promise<{ url: string; token: string }> {
  served ??= open();
  return served;
}

async function open(): Promise<{ url: string; token: string }> {
  const { deps, tasks } = room;
  const runtime = {
    tasks,
    caller: PERSON,
    events: deps.events,
    api: async () => createRoomApi(deps),
  } as Partial<OpenRoom>;
  const tcp = { host: '127.0.0.1', port: 0, names: [], tls: null, withoutTls: false };
  const api = await prepareApi({ tcp, version: '0.0.0', boardDir: null }, answerMcp);
  ends.push(() => api.close());
  const { url, newToken } = await api.open({
    ...{ runtime: runtime as OpenRoom, effects: deps.effects, heard: () => 0, workers: null, webhooks: null },
  });
  return { url: url!, token: newToken! };
}

async function command(words: readonly string[], where: readonly string[]): Promise<Told> {
  const terminal = createFakeTerminal({ env: { PATH: process.env.PATH ?? '' } });
  const code = await runCli([...words, '--json', ...where], terminal, ROOMS);
  if (code === 0) return done(JSON.parse(terminal.out()));
  const { error } = JSON.parse(terminal.err());
  return { refused: `${error.code}: ${error.message}` };
}

/** Of each dialect the tool that is the operation, and what it calls the task. */
const TOOLS: Readonly<Record<Dialect, Readonly<Record<string, string>>>> = {
  taskroom: {
    set: 'update_task',
    create: 'create_task',
    editStep: 'update_step',
    comment: 'comment_task',
    show: 'get_task',
  },
  claude: { set: 'TaskUpdate', create: 'TaskCreate', comment: 'comment_task', show: 'TaskGet' },
  todo: { set: 'todo_update', create: 'todo_add', comment: 'comment_task', show: 'todo_get' },
};

async function tool(dialect: Dialect, { name, given }: Case): Promise<Told | null> {
  const called = TOOLS[dialect][name];
  if (called === undefined) return null;
  const client = await linkClient(assistantIn(room), dialect);
  ends.push(() => client.close());
  const { text, isError } = await client.call(called, given);
  return { refused: isError ? text.split('\n')[0]! : null };
}

/** The ways; null where one can't say it. */
const WAYS: Readonly<Record<string, (given: Case) => Promise<Told | null>>> = {
  library: ({ name, given }) => room.call(name as Called, given as never).then(done, failed),
  command: async ({ words }) => (words === undefined ? null : command(words, ['--room', room.dir])),
  async '--url'({ words }) {
    const { url, token } = await serve();
    return words === undefined ? null : command(words, ['--url', url, '--token', token]);
  },
  async http({ name, given }) {
    const { url, token } = await serve();
    const { taskId, ...rest } = given;
    const input = { ...rest, ...(taskId === undefined ? {} : { ref: taskId }) };
    const place = PLACES[name]!;
    const request = requestOf(place, input);
    if (request === null) return null;
    const { path, method, body } = request;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(place.guard === undefined ? {} : { 'if-match': '*', prefer: 'return=minimal' }),
      },
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    });
    const said = (await response.json()) as { code?: string; detail?: string };
    return response.ok ? done(said) : { refused: `${said.code}: ${said.detail}` };
  },
  taskroom: (given) => tool('taskroom', given),
  claude: (given) => tool('claude', given),
  todo: (given) => tool('todo', given),
  async bridge({ name, given }) {
    const rig = await openBridgeRig();
    ends.push(() => rig.close());
    // An edit of any other task would have its turn's word wait.
    if (name === 'editStep') rig.room.save('One.md', ONE);
    const { tasks, caller } = rig.client();
    const told = await tasks.call(name as Called, given as never, caller).then(done, failed);
    return { ...told, read: rig.room.read };
  },
};

/** The answer to a change, the same by every way. */
const answerOf = ({ name, path = 'tasks/One.md', given, gone }: Case) => ({
  id: path === 'tasks/One.md' ? 'abc12345' : expect.stringMatching(/^[0-9a-z]{8}$/),
  name: path.slice('tasks/'.length, -'.md'.length),
  ...{ path, changed: given.status !== 'In Progress' },
  ...(name === 'set' && !gone && { now: expect.anything() }),
  ...(gone && { attic: expect.stringMatching(/^\.taskroom\/attic\/.*One\.md$/) }),
});

describe.each(Object.keys(WAYS))('by %s', (way) => {
  test.for(Object.entries(CASES))('%s', async ([, odd], { skip }) => {
    const told = await WAYS[way]!(odd);
    if (told === null) skip('it can not be said so');
    const { refused, answer, read = room.read } = told!;
    if (odd.onlyPerson && !PERSONS.includes(way))
      return expect(refused).toMatch(
        /^not_allowed: (agent|assistant) [\w-]+ may not make a task in the name of bob$/,
      );
    if (odd.refused === undefined) expect(refused).toBe(null);
    else if (typeof odd.refused === 'string') expect(refused).toBe(odd.refused);
    else expect(refused).toMatch(odd.refused);
    // What a turn says is done of words that are others by now waits for one more turn.
    if ((answer as { deferred?: true })?.deferred) return;
    if (odd.gone) expect(() => read('tasks/One.md')).toThrow('ENOENT');
    if (odd.file !== undefined) expect(read(odd.path ?? 'tasks/One.md')).toMatch(odd.file);
    // A tool answers with a line, and the API with the task where no minimal answer is preferred.
    if (answer !== undefined) expect(answer).toEqual(answerOf(odd));
  });
});

const PERSONS = ['library', 'command', '--url', 'http'];

test.for(Object.entries(CASES).filter(([, { refused }]) => refused !== undefined))(
  '%s is refused in the same words by every way',
  async ([, odd]) => {
    const said = new Map<string, string[]>();
    for (const [way, call] of Object.entries(WAYS)) {
      const told = await call(odd);
      // Commands count steps from 1.
      const counted = ['command', '--url'].includes(way)
        ? told?.refused?.replace('step 8', 'step 7')
        : told?.refused;
      if (told !== null) said.set(counted!, [...(said.get(counted!) ?? []), way]);
    }
    expect(Object.fromEntries(said)).toEqual({ [[...said.keys()][0]!]: expect.anything() });
  },
);

test.each(['taskroom', 'bridge'])('%s says to whom what is refused', async (way) => {
  const call = { name: 'set', given: { ref: 'One', status: 'done' } };
  const rig = await openBridgeRig('abc12345', { runbook: { access: 'readonly' } });
  ends.push(() => rig.close());
  const { tasks, caller } = rig.client();
  const client = await linkClient(assistantIn(room, 'readonly'), 'taskroom');
  ends.push(() => client.close());
  const refused =
    way === 'bridge'
      ? (await tasks.call('set', call.given, caller).then(done, failed)).refused
      : (await client.call('update_task', call.given)).text.split('\n')[0];
  const who = way === 'bridge' ? 'agent runbook' : 'assistant claude-code';
  expect(refused).toBe(
    `not_allowed: ${who} may not change status, keys or text of a task (its access is readonly)`,
  );
});

test('the words of a search mean the same by every way', async () => {
  room.save('Two.md', '---\nid: two12345\nlabels: [build]\n---\nThe build is broken.\n');
  room.save('The build.md', '---\nid: bld12345\n---\nNothing.\n');
  const wanted = ['The build', 'Two'];
  const namesOf = (told: Told | null) =>
    ((told!.answer ?? { tasks: [{ name: told!.refused }] }) as { tasks: { name: string }[] }).tasks
      .map(({ name }) => name)
      .sort();
  const odd = { name: 'list', given: { text: 'BUILD' }, words: ['list', '--text', 'BUILD'] };
  for (const way of ['library', 'command', '--url', 'http'])
    expect(namesOf(await WAYS[way]!(odd)), way).toEqual(wanted);
  const client = await linkClient(assistantIn(room), 'taskroom');
  ends.push(() => client.close());
  const { text } = await client.call('list_tasks', odd.given);
  expect(text.split('\n')).toHaveLength(2);
});
