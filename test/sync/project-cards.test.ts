// The cards of a GitHub project: which are read, what they say, and what is told when they can't be.
import { expect, test } from 'vitest';
import { openIssue } from '../support/github-server/people.ts';
import { addItem, fieldNamed, itemOf, setField } from '../support/github-server/projects.ts';
import { addRepo } from '../support/github-server/state.ts';
import { openBoard } from './project-board.ts';
import { refOf } from './server-mirror.ts';

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
