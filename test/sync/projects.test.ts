// Statuses against the columns of a GitHub project, both ways.
import { expect, test } from 'vitest';
import { closeIssue, openIssue } from '../support/github-server/people.ts';
import { addItem, columnOf, fieldNamed, itemOf, setField } from '../support/github-server/projects.ts';
import { addRepo } from '../support/github-server/state.ts';
import { openBoard, TABLE } from './project-board.ts';
import { refOf } from './server-mirror.ts';

test('a card that is moved is a new status here, though the issue itself did not change', async () => {
  const board = await openBoard({ column: 'Todo' });
  expect(board.word()).toBe('todo');
  const { updatedAt } = board.one;
  for (const [to, status] of [
    ['In progress', 'doing'],
    ['Done', 'done'],
    ['Todo', 'todo'],
  ] as const) {
    board.move(to);
    expect(await board.run()).toMatchObject({ updated: 1, pushed: 0, conflicts: 0, error: null });
    expect(board.word()).toBe(status);
    board.tick();
  }
  expect(board.one).toMatchObject({ state: 'open', updatedAt });
  // Whoever moved it back may write to the project: nobody is asked.
  expect(board.side(board.ref).paused).toBe(false);
  expect(board.written()).toEqual([]);
  await board.assertQuiet();
});

test('a quiet sync reads the cards, and no issue', async () => {
  const board = await openBoard({ column: 'Todo' });
  await board.run();
  const from = board.server.served.length;
  await board.run();
  expect(board.server.served.slice(from).map(({ route, status }) => `${route} ${status}`)).toEqual([
    'GET /repos/{owner}/{repo}/issues/comments 304',
    'POST /graphql 200',
    'GET /repos/{owner}/{repo}/issues 304',
  ]);
});

test('a status set here moves the card, which is made where there is none', async () => {
  const board = await openBoard();
  await board.set('doing');
  expect(await board.run()).toMatchObject({ pushed: 1, conflicts: 0, error: null });
  expect(board.column()).toBe('In progress');
  expect(board.written()).toEqual(['addProjectV2ItemById', 'updateProjectV2ItemFieldValue']);
  await board.assertQuiet();
  await board.room.call('complete', { ref: board.taskOf(board.ref) });
  await board.run();
  expect(board.column()).toBe('Done');
  expect(board.one).toMatchObject({ state: 'closed', stateReason: 'completed' });
  await board.assertQuiet();
  await board.room.call('reopen', { ref: board.taskOf(board.ref) });
  await board.run();
  expect([board.column(), board.one.state]).toEqual(['Todo', 'open']);
  await board.room.call('cancel', { ref: board.taskOf(board.ref) });
  await board.run();
  // No column is named for it.
  expect([board.column(), board.one.stateReason]).toEqual(['Todo', 'not_planned']);
  expect(board.project.items).toHaveLength(1);
  await board.assertQuiet();
});

test('a card that somebody put there already is left alone', async () => {
  const board = await openBoard({ column: 'Todo' });
  await board.set('doing');
  board.move('In progress');
  expect(await board.run()).toMatchObject({ conflicts: 0, error: null });
  expect(board.written()).toEqual([]);
  expect(board.word()).toBe('doing');
});

test('both sides with another status are a conflict', async () => {
  const board = await openBoard({ column: 'Todo' });
  await board.set('doing');
  board.move('Done');
  expect(await board.run()).toMatchObject({ conflicts: 1, error: null });
  expect(board.column()).toBe('Done');
  expect(board.word()).toBe('done');
});

test('a closed issue is over, whatever column its card is in', async () => {
  const board = await openBoard({ column: 'In progress' });
  closeIssue(board.server.state, board.one, 'not_planned');
  await board.run();
  expect(board.word()).toBe('canceled');
  await board.assertQuiet();
});

test('a column that the table does not name is what an open issue is, and is left by another status', async () => {
  const board = await openBoard({ column: 'Blocked' });
  expect(board.word()).toBe('todo');
  await board.set('draft');
  await board.run();
  expect([board.column(), board.written()]).toEqual(['Blocked', []]);
  await board.set('doing');
  await board.run();
  expect(board.column()).toBe('In progress');
  await board.assertQuiet();
});

test('where no column stands for todo, a card leaves the one it is in', async () => {
  const board = await openBoard({ table: { doing: 'In progress' }, column: 'In progress' });
  await board.set('todo');
  expect(await board.run()).toMatchObject({ pushed: 1, error: null });
  expect(board.column()).toBeNull();
  expect(board.written()).toEqual(['clearProjectV2ItemFieldValue']);
  await board.assertQuiet();
});

test("statuses of the room's own have columns, those that are over too", async () => {
  const board = await openBoard({
    table: { ...TABLE, review: 'In review', shipped: ' shipped ' },
    column: 'In review',
  });
  expect(board.word()).toBe('review');
  board.move('In progress');
  await board.run();
  expect(board.word()).toBe('doing');
  board.tick();
  await board.set('review');
  await board.run();
  expect(board.column()).toBe('In review');
  await board.assertQuiet();
  await board.set('shipped');
  await board.run();
  expect([board.column(), board.one.stateReason]).toEqual(['Shipped', 'completed']);
  await board.assertQuiet();
  expect(board.word()).toBe('shipped');
  await board.set('done');
  await board.run();
  expect([board.column(), board.one.state]).toEqual(['Done', 'closed']);
  await board.assertQuiet();
});

test('an issue that is made of a task stands in its column', async () => {
  const board = await openBoard();
  const { id } = await board.room.call('create', { title: 'Two', status: 'doing' });
  await board.sync.publish(id, 'web', new AbortController().signal);
  const made = board.repo.issues.find(({ title }) => title === 'Two')!;
  expect(columnOf(board.project, made)).toBe('In progress');
  await board.assertQuiet();
});

