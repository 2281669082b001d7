// A ledger has the tables that are declared, or is begun anew.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test } from 'vitest';
import { hashText } from '../../../src/core/task/read-task.ts';
import { createNodeEffects } from '../../../src/node.ts';
import { declaredTables, openLedger } from '../../../src/store/ledger/ledger.ts';
import { LEDGER_VERSION } from '../../../src/store/ledger/sqlite-file.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const TABLES = declaredTables();
let dir: string;
beforeEach(() => {
  dir = tempFolder('taskroom-ledger');
});

test('a change of any table is a version of its own', () => {
  const declared = TABLES.map(({ schema, indexes }) => [schema, ...indexes].join('\n'))
    .toSorted()
    .join('\n');
  // Where this fails, a declaration changed: raise LEDGER_VERSION, so that ledgers of before are begun anew.
  expect([LEDGER_VERSION, hashText(declared).slice(0, 12)]).toEqual([113, '9308a5d59f8d']);
});

test('a ledger of an earlier version is begun anew, and a copy of it kept', () => {
  const path = join(dir, 'ledger.db');
  const before = new DatabaseSync(path);
  before.exec(
    "CREATE TABLE tasks(id TEXT, session TEXT); INSERT INTO tasks VALUES('t', 's'); PRAGMA user_version = 26",
  );
  before.close();
  const ledger = openLedger(path, { effects: createNodeEffects() });
  expect(ledger.tasks.get('t')).toBeNull();
  ledger.close();
  expect(existsSync(`${path}.v26`)).toBe(true);
});
