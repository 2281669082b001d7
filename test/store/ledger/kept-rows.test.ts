// A row that is kept is never an older one than the ledger has, whoever changed it and however.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../../src/store/ledger/database.ts';
import { openDatabase } from '../../../src/store/ledger/open-database.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'taskroom-kept-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const ID = fc.constantFrom('a', 'b', 'c');
const VALUE = fc.integer({ min: 0, max: 5 });
const CHANGES = [
  'INSERT INTO kept(id, place, n) VALUES(?, ?, 0) ON CONFLICT(id) DO UPDATE SET place = excluded.place',
  'INSERT INTO kept(id, place, n) VALUES(?, ?, 1) ON CONFLICT(place) DO UPDATE SET n = n + 10',
  'INSERT INTO kept(id, place, n) VALUES(?, ?, 2) ON CONFLICT(id) DO UPDATE SET n = 3, id = id || id',
  'INSERT OR IGNORE INTO kept(id, place, n) VALUES(?, ?, 7)',
  // Takes the row away that has the place.
  'INSERT OR REPLACE INTO kept(id, place, n) VALUES(?, ?, 8)',
  'REPLACE INTO kept(id, place, n) VALUES(?, ?, 9)',
  'UPDATE OR IGNORE kept SET n = n + 1, place = ?2 WHERE id = ?1',
  'UPDATE kept SET n = n + length(?1) WHERE place = ?2',
  'DELETE FROM kept WHERE id = ?1 OR place = ?2',
] as const;
/** These have one value. */
const BY_ID = [
  "UPDATE kept SET id = 'd' WHERE id = ?",
  "UPDATE kept SET n = abs(1), id = 'd' WHERE id = ?",
  'UPDATE kept SET n = n + 1 WHERE id = ?',
  'UPDATE kept SET n = 100 WHERE n = 1 AND id = ?',
  'DELETE FROM kept WHERE id = ?',
  'DELETE FROM kept WHERE id = ? RETURNING n',
] as const;

type Step =
  | { does: 'two'; sql: string; id: string; value: number; elsewhere: boolean }
  | { does: 'one'; sql: string; id: string; elsewhere: boolean }
  | { does: 'together'; steps: Step[]; fails: boolean; inside: boolean };

const { step } = fc.letrec<{ step: Step }>((tie) => ({
  step: fc.oneof(
    { maxDepth: 2 },
    fc.record({
      does: fc.constant('two' as const),
      sql: fc.constantFrom(...CHANGES),
      id: ID,
      value: VALUE,
      elsewhere: fc.boolean(),
    }),
    fc.record({
      does: fc.constant('one' as const),
      sql: fc.constantFrom(...BY_ID),
      id: ID,
      elsewhere: fc.boolean(),
    }),
    fc.record({
      does: fc.constant('together' as const),
      steps: fc.array(tie('step'), { maxLength: 4 }),
      fails: fc.boolean(),
      inside: fc.boolean(),
    }),
  ),
}));

/** `inner` is the depth of transactions of this process, in which no other may write. */
function carryOut(db: Database, other: DatabaseSync, each: Step, look: () => void, inner = 0): void {
  if (each.does === 'together') {
    const isPart = each.inside && inner > 0;
    const all = () => {
      for (const one of each.steps) carryOut(db, other, one, look, inner + 1);
      if (each.fails) throw new Error('planned');
    };
    const run = isPart ? () => apart(db, all) : () => db.transaction(all);
    if (inner === 0 || isPart) {
      try {
        run();
      } catch (error) {
        expect(String(error)).toContain('planned');
      }
    } else if (!each.fails) run();
  } else {
    const values = each.does === 'one' ? [each.id] : [each.id, each.value];
    const by = each.elsewhere && inner === 0 ? other : db;
    try {
      by.prepare(each.sql).all(...values);
    } catch (error) {
      expect(String(error)).toContain('UNIQUE');
    }
  }
  look();
}

function apart(db: Database, body: () => void): void {
  db.prepare('SAVEPOINT part').run();
  try {
    body();
  } catch (error) {
    db.prepare('ROLLBACK TO part').run();
    throw error;
  } finally {
    db.prepare('RELEASE part').run();
  }
}

test('what is kept says what the ledger says, after any change', () => {
  const path = join(dir, 'ledger.db');
  const db = openDatabase(path);
  const other = new DatabaseSync(path);
  other.exec('CREATE TABLE kept(id TEXT PRIMARY KEY, place INTEGER UNIQUE, n INTEGER) STRICT');
  const fresh = (column: string) => (key: string) =>
    db.prepare(`SELECT id, place, n FROM kept WHERE ${column} = ?`).get(key) as
      | Record<string, unknown>
      | undefined;
  const places = [
    ['id', ['a', 'b', 'c', 'd'], fresh('id'), db.keep('kept', 'id', fresh('id'))],
    ['place', ['0', '1', '2', '3', '4', '5'], fresh('place'), db.keep('kept', 'place', fresh('place'))],
  ] as const;
  const look = () => {
    for (const [column, keys, now, kept] of places)
      for (const key of keys) expect([column, key, kept(key)]).toEqual([column, key, now(key)]);
  };
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      other.exec('DELETE FROM kept');
      look();
      for (const each of steps) carryOut(db, other, each, look);
    }),
    { numRuns: 400 },
  );
  other.close();
  db.close();
});

test('it is read once, and not by each who asks', () => {
  const db = openDatabase(join(dir, 'ledger.db'));
  db.prepare('CREATE TABLE kept(id TEXT PRIMARY KEY, n INTEGER) STRICT').run();
  let reads = 0;
  const get = db.keep('kept', 'id', (id) => {
    reads += 1;
    return db.prepare('SELECT * FROM kept WHERE id = ?').get(id) ?? null;
  });
  db.prepare('INSERT INTO kept(id, n) VALUES(?, ?)').run('a', 1);
  expect([get('a'), get('a'), get('b'), get('b')]).toEqual([
    { id: 'a', n: 1 },
    { id: 'a', n: 1 },
    null,
    null,
  ]);
  expect(reads).toBe(2);
  db.prepare('UPDATE kept SET n = 2 WHERE id = ?').run('b');
  expect([get('a'), reads]).toEqual([{ id: 'a', n: 1 }, 2]);
  expect(() => Object.assign(get('a')!, { n: 5 })).toThrow(TypeError);
  for (let i = 0; i < 1_000; i += 1) get(String(i));
  expect(get('a')).toEqual({ id: 'a', n: 1 });
  db.close();
});

test('what is large is read each time', () => {
  const db = openDatabase(join(dir, 'ledger.db'));
  let reads = 0;
  const get = db.keep(
    'meta',
    'key',
    (key) => {
      reads += 1;
      return key.repeat(3);
    },
    (said) => said.length < 5,
  );
  expect([get('a'), get('a'), reads]).toEqual(['aaa', 'aaa', 1]);
  expect([get('ab'), get('ab'), reads]).toEqual(['ababab', 'ababab', 3]);
  db.close();
});