test('a sync that is cut off between making a card and moving it ends in one card', async () => {
  const board = await openBoard();
  await board.set('doing');
  const { server } = board;
  server.state.hold = () => {
    if (board.written().length === 0) return null;
    server.state.hold = () => null;
    server.state.refusals.push('too_many');
    return null;
  };
  expect((await board.run()).error).toMatchObject({ code: 'rate_limited' });
  expect(board.written()).toEqual(['addProjectV2ItemById']);
  board.tick();
  expect(await board.run()).toMatchObject({ conflicts: 0, error: null });
  expect([board.column(), board.word()]).toEqual(['In progress', 'doing']);
  expect(board.project.items).toHaveLength(1);
  await board.assertQuiet();
});

// The cards of a GitHub project: which are read, what they say, and what is told when they can't be.
test('cards of drafts, of other repositories and archived ones are passed over, and all pages are read', async () => {
  const board = await openBoard({ column: 'Todo' });
  const { state } = board.server;
  const other = addRepo(state, 'acme/api');
  for (let count = 0; count < 120; count += 1)
    setField(state, board.project, openIssue(state, other, { title: 'Theirs' }), 'Status', 'Done');
  addItem(state, board.project, null);
  const late = openIssue(state, board.repo, { title: 'Late' });
  setField(state, board.project, late, 'Status', 'In progress');
  expect(await board.run()).toMatchObject({ created: 1, updated: 0, error: null });
  expect([board.word(), board.word(refOf(late))]).toEqual(['todo', 'doing']);
  board.tick();
  const item = itemOf(board.project, late)!;
  Object.assign(item, { isArchived: true });
  // That a card went away shows with the whole listing.
  await board.run({ full: true });
  expect(board.word(refOf(late))).toBe('todo');
  await board.assertQuiet();
});

test('the other fields of a card stand in the file', async () => {
  const fields = { Size: 'TEXT', Estimate: 'NUMBER', Due: 'DATE', Sprint: 'ITERATION' } as const;
  const board = await openBoard({ fields, column: 'Todo' });
  const { state } = board.server;
  const line = () => /^project: (.*)$/m.exec(board.room.read(board.pathOf(board.ref)))?.[1];
  expect(line()).toBeUndefined();
  const values = { Size: 'M: "big"', Estimate: 2.5, Due: '2026-12-01', Sprint: 'Sprint 12' };
  for (const [name, value] of Object.entries(values)) setField(state, board.project, board.one, name, value);
  await board.run();
  expect(JSON.parse(line()!)).toEqual([
    ...['Size: M: "big"', 'Estimate: 2.5', 'Due: 2026-12-01', 'Sprint: Sprint 12'],
  ]);
  await board.assertQuiet();
  board.tick();
  for (const name of Object.keys(values)) setField(state, board.project, board.one, name, null);
  await board.run();
  expect(line()).toBeUndefined();
  await board.assertQuiet();
});

test('without a table the column is shown, and nothing is written there', async () => {
  const board = await openBoard({ table: {}, column: 'In progress' });
  expect(board.room.read(board.pathOf(board.ref))).toContain('project: ["Status: In progress"]\n');
  expect(board.word()).toBe('todo');
  await board.set('doing');
  await board.run();
  expect(board.written()).toEqual([]);
});

test('a token that may not read projects is told which scope it lacks, and nothing is synced', async () => {
  const board = await openBoard({ column: 'Todo' });
  board.server.state.tokens.set('good-token', { login: 'me', access: 'write', projects: 'none' });
  await board.room.call('complete', { ref: board.taskOf(board.ref) });
  for (const pull of [true, false]) {
    expect((await board.run({ pull })).error).toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('read:project'),
      hint: expect.stringContaining('`project`'),
    });
    board.tick();
  }
  expect(board.written()).toEqual([]);
});

test('one that may only read them closes no issue whose card it can not move', async () => {
  const board = await openBoard({ column: 'Todo' });
  const { tokens } = board.server.state;
  tokens.set('good-token', { login: 'me', access: 'write', projects: 'read:project' });
  await board.room.call('complete', { ref: board.taskOf(board.ref) });
  expect((await board.run()).error).toMatchObject({
    code: 'unauthorized',
    message: expect.stringContaining('the token has only repo, read:project'),
    hint: expect.stringContaining('`project`'),
  });
  tokens.set('good-token', { login: 'me', access: 'write' });
  board.project.isReadOnly = true;
  board.tick();
  const { error, skipped } = await board.run();
  expect(error).toBeNull();
  expect(skipped).toMatchObject([{ why: 'GitHub does not allow to write to the project acme/4' }]);
  expect([board.column(), board.one.state, board.written()]).toEqual(['Todo', 'open', []]);
});

test('a board.project, a field or a column that is not there is told, with what there is', async () => {
  const board = await openBoard();
  const message = async () => (await board.run({ full: true })).error?.message;
  board.project.number = 5;
  expect(await message()).toBe('GitHub does not find the project acme/4; it shows acme/5 (Roadmap)');
  board.project.number = 4;
  board.tick();
  const status = fieldNamed(board.project, 'Status');
  status.options = status.options!.filter(({ name }) => name !== 'Done');
  expect(await message()).toBe(
    'the project acme/4 has no column "Done"; it has "Todo", "In progress", "In review", "Blocked", "Shipped"',
  );
  status.name = 'Stage';
  board.tick();
  expect(await message()).toBe(
    'the project acme/4 has no field Status with options; it has "Title", "Labels", "Stage"',
  );
});
