// A ledger is brought to the schema that its tables declare.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashText } from '../../../src/core/task/read-task.ts';
import { openLedger } from '../../../src/store/ledger/ledger.ts';
import { addMissing, declaredTables, LEDGER_VERSION } from '../../../src/store/ledger/migrate.ts';

const TABLES = declaredTables();
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'taskroom-ledger-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a change of any table is a version of its own', () => {
  const declared = TABLES.map(({ schema, indexes }) => [schema, ...indexes.values()].join('\n')).join('\n');
  // Where this fails, a declaration changed: raise LEDGER_VERSION, so that ledgers of before get what is new.
  expect([LEDGER_VERSION, hashText(declared).slice(0, 12)]).toEqual([102, '46c0d9a75f90']);
});

test('a ledger without a column, an index or a table gets them, and keeps its rows', () => {
  const ledger = new DatabaseSync(':memory:');
  for (const { schema, name } of TABLES) if (name !== 'scopes') ledger.exec(schema);
  ledger.exec(`ALTER TABLE workspaces DROP COLUMN elsewhere; ALTER TABLE workspaces DROP COLUMN kept;
    INSERT INTO workspaces(task, agent, project, path, prefix, branch, base, state, created_at)
      VALUES('t', 'a', '/p', '/w', '', 'b', 'c', 'ready', 1)`);
  addMissing(ledger);
  expect(ledger.prepare('SELECT task, elsewhere, kept FROM workspaces').get()).toEqual({
    ...{ task: 't', elsewhere: 0, kept: null },
  });
  const made = ledger.prepare('SELECT name FROM sqlite_master').all();
  const names = new Set(made.map(({ name }) => name));
  expect(
    TABLES.flatMap(({ name, indexes }) => [name, ...indexes.keys()]).filter((name) => !names.has(name)),
  ).toEqual([]);
  ledger.close();
});

test('a ledger of before the declared tables is begun anew, and a copy of it kept', () => {
  const path = join(dir, 'ledger.db');
  const before = new DatabaseSync(path);
  before.exec(
    "CREATE TABLE tasks(id TEXT, session TEXT); INSERT INTO tasks VALUES('t', 's'); PRAGMA user_version = 26",
  );
  before.close();
  const ledger = openLedger(path);
  expect(ledger.tasks.get('t')).toBeNull();
  ledger.close();
  expect(existsSync(`${path}.v26`)).toBe(true);
});
