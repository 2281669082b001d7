import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { STATUSES } from '../../../src/core/task/status.ts';
import type { StateAnswer } from '../../../src/providers/linear/documents.ts';
import { linearFactory } from '../../../src/providers/linear/linear.ts';
import { type LinearOptions, readOptions } from '../../../src/providers/linear/options.ts';
import {
  classOf,
  fromPriority,
  keyOfUuid,
  stateFor,
  statusOf,
  toPriority,
  uuidOfKey,
} from '../../../src/providers/linear/to-remote-task.ts';
import { commentKey, createKey } from '../../../src/sync/plan/base.ts';
import { forAll } from '../../support/for-all.ts';
import { STATE_TYPES } from '../../support/linear-server/records.ts';
import { sourceOn } from './harness.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const characters = fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyz');
const keyOf = (minLength: number, maxLength: number) => fc.string({ unit: characters, minLength, maxLength });

describe('ids made of keys', () => {
  test('are UUIDs of version 4, one for a key, and say the key', () => {
    forAll(100, keyOf(8, 20), (key) => {
      expect(uuidOfKey(key)).toMatch(UUID_V4);
      expect(keyOfUuid(uuidOfKey(key))).toBe(key);
    });
  });

  test('can be read back for every key of a sync', () => {
    for (const key of [createKey('linear', 'ENG', 'k2xm9q4c'), commentKey('room', 'uid', '#progress', 3)])
      expect(keyOfUuid(uuidOfKey(key))).toBe(key);
  });

  test('of others say no key', () => {
    let said = 0;
    for (let at = 0; at < 2_000; at += 1) {
      const hex = createHash('sha256').update(String(at)).digest('hex');
      const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-a${hex.slice(15, 18)}-${hex.slice(18, 30)}`;
      if (keyOfUuid(id) !== null) said += 1;
    }
    expect(said).toBe(0);
    for (const id of ['', 'nonsense', '7a5c0000-0000-1000-8000-000000000000'])
      expect(keyOfUuid(id)).toBeNull();
  });
});

describe('statuses and states', () => {
  const states: StateAnswer[] = [
    ...STATE_TYPES.map((type, at) => ({ id: type, name: `First ${type}`, type, position: at })),
    { id: 'review', name: 'In Review', type: 'started', position: 99 },
    { id: 'early', name: 'Ready', type: 'unstarted', position: -1 },
  ];
  const options = (change: Partial<LinearOptions> = {}): LinearOptions => ({
    own: {},
    triage: 'draft',
    backlog: 'draft',
    states: {},
    ...change,
  });

  test('each type has its status', () => {
    const meant = (change?: Partial<LinearOptions>) =>
      STATE_TYPES.map((type) => statusOf(type, options(change)));
    expect(meant()).toEqual(['draft', 'draft', 'todo', 'doing', 'done', 'canceled', 'canceled']);
    expect(meant({ backlog: 'todo' }).slice(0, 3)).toEqual(['draft', 'todo', 'todo']);
    expect(meant({ triage: 'todo' }).slice(0, 3)).toEqual(['todo', 'draft', 'todo']);
    expect(statusOf('something new', options())).toBe('todo');
  });

  test('going back it is the first of the type by position', () => {
    const ids = STATUSES.map((status) => stateFor(status, 'ENG', states, options()).id);
    expect(ids).toEqual(['backlog', 'early', 'started', 'completed', 'canceled']);
  });

  test('or the one that is named', () => {
    const named = options({ states: { doing: 'in review', draft: 'Ready' } });
    expect(stateFor('doing', 'ENG', states, named).id).toBe('review');
    expect(stateFor('draft', 'ENG', states, named).id).toBe('early');
    const wrong = options({ states: { done: 'Shipped' } });
    expect(() => stateFor('done', 'ENG', states, wrong)).toThrowError(/no state "Shipped"/);
  });

  test('without a state for drafts a draft is a todo', () => {
    const none = options({ triage: 'todo', backlog: 'todo' });
    expect(stateFor('draft', 'ENG', states, none).id).toBe('early');
    expect(classOf('draft', none)).toBe('todo');
    expect(classOf('draft', options())).toBe('draft');
    expect(stateFor('draft', 'ENG', states, options({ backlog: 'todo' })).id).toBe('triage');
  });

  test('a team that lacks the type is told', () => {
    const few = states.filter(({ type }) => type !== 'canceled');
    expect(() => stateFor('canceled', 'ENG', few, options())).toThrowError(
      /no state that stands for canceled/,
    );
  });

  test('priorities go both ways; urgent and high are both high', () => {
    expect([0, 1, 2, 3, 4].map(toPriority)).toEqual([null, 'high', 'high', 'medium', 'low']);
    for (const priority of ['high', 'medium', 'low', null] as const)
      expect(toPriority(fromPriority(priority))).toBe(priority);
  });
});

describe('the words of a source', () => {
  const check = (change: Parameters<typeof sourceOn>[1], url = 'https://api.linear.app/graphql') =>
    linearFactory.check(sourceOn(url, change)).map(({ message }) => message);

  test('good ones', () => {
    expect(check({})).toEqual([]);
    expect(check({ url: null })).toEqual([]);
    expect(check({}, 'http://127.0.0.1:4000/graphql')).toEqual([]);
    const options = { triage: 'todo', backlog: 'draft', states: { done: 'Shipped' } };
    expect(check({ options })).toEqual([]);
    expect(readOptions(sourceOn('', { options }))).toEqual({ ...options, own: {} });
  });

  test('bad ones, all at once', () => {
    for (const url of [
      'http://example.org/graphql',
      'file:///etc/passwd',
      'https://a:b@example.org',
      'nonsense',
    ])
      expect(check({}, url), url).toHaveLength(1);
    const options = { triage: 'done', backlog: 1, states: { donee: 'x', done: '' }, nonsense: true };
    expect(check({ source: 'acme/web', options })).toHaveLength(6);
    for (const states of [[], 'Done']) expect(check({ options: { states } })).toHaveLength(1);
  });

  test('urls and refs', () => {
    const config = sourceOn('https://linear.example.org/graphql', { source: 'eng' });
    const { refOfUrl, owns, shortRef } = linearFactory;
    expect(refOfUrl('https://linear.app/acme/issue/eng-12/some-title', config)).toBe('ENG-12');
    expect(refOfUrl('https://linear.app/acme/issue/ENG-12#comment-1', config)).toBe('ENG-12');
    expect(refOfUrl('https://linear.example.org/acme/issue/ENG-12', config)).toBe('ENG-12');
    for (const url of ['https://evil.org/acme/issue/ENG-1', 'https://linear.app/acme/project/ENG-1', 'ENG-1'])
      expect(refOfUrl(url, config), url).toBeNull();
    expect([owns('ENG-12', config), owns('OPS-12', config), owns('ENG-x', config)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(shortRef('ENG-12')).toBe('ENG-12');
  });
});
