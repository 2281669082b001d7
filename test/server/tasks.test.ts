// Tasks over HTTP: what is answered, that pages and ETags hold, and that two people never overwrite each other.
import { beforeEach, expect, test } from 'vitest';
import { listAnswer, taskDetail } from '../../src/tasks/shapes/task.ts';
import { room } from './each-room.ts';

beforeEach(() => {
  for (const [name, id] of [
    ['One', 'one11111'],
    ['Two', 'two22222'],
    ['Three', 'thr33333'],
  ])
    room.save(`${name}.md`, `---\nid: ${id}\nstatus: todo\nlabels: [web]\n---\n${name} is to be done.\n`);
});

type List = { tasks: { id: string; name: string }[]; total: number; next_offset: number | null };

test('active tasks, and ids of those that have a turn; what is finished and the turns themselves on demand', async () => {
  room.save('Over.md', '---\nid: ove44444\nstatus: done\n---\nIt is over.\n');
  const list = async (query: string) => (await room.ask('GET', `/api/tasks${query}`)).body as List;
  const namesIn = ({ tasks }: List) => tasks.map(({ name }) => name).sort();
  const active = await list('');
  expect(namesIn(active)).toEqual(['One', 'Three', 'Two']);
  expect(active).toMatchObject({ total: 3, in_flight: [] });
  expect(active).not.toHaveProperty('turns');
  expect(namesIn(await list('?label=web'))).toEqual(['One', 'Three', 'Two']);
  expect(namesIn(await list('?status=done'))).toEqual(['Over']);
  expect(namesIn(await list('?ids=ove44444'))).toEqual(['Over']);
  for (const query of ['?all=true', '?all=true&limit=9'])
    expect(namesIn(await list(query))).toEqual(['One', 'Over', 'Three', 'Two']);
  const { body } = await room.ask('GET', '/api/tasks?all=true&turns=true');
  expect(body).toMatchObject({ total: 4, turns: [], in_flight: [] });
  expect(listAnswer().safeParse(body).error).toBeUndefined();
});

test('pages together are the whole', async () => {
  const whole = (await room.ask('GET', '/api/tasks')).body as List;
  expect(whole.total).toBe(3);
  const names: string[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const page = (await room.ask('GET', `/api/tasks?limit=2&offset=${offset}`)).body as List;
    names.push(...page.tasks.map(({ name }) => name));
    expect(page.total).toBe(3);
    offset = page.next_offset;
  }
  expect(names).toEqual(whole.tasks.map(({ name }) => name));
});

test('a list that did not change is not sent again, and one that did is', async () => {
  const first = await room.ask('GET', '/api/tasks');
  const etag = first.headers.get('etag') ?? '';
  const again = await room.ask('GET', '/api/tasks', { headers: { 'if-none-match': etag } });
  expect([again.status, again.body]).toEqual([304, '']);
  // By an operation of this process, and by a hand of which the watcher told.
  await room.ask('POST', '/api/tasks/One/comment', { body: { text: 'Look here.' } });
  await room.ask('POST', '/api/tasks/One/pause', { body: {} });
  const paused = await room.ask('GET', '/api/tasks', { headers: { 'if-none-match': etag } });
  expect(paused.status).toBe(200);
  room.save('Four.md', '---\nid: fou44444\nstatus: todo\n---\nBy hand.\n');
  room.touch();
  const now = (await room.ask('GET', '/api/tasks')).body as List;
  expect(now.tasks.map(({ name }) => name)).toContain('Four');
});

test('a task is made, shown as the schema says, and named by its title', async () => {
  const made = await room.ask('POST', '/api/tasks', {
    body: { title: 'Fix: the login/redirect?', body: 'It loops.', labels: ['web'], priority: 'high' },
  });
  expect(made.status).toBe(201);
  const { id, name } = made.body as { id: string; name: string };
  expect(name).toBe('Fix the login redirect');
  expect(made.headers.get('location')).toBe(`/api/tasks/${id}`);
  const shown = await room.ask('GET', `/api/tasks/${id}`);
  expect(taskDetail().safeParse(shown.body).error).toBeUndefined();
  expect(shown.body).toMatchObject({ title: 'Fix: the login/redirect?', priority: 'high', labels: ['web'] });
  expect((await room.ask('POST', '/api/tasks', { body: {} })).status).toBe(400);
  expect((await room.ask('POST', '/api/tasks', { body: { name } })).status).toBe(409);
});

