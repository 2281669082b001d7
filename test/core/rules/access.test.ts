// Which access level has which operations (C6), and what another agent may do more, as tables.
import { describe, expect, test } from 'vitest';
import { ACCESS_NAMES } from '../../../src/core/config/agent-config.ts';
import { hasLevel, type Level, moreRights, type Rights } from '../../../src/core/rules/access.ts';

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

describe('what an agent may do more than another', () => {
  const own: Rights = { reach: 0, access: 'full', tasks: true, folder: '/web', isApart: false };

  test.each<[string, Partial<Rights>, Partial<Rights>, string | null]>([
    ['the same', {}, {}, null],
    ['one that runs programs', {}, { reach: 1 }, 'runs programs'],
    ['one that nothing fences in', { reach: 1 }, { reach: 2 }, 'is not fenced in'],
    [
      'whatever it is, by one that nothing fences in',
      { reach: 2, folder: null },
      { reach: 2, folder: '/' },
      null,
    ],
    ['one that sees less', {}, { access: 'minimal' }, null],
    ['one that may finish tasks', { access: 'readonly-shell' }, {}, 'has access full'],
    ["one with the room's tools", { tasks: false }, {}, "has the room's tools"],
    ['a folder in its own', {}, { folder: '/web/docs' }, null],
    ['a folder of each task', {}, { folder: null }, null],
    ['a folder beside its own', {}, { folder: '/website' }, 'works in another folder'],
    ['a project, by one that has none', { folder: null }, {}, 'works in another folder'],
    ['the project itself, by one that works in a copy', { isApart: true }, {}, 'works in the project itself'],
  ])('%s', (_, from, to, more) => expect(moreRights({ ...own, ...from }, { ...own, ...to })).toBe(more));
});
