// What surrounds tasks over HTTP: scopes, plans, the inbox, jobs and figures.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inbox as INBOX } from '../../src/operations/reading/inbox.ts';
import { listAnswer } from '../../src/tasks/shapes/task.ts';
import { type ServedRoom, serveRoom } from './served-room.ts';

let room: ServedRoom;
beforeEach(async () => {
  room = await serveRoom();
  room.save('One.md', '---\nid: one11111\nstatus: todo\nscope: sprint 1/a\n---\nDo it.\n');
  room.save('Two.md', '---\nid: two22222\nstatus: done\n---\nDo it too.\n');
});
afterEach(() => room.close());

const SCOPE = `/api/scopes/${encodeURIComponent('sprint 1/a')}`;
const namesOf = (body: unknown) => (body as { tasks: { name: string }[] }).tasks.map(({ name }) => name);

test('the tasks of a scope are listed as all are, and made in it', async () => {
  const made = await room.ask('POST', `${SCOPE}/tasks`, { body: { title: 'Three' } });
  expect(made.status).toBe(201);
  expect(room.read('tasks/Three.md')).toContain('scope: sprint 1/a');
  expect((await room.ask('POST', `${SCOPE}/tasks`, { body: { title: 'X', scope: 'y' } })).status).toBe(400);
  const { body, headers } = await room.ask('GET', `${SCOPE}/tasks`);
  expect(listAnswer().safeParse(body).error).toBeUndefined();
  expect(namesOf(body).sort()).toEqual(['One', 'Three']);
  const again = await room.ask('GET', `${SCOPE}/tasks`, {
    headers: { 'if-none-match': headers.get('etag') ?? '' },
  });
  expect(again.status).toBe(304);
  expect(namesOf((await room.ask('GET', `${SCOPE}/tasks?text=three`)).body)).toEqual(['Three']);
  expect(namesOf((await room.ask('GET', '/api/tasks?scope=sprint%201/a&limit=1')).body)).toHaveLength(1);
});

test('a scope is made, listed and taken away with its tasks; one that is not there is said', async () => {
  expect((await room.ask('GET', '/api/scopes/nowhere/tasks')).status).toBe(404);
  expect((await room.ask('POST', '/api/scopes', { body: { name: 'empty' } })).status).toBe(201);
  const empty = await room.ask('GET', '/api/scopes/empty/tasks');
  expect([empty.status, namesOf(empty.body)]).toEqual([200, []]);
  expect((await room.ask('GET', '/api/scopes')).body).toMatchObject({
    scopes: [
      { name: 'empty', counts: { todo: 0 } },
      { name: 'sprint 1/a', counts: { todo: 1 } },
    ],
  });
  const gone = await room.ask('DELETE', SCOPE);
  expect(gone.body).toMatchObject({ name: 'sprint 1/a', removed: [{ id: 'one11111' }] });
  expect((await room.ask('DELETE', SCOPE)).status).toBe(404);
});

test('a plan is written, made final, and taken away', async () => {
  const body = { name: 'Sign-in', steps: [{ title: 'Create the model' }], owner: 'runbook' };
  expect((await room.ask('POST', '/api/plans', { body })).status).toBe(201);
  expect((await room.ask('POST', '/api/plans', { body })).status).toBe(409);
  const final = await room.ask('PATCH', '/api/plans/Sign-in', { body: { stage: 'final' } });
  expect(final.body).toMatchObject({ stage: 'final', made: [{ name: 'Create the model' }] });
  expect((await room.ask('GET', '/api/plans')).body).toMatchObject({
    plans: [{ name: 'Sign-in', tasks: { done: 0, total: 1 } }],
  });
  expect(namesOf((await room.ask('GET', '/api/tasks?artifact=Sign-in')).body)).toEqual(['Create the model']);
  expect((await room.ask('DELETE', '/api/plans/Sign-in')).body).toMatchObject({ unlinked: 1 });
  expect((await room.ask('GET', '/api/plans/Sign-in')).status).toBe(404);
});

test('the inbox says what needs the person, until it is settled', async () => {
  const asked = await room.runtime.tasks.call(
    'ask',
    { ref: 'One', question: 'Which branch?' },
    { kind: 'assistant', client: 'helper' },
  );
  const { body } = await room.ask('GET', '/api/inbox');
  expect(INBOX.output().safeParse(body).error).toBeUndefined();
  const { inbox } = body as { inbox: { kind: string; task: string; text: string }[] };
  expect(inbox.filter(({ kind }) => kind === 'question')).toMatchObject([
    { task: 'one11111', text: expect.stringContaining('Which branch?') },
  ]);
  expect((await room.ask('GET', '/api/status')).body).toMatchObject({ inbox: inbox.length });
  const answer = { text: 'main', question: asked.question };
  expect((await room.ask('POST', '/api/tasks/One/answer', { body: answer })).status).toBe(200);
  const left = (await room.ask('GET', '/api/inbox')).body as { inbox: { kind: string }[] };
  expect(left.inbox.filter(({ kind }) => kind === 'question')).toEqual([]);
});

test('figures by week, and jobs', async () => {
  expect((await room.ask('GET', '/api/stats?weeks=2')).body).toMatchObject({
    status: { todo: 1, done: 1 },
    weeks: [{ done: expect.any(Number) }, { turns: { input_tokens: 0 } }],
  });
  expect((await room.ask('GET', '/api/stats?weeks=0')).status).toBe(400);
  expect((await room.ask('GET', '/api/jobs')).body).toEqual({ jobs: [] });
  // Nothing runs this room, so nothing could run a job.
  const job = { task: 'One', command: 'true' };
  expect((await room.ask('POST', '/api/jobs', { body: job })).body).toMatchObject({ code: 'unavailable' });
});

test("a deleted task's subtasks are told with it", async () => {
  room.save('Part.md', '---\nid: par33333\nstatus: todo\nparent: one11111\n---\n');
  expect((await room.ask('DELETE', '/api/tasks/One')).body).toMatchObject({
    id: 'one11111',
    subtasks: [{ id: 'par33333' }],
  });
});
