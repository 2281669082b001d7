import { describe, expect, test } from 'vitest';
import { isRoomError, type RoomError } from '../../../src/core/errors.ts';
import { linearFactory } from '../../../src/providers/linear/linear.ts';
import type { Provider, RemoteDraft } from '../../../src/providers/provider.ts';
import { listAll } from '../../conformance/provider-harness.ts';
import { type Fault, startFaultProxy } from '../../support/fault-proxy.ts';
import { forEachTest } from '../../support/for-each-test.ts';
import { createLinearServer } from '../../support/linear-server/server.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { sourceOn } from './harness.ts';

const { signal } = new AbortController();
const KEY = 'lin_api_good';
const DRAFT: RemoteDraft = {
  title: 'Made',
  body: 'words',
  status: 'todo',
  labels: [],
  priority: null,
  due: null,
};
const server = forEachTest(() => createLinearServer());
const proxy = forEachTest(() => startFaultProxy(server.url));
let clock: ManualClock;
const open = (env: Record<string, string> = { LINEAR_API_KEY: KEY }) =>
  linearFactory.open(sourceOn(proxy.url), { ...clock, env });
const provider = forEachTest(() => {
  clock = createManualClock();
  return open();
});

async function failureOf(promise: Promise<unknown>): Promise<RoomError> {
  const error: unknown = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (!isRoomError(error)) throw error;
  expect(`${error.message} ${error.hint}`).not.toContain(KEY);
  return error;
}

describe('what fails is told, and works the next time', () => {
  const cases: [string, Fault, string][] = [
    ['500', { kind: 'status', status: 500 }, 'unavailable'],
    ['502 of a gateway', { kind: 'status', status: 502, body: '<html>' }, 'unavailable'],
    ['503 in JSON', { kind: 'status', status: 503, body: '{"errors":[{"message":"down"}]}' }, 'unavailable'],
    ['429', { kind: 'too_many', retryAfterSec: 7 }, 'rate_limited'],
    ['HTTP 400 with RATELIMITED', { kind: 'linear_limited' }, 'rate_limited'],
    ['a cut before', { kind: 'cut_before' }, 'unavailable'],
    ['a cut after', { kind: 'cut_after' }, 'unavailable'],
    ['half an answer', { kind: 'truncated' }, 'unavailable'],
  ];
  test.each(cases)('%s', async (_name, fault, code) => {
    const ref = server.person.addIssue({ title: 'Stays' });
    proxy.once(fault);
    const error = await failureOf(listAll(provider, null));
    expect(error.code).toBe(code);
    expect(proxy.waiting()).toBe(0);
    if (code === 'rate_limited') expect(error.retryAfterMs).toBe(fault.kind === 'too_many' ? 7_000 : 60_000);
    else expect(error.retryAfterMs).toBeUndefined();
    clock.advance(60_000);
    expect((await listAll(provider, null)).items.map((item) => item.ref)).toEqual([ref]);
  });

  test("trouble of Linear's own that comes with HTTP 200 or 400 passes, a refusal does not", async () => {
    server.person.addIssue();
    const kinds: [object, string][] = [
      [{ code: 'INTERNAL_SERVER_ERROR', type: 'internal error' }, 'unavailable'],
      [{ type: 'lock timeout' }, 'unavailable'],
      [{ code: 'INPUT_ERROR', type: 'invalid input' }, 'refused'],
      [{ code: 'FORBIDDEN', type: 'forbidden' }, 'unauthorized'],
      [{ code: 'GRAPHQL_VALIDATION_FAILED' }, 'bad_input'],
      [{ code: 'AUTHENTICATION_ERROR' }, 'unauthorized'],
    ];
    for (const [extensions, code] of kinds) {
      for (const status of [200, 400]) {
        const body = JSON.stringify({ data: null, errors: [{ message: 'no', extensions }] });
        server.controls.intercept = () => ({ status, body });
        expect((await failureOf(listAll(provider, null))).code, body).toBe(code);
      }
    }
    for (const body of ['', 'null', '[]', '{"data":null}', '{"data":{}}', '<html>']) {
      server.controls.intercept = () => ({ status: 200, body });
      expect((await failureOf(listAll(provider, null))).code, body).toBe('unavailable');
    }
  });

  test('an answer that stops half-way is given up after a minute', async () => {
    server.person.addIssue();
    const met = new Promise<void>((resolve) => proxy.once({ kind: 'after', run: () => resolve() }));
    proxy.once({ kind: 'stall' });
    const failing = failureOf(listAll(provider, null));
    await met;
    clock.advance(60_000);
    expect(await failing).toMatchObject({
      code: 'unavailable',
      message: "Linear can't be reached: no whole answer within 60 s",
    });
  });

  test('who stops it is told so at once, though the server says nothing', async () => {
    const stop = new AbortController();
    proxy.once({ kind: 'before', run: () => stop.abort() });
    proxy.once({ kind: 'stall' });
    const failing = failureOf(provider.get(['ENG-1'], stop.signal));
    expect((await failing).code).toBe('interrupted');
  });

  test('a page of a long listing that fails leaves a cursor to go on at', async () => {
    for (let at = 0; at < 130; at += 1) server.person.addIssue();
    let left = 2;
    proxy.once({ kind: 'status', status: 502 }, ({ body }) => body.includes('query Issues') && left-- === 0);
    const seen = new Set<string>();
    let cursor: string | null = null;
    const read = async () => {
      for await (const page of provider.list(cursor, signal)) {
        for (const { ref } of page.items) seen.add(ref);
        cursor = page.next;
      }
    };
    expect((await failureOf(read())).code).toBe('unavailable');
    expect(seen.size).toBe(100);
    await read();
    expect(seen.size).toBe(130);
  });
});

