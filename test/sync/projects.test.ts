// Statuses against the columns of a GitHub project, both ways.
import { expect, test } from 'vitest';
import { closeIssue } from '../support/github-server/people.ts';
import { columnOf } from '../support/github-server/projects.ts';
import { openBoard, TABLE } from './project-board.ts';

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
