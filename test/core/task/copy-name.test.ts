import { expect, test } from 'vitest';
import { isCopyName, isOriginal } from '../../../src/core/task/names.ts';

test('F6: names that programs give to copies', () => {
  const copies = [
    ...['Plan (conflicted copy)', 'Plan (1)', 'Plan copy', 'Plan 2', 'Plan - Copy', 'Plan_BACKUP_12'],
    ...['Plan.sync-conflict-20261122-101010-ABCDEFG', 'Copy of Plan', 'Copy (2) of Plan', 'Kopie von Plan'],
  ];
  for (const name of copies) {
    expect(isCopyName(name, 'Plan')).toBe(true);
    expect(isCopyName('Plan', name)).toBe(false);
  }
  for (const name of ['Plan', 'Planet', 'My Plan', 'plan 2', 'Copy Plan'])
    expect(isCopyName(name, 'Plan')).toBe(false);
});

test('F6: the plain name is the original, else the older file', () => {
  const [old, young] = [1, 2];
  expect(isOriginal({ name: 'Plan', mtimeMs: young }, { name: 'Plan 2', mtimeMs: old })).toBe(true);
  expect(isOriginal({ name: 'Plan 2', mtimeMs: old }, { name: 'Plan', mtimeMs: young })).toBe(false);
  expect(isOriginal({ name: 'One', mtimeMs: old }, { name: 'Two', mtimeMs: young })).toBe(true);
  expect(isOriginal({ name: 'Two', mtimeMs: young }, { name: 'One', mtimeMs: old })).toBe(false);
  expect(isOriginal({ name: 'Two', mtimeMs: old }, { name: 'One', mtimeMs: old })).toBe(false);
});