describe('nothing is made twice', () => {
  const attempt = { key: 'k2xm9q4ck2xm9q4c', tries: 0 };

  test('what was made and thrown away by a person is not made again', async () => {
    await provider.write!.create(DRAFT, attempt, signal);
    server.person.trashIssue('ENG-1');
    const error = await failureOf(provider.write!.create(DRAFT, { ...attempt, tries: 1 }, signal));
    expect(error.code).toBe('gone');
    expect(server.state.issues).toHaveLength(1);
  });

  test("somebody else's entity under our id is not taken for ours", async () => {
    const other = server.state.users.find(({ name }) => name === 'Ann')!;
    await provider.write!.create(DRAFT, attempt, signal);
    server.state.issues[0]!.creatorId = other.id;
    expect((await failureOf(provider.write!.create(DRAFT, { ...attempt, tries: 1 }, signal))).code).toBe(
      'refused',
    );
  });
});

describe('the budget', () => {
  test('is told, and a floor of it is left to others', async () => {
    server.budgets.requests.remaining = 251;
    await listAll(provider, null);
    expect(provider.usage()).toMatchObject({ requests: 2, remaining: 249 });
    expect(provider.usage().resetAt).toBe(server.budgets.requests.resetAt);
    const error = await failureOf(listAll(provider, null));
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: 3_600_000 });
    expect(provider.usage().requests).toBe(2);
    clock.advance(3_600_001);
    server.tick(3_600_001);
    await listAll(provider, null);
    expect(provider.usage().requests).toBe(4);
  });

  test('so are points', async () => {
    const ref = server.person.addIssue();
    server.budgets.complexity.remaining = 150_100;
    await provider.get([ref], signal);
    expect(await failureOf(provider.get([ref], signal))).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('points'),
    });
  });

  test('when it is used up, the wait is until the reset, by the difference of clocks', async () => {
    server.budgets.requests.remaining = 0;
    server.budgets.requests.resetAt = server.state.now + 120_000;
    expect(await failureOf(listAll(provider, null))).toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 120_000,
    });
  });

  test('a Date header that is ten minutes off makes the wait longer or shorter, never negative or endless', async () => {
    for (const offsetMs of [-600_000, 600_000]) {
      server.budgets.requests.remaining = 0;
      server.budgets.requests.resetAt = server.state.now + 120_000;
      proxy.once({ kind: 'clock', offsetMs });
      const { retryAfterMs } = await failureOf(listAll(await open(), null));
      expect(retryAfterMs).toBe(offsetMs < 0 ? 720_000 : 1_000);
    }
  });
});

describe('credentials', () => {
  test('an OAuth token goes before a key, as a bearer', async () => {
    const oauth = await open({ LINEAR_ACCESS_TOKEN: KEY, LINEAR_API_KEY: 'lin_api_bad' });
    await listAll(oauth, null);
    expect(proxy.asked.at(-1)!.headers.authorization).toBe(`Bearer ${KEY}`);
    expect((await failureOf(open({ LINEAR_ACCESS_TOKEN: 'nonsense' }))).message).toContain(
      'LINEAR_ACCESS_TOKEN',
    );
    await listAll(provider, null);
    expect(proxy.asked.at(-1)!.headers.authorization).toBe(KEY);
  });

  test('words of a server reach a person on one line, cut short', async () => {
    const message = `\u001b[31mevil\n${'x'.repeat(5_000)}`;
    proxy.once({ kind: 'status', status: 500, body: JSON.stringify({ errors: [{ message }] }) });
    const error = await failureOf(listAll(provider, null));
    expect(error.message.length).toBeLessThan(400);
    expect(error.message).not.toMatch(/\p{Cc}/u);
  });

  test('what Linear refuses is refused in its words', async () => {
    const ref = server.person.addIssue();
    const expected = (await provider.get([ref], signal)).get(ref)!;
    const cases: [Parameters<NonNullable<Provider['write']>['update']>[1], string, RegExp][] = [
      [{ assignees: { add: ['nobody-here'], remove: [] } }, 'refused', /nobody-here/],
      [{ parent: 'ENG-999' }, 'refused', /Issue/],
      [{ blockedBy: { add: ['ENG-999'], remove: [] } }, 'refused', /Issue/],
      [{ title: 'x'.repeat(256) }, 'bad_input', /255/],
      [{ body: 'x'.repeat(250_001) }, 'bad_input', /250000/],
      [{ title: '  ' }, 'refused', /title/],
    ];
    for (const [change, code, words] of cases) {
      const error = await failureOf(provider.write!.update(ref, change, expected, signal));
      expect([error.code, error.message], JSON.stringify(change).slice(0, 60)).toEqual([
        code,
        expect.stringMatching(words),
      ]);
    }
    const theirs = server.person.addComment(ref, 'theirs');
    expect((await failureOf(provider.comment!.edit(ref, theirs, 'mine', signal))).code).toBe('refused');
  });
});
