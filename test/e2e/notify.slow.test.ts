// What agents tell the person: into the log and status, and out by a real program and a real HTTP server.
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { room } from './each-room.ts';
import { NAME, PATH } from './one-task.ts';
import { SETTINGS, until } from './room.ts';

type Posted = { headers: IncomingMessage['headers']; body: Record<string, unknown> };

let server: Server | null = null;
let posted: Posted[];
/** Statuses to answer with, 204 when there are none left. */
let answers: number[];

beforeEach(() => {
  posted = [];
  answers = [];
});
afterEach(async () => {
  server?.close();
  server = null;
});

function listen(): Promise<string> {
  server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    posted.push({ headers: request.headers, body: JSON.parse(text) });
    response.writeHead(answers.shift() ?? 204).end();
  });
  return new Promise((resolve) =>
    server!.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server!.address() as AddressInfo).port}/hook-s3cret-part`),
    ),
  );
}

/** A daemon whose agent tells something in the turn of the task. */
async function turnThatTells(...words: string[]) {
  room.gate(NAME);
  room.save(PATH, 'Look at it.\n');
  const daemon = await room.up();
  const { id } = await daemon.see('turn.started', { name: NAME });
  room.open(NAME, words.map((word) => `taskroom notify "${word}"`).join('; '));
  await daemon.see('turn.ended', { name: NAME });
  return { daemon, id: String(id) };
}

test('stands in the log and in status until it was seen, whatever ways there are', async () => {
  const { daemon, id } = await turnThatTells('Which of the two?');
  await daemon.see('person.notified', { id, name: NAME, author: 'agent:gate', text: 'Which of the two?' });
  await room.quiet(daemon);
  expect(await room.json('status')).toMatchObject({
    notices: [
      { from: 'agent:gate', task: id, name: NAME, text: 'Which of the two?', sent_at: null, error: null },
    ],
  });
  expect(await room.ok('status')).toContain(`gate on ${NAME}: Which of the two?`);
  expect((await room.json('status')).notices).toEqual([]);
  expect((await room.json('notices')).notices).toHaveLength(1);
  expect(daemon.all('person.notified')).toHaveLength(1);
  expect(room.read(PATH)).not.toContain('Which of the two?');
});

test('goes to a program with the words on its standard input, and without the secrets of trackers', async () => {
  room.settings(
    ...SETTINGS,
    'notify:',
    `  command: 'cat >> told.txt; env > told.env; echo "$TASKROOM_NOTICE_NAME" >> told.txt'`,
  );
  room.daemonEnv.GITHUB_TOKEN = 'ghp_0123456789abcdef';
  const { daemon, id } = await turnThatTells('Done, have a look.');
  await until('the program was told', () => existsSync(room.at('told.env')));
  await room.quiet(daemon);
  expect(room.read('told.txt')).toBe(`Done, have a look.\n${NAME}\n`);
  const env = room.read('told.env');
  expect(env).toContain(`TASKROOM_NOTICE_TASK=${id}\n`);
  expect(env).toContain('TASKROOM_NOTICE_FROM=agent:gate\n');
  expect(env).not.toContain('ghp_0123456789abcdef');
  expect((await room.json('notices')).notices).toMatchObject([{ sent_at: expect.any(String), error: null }]);
});

test('is posted to an address that only the environment knows, again after a failure, each time under one key', async () => {
  room.settings(...SETTINGS, 'notify:', '  webhook: MY_HOOK');
  room.daemonEnv.MY_HOOK = await listen();
  answers = [500];
  const { daemon, id } = await turnThatTells('Look.');
  await until('it came through', () => posted.length === 2);
  await room.quiet(daemon);
  expect(posted[1]!.body).toMatchObject({ from: 'agent:gate', task: id, name: NAME, text: 'Look.' });
  expect(posted[0]!.headers['idempotency-key']).toBe(posted[1]!.headers['idempotency-key']);
  expect((await room.json('notices')).notices).toMatchObject([{ sent_at: expect.any(String), error: null }]);
  expect(JSON.stringify(daemon.events)).not.toContain('s3cret');
}, 60_000);

test('a question goes out in the shape of ntfy, once, across a restart', async () => {
  room.settings(...SETTINGS, 'notify:', '  webhook: MY_HOOK', '  format: ntfy', '  on: question');
  room.daemonEnv.MY_HOOK = await listen();
  room.gate(NAME);
  room.save(PATH, 'Look at it.\n');
  const daemon = await room.up();
  const { id } = await daemon.see('turn.started', { name: NAME });
  room.open(NAME, 'taskroom notify Loud; taskroom ask "Which of the two?"');
  await daemon.see('turn.ended', { name: NAME });
  await until('it came through', () => posted.length === 1);
  expect(posted[0]!.body).toEqual({
    topic: 'hook-s3cret-part',
    title: NAME,
    message: `gate asks: Which of the two?\ntaskroom answer ${id} 'your answer'`,
    tags: ['question'],
  });
  expect((await room.json('inbox')).inbox).toMatchObject([
    { kind: 'question', task: id },
    { kind: 'notice' },
  ]);
  expect(await room.json('status')).toMatchObject({ inbox: 2 });
  daemon.signal('SIGTERM');
  await daemon.ended;
  const again = await room.up();
  await room.quiet(again);
  again.signal('SIGTERM');
  await again.ended;
  expect(posted).toHaveLength(1);
});

test('that can not be sent says why, without the address', async () => {
  room.settings(...SETTINGS, 'notify:', '  webhook: MY_HOOK');
  room.daemonEnv.MY_HOOK = 'http://127.0.0.1:1/hook-s3cret-part';
  const { daemon } = await turnThatTells('Look.');
  const error = async () => (await room.json('notices')).notices[0]?.error ?? null;
  await expect.poll(error, { timeout: 20_000 }).not.toBeNull();
  expect(await error()).toMatch(/the address in MY_HOOK can't be reached/);
  expect(await room.ok('notices')).not.toContain('s3cret');
  expect(JSON.stringify(daemon.events)).not.toContain('s3cret');
});

test('of a turn that goes round in a circle ends after ten', async () => {
  const words = Array.from({ length: 12 }, (_, at) => `word ${at}`);
  const { daemon } = await turnThatTells(...words);
  await room.quiet(daemon);
  expect((await room.json('notices', '--limit', '50')).notices).toHaveLength(10);
  expect(await room.ok('log', NAME)).toContain('this turn has told the person 10 things already');
});

test('by a person, without a daemon, is told when one runs', async () => {
  room.save('tasks/Other.md', '---\nid: other111\nstatus: draft\n---\n');
  await room.ok('notify', '--task', 'other111', 'A trial.');
  expect(await room.run(['notify', ''])).toMatchObject({ code: 2 });
  const daemon = await room.up();
  await daemon.see('person.notified', { id: 'other111', author: 'person', text: 'A trial.' });
});
