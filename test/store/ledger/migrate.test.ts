// A ledger that is up to date is known by a number that is said twice.
import { expect, test } from 'vitest';
import { LEDGER_VERSION } from '../../../src/store/ledger/migrate.ts';
import { MIGRATIONS } from '../../../src/store/ledger/schema.ts';

test('the version that is looked for is the one that the migrations make', () => {
  expect(LEDGER_VERSION).toBe(MIGRATIONS.length);
});
