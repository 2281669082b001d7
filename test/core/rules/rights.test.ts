import { expect, it } from 'vitest';
import { moreRights, type Rights } from '../../../src/core/rules/access.ts';

const own: Rights = { reach: 0, access: 'full', tasks: true, folder: '/web', isApart: false };

it.each<[string, Partial<Rights>, Partial<Rights>, string | null]>([
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
])('%s', (_, from, to, more) => {
  expect(moreRights({ ...own, ...from }, { ...own, ...to })).toBe(more);
});
