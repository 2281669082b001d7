import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readTask } from '../../../src/core/task/read-task.ts';
import type { FileRow } from '../../../src/store/ledger/tasks/files.ts';
import { recordGone, recordReading } from '../../../src/tasks/observe/observer.ts';
import { forAll } from '../../support/for-all.ts';
import { rig } from '../each-room.ts';

const PATHS = ['tasks/a.md', 'tasks/b.md', 'tasks/c.md'];
const IDS = ['one', 'two', null];

type Act = { kind: 'observe' | 'keep' | 'gone' | 'forget'; path: string; id: string | null; words: string };

const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom('observe', 'observe', 'keep', 'gone', 'forget'),
  path: fc.constantFrom(...PATHS),
  id: fc.constantFrom(...IDS),
  words: fc.constantFrom('x', 'y', 'status: [broken'),
});

let touched = 0;

function rowOf({ path, id, words }: Act): FileRow {
  const broken = words.startsWith('status');
  const text = `---\n${id === null ? '' : `id: ${id}\n`}${broken ? words : 'status: done'}\n---\n${words}\n`;
  writeFileSync(join(rig.dir, path), text);
  touched += 1;
  const reading = readTask(path, text, null);
  const hash = reading.ok ? reading.task.hash : `broken ${id}`;
  return { path, stamp: { size: text.length, mtimeMs: touched, ctimeMs: touched, ino: 1 }, hash, reading };
}

function perform(one: Act): void {
  const { files, transaction } = rig.deps.ledger;
  const leave = () => rmSync(join(rig.dir, one.path), { force: true });
  if (one.kind === 'observe') recordReading(rig.deps, rowOf(one));
  else if (one.kind === 'keep') transaction(() => files.put(rowOf(one), false));
  else if (one.kind === 'forget') files.delete(one.path);
  else {
    leave();
    recordGone(rig.deps, one.path);
  }
}

function pathsBy(sql: string, ...values: string[]): string[] {
  const rows = rig.deps.ledger.database.rows(sql, ...values) as { path: string }[];
  return rows.map(({ path }) => path);
}

/** What is unobserved and missing, worked out from both tables alone. */
function workedOut() {
  const apart = `SELECT files.path FROM files LEFT JOIN tasks ON tasks.id = files.id
    WHERE (tasks.hash IS NOT files.hash OR tasks.path IS NOT files.path)`;
  return {
    unobserved: pathsBy(`${apart} ORDER BY files.path`),
    withId: pathsBy(`${apart} AND files.id IS NOT NULL ORDER BY files.path`),
    missing: pathsBy(`SELECT path FROM tasks WHERE path IS NOT NULL
      AND path NOT IN (SELECT path FROM files) ORDER BY path`),
  };
}

function startAnew(): void {
  for (const path of PATHS) rmSync(join(rig.dir, path), { force: true });
  for (const table of ['files', 'tasks', 'blockers', 'wakes', 'consequences', 'requests'])
    rig.deps.ledger.database.run(`DELETE FROM ${table}`);
}

function check(): void {
  const { files } = rig.deps.ledger;
  const { unobserved, withId, missing } = workedOut();
  expect(files.unobserved()).toEqual(expect.arrayContaining(unobserved));
  expect(files.unobserved(true)).toEqual(expect.arrayContaining(withId));
  expect(files.missing()).toEqual(missing);
  if (files.isComplete()) expect([...files.unobserved(), ...missing]).toEqual([]);
  for (const id of ['one', 'two'])
    expect(files.pathsOfId(id).sort()).toEqual(
      pathsBy('SELECT path FROM files WHERE id = ? ORDER BY path', id),
    );
}

it('is complete once each file was taken in, and not while one waits or is missing', () => {
  const { files } = rig.deps.ledger;
  const row = rowOf({ kind: 'observe', path: PATHS[0]!, id: 'one', words: 'x' });
  expect(files.isComplete()).toBe(true);
  files.put(row, false);
  expect(files.isComplete()).toBe(false);
  recordReading(rig.deps, row);
  expect(files.isComplete()).toBe(true);
  files.delete(row.path);
  expect(files.isComplete()).toBe(false);
});

it('tells what was kept unobserved and what is missing, whatever happened', () => {
  const { files } = rig.deps.ledger;
  forAll(150, fc.array(act, { minLength: 1, maxLength: 14 }), (acts) => {
    startAnew();
    for (const one of acts) {
      perform(one);
      check();
    }
    // Taken in as they are kept, and only what really waits is left.
    for (const path of files.unobserved(true)) recordReading(rig.deps, files.get(path) ?? rowOf(acts[0]!));
    check();
    expect(files.unobserved()).toEqual(workedOut().unobserved);
  });
});
