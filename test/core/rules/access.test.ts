// Which access level has which operations (C6), as a table.
import { expect, test } from 'vitest';
import { ACCESS_NAMES } from '../../../src/core/config/agent-config.ts';
import { hasLevel, type Level } from '../../../src/core/rules/access.ts';

const LEVELS: readonly Level[] = ['minimal', 'readonly', 'full'];

test('each access has its level and those below it', () => {
  expect(
    Object.fromEntries(
      ACCESS_NAMES.map((access) => [access, LEVELS.filter((level) => hasLevel(access, level))]),
    ),
  ).toEqual({
    full: ['minimal', 'readonly', 'full'],
    readonly: ['minimal', 'readonly'],
    'readonly-shell': ['minimal', 'readonly'],
    minimal: ['minimal'],
  });
});