test('of two who saw the same text one is told what the other wrote', async () => {
  const etag = (await room.ask('GET', '/api/tasks/One')).headers.get('etag') ?? '';
  const mine = { headers: { 'if-match': etag }, body: { priority: 'high', labels: ['api', 'web'] } };
  const first = await room.ask('PATCH', '/api/tasks/One', mine);
  expect(first.status).toBe(200);
  const second = await room.ask('PATCH', '/api/tasks/One', {
    headers: { 'if-match': etag },
    body: { priority: 'low' },
  });
  expect(second.status).toBe(412);
  expect(second.body).toMatchObject({
    code: 'conflict',
    yours: { priority: 'low' },
    current: { priority: 'high' },
  });
  expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
  expect(room.read('tasks/One.md')).toContain('priority: high');
});

test('a new title is answered with the task, which its old name no longer finds', async () => {
  room.save('Old title.md', '---\nid: old11111\nstatus: draft\ntitle: Old title\n---\n## Task\nDo it.\n');
  const body = { title: 'New title' };
  const { status, body: told } = await room.ask('PATCH', '/api/tasks/Old%20title', { body });
  expect([status, told]).toEqual([200, expect.objectContaining({ id: 'old11111', title: 'New title' })]);
});

test('a task is answered with 304 while it is shown as it was, whatever its file says', async () => {
  room.save('First.md', '---\nid: first111\nstatus: todo\n---\nDo it.\n');
  room.save('Then.md', '---\nid: then1111\nstatus: todo\nblocked_by: [First]\n---\nDo it then.\n');
  for (const ref of ['Then', 'then1111']) {
    const asked = async (headers: Record<string, string> = {}) =>
      room.ask('GET', `/api/tasks/${ref}`, { headers });
    const etag = (await asked()).headers.get('etag') ?? '';
    const again = await asked({ 'if-none-match': etag });
    expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
    // Its file stays, and what it waits for ends or is open again.
    const verb = ref === 'Then' ? 'complete' : 'reopen';
    expect((await room.ask('POST', `/api/tasks/First/${verb}`, { body: {} })).status).toBe(200);
    const later = await asked({ 'if-none-match': etag });
    expect(later.status).toBe(200);
    expect(later.headers.get('etag')?.slice(0, 33)).toBe(etag.slice(0, 33));
  }
});

test('a new body takes the ETag of the text it was made on, which a hand may have changed', async () => {
  const body = 'Do it otherwise.';
  expect((await room.ask('PATCH', '/api/tasks/One', { body: { body } })).status).toBe(428);
  const etag = (await room.ask('GET', '/api/tasks/One')).headers.get('etag') ?? '';
  room.save('One.md', '---\nid: one11111\nstatus: todo\n---\nTyped by hand.\n');
  const headers = { 'if-match': etag };
  const refused = await room.ask('PATCH', '/api/tasks/One', { headers, body: { body } });
  expect(refused.status).toBe(412);
  expect(room.read('tasks/One.md')).toContain('Typed by hand.');
  const anew = { 'if-match': refused.headers.get('etag') ?? '' };
  const done = await room.ask('PATCH', '/api/tasks/One', { headers: anew, body: { body, title: 'Other' } });
  expect([done.status, (done.body as { title: string }).title]).toEqual([200, 'Other']);
  expect(room.read('tasks/One.md')).toContain('Do it otherwise.');
  expect(
    (await room.ask('PATCH', '/api/tasks/One', { headers: { 'if-match': 'W/"x"' }, body: { body } })).status,
  ).toBe(400);
});

test('a body and keys are one change: all of it, or nothing', async () => {
  const before = room.read('tasks/One.md');
  const headers = { 'if-match': '*' };
  const patch = (body: object) => room.ask('PATCH', '/api/tasks/One', { headers, body });
  for (const [status, change] of [
    [400, { body: 'New words.', owner: 'nobody' }],
    [400, { body: '## Progress\n\nForged.', priority: 'low' }],
    [400, { body: 'New words.', keys: { due: 'never' } }],
  ] as const) {
    expect([change, (await patch(change)).status]).toEqual([change, status]);
    expect(room.read('tasks/One.md')).toBe(before);
  }
  const { status } = await patch({ body: 'New words.', priority: 'low' });
  expect(status).toBe(200);
  expect(room.read('tasks/One.md')).toMatch(/priority: low[\s\S]*New words\./);
});
