// What turns of one worker ask at the same moment: one request, each with its own answer, and none that waits for another's.
import { expect, test } from 'vitest';
import type { ManyAnswers, ManyTurns } from '../../../src/remote/worker-wire.ts';
import { createJoinedCalls } from '../../../src/runtime/worker/joined-calls.ts';

type Asked = Omit<ManyTurns, 'worker'>;
const going = new AbortController().signal;
const end = { state: 'completed', reason: 'ok', exitCode: 0, signal: null, message: '' } as const;
const report = (turn: string) => ({ turn, attempt: 0, first: 0, reports: [{ kind: 'end' as const, end }] });

function openCalls() {
  const asked: { asked: Asked; answer: PromiseWithResolvers<ManyAnswers> }[] = [];
  const calls = createJoinedCalls((each) => {
    const answer = Promise.withResolvers<ManyAnswers>();
    asked.push({ asked: each, answer });
    return answer.promise;
  });
  return { asked, calls };
}

test('claims and reports of the same moment are one request, and each gets its own answer', async () => {
  const { asked, calls } = openCalls();
  const first = calls.claim({ turn: 'a', attempt: 0 }, going);
  const told = calls.report(report('b'), going);
  const second = calls.claim({ turn: 'c', attempt: 1 }, going);
  await Promise.resolve();
  expect(asked).toHaveLength(1);
  expect(asked[0]!.asked.claims).toEqual([
    { turn: 'a', attempt: 0 },
    { turn: 'c', attempt: 1 },
  ]);
  asked[0]!.answer.resolve({
    claims: [{ claimed: { turn: 'a' } as never }, { error: { code: 'gone', message: 'it is over' } }],
    reports: [{ answers: [{ kind: 'done' }] }],
  });
  expect(await first).toEqual({ turn: 'a' });
  expect(await told).toEqual([{ kind: 'done' }]);
  await expect(second).rejects.toMatchObject({ code: 'gone', message: 'it is over' });
});

test('what comes while a request is under way is the next one', async () => {
  const { asked, calls } = openCalls();
  const first = calls.report(report('a'), going);
  await Promise.resolve();
  const others = [calls.report(report('b'), going), calls.report(report('c'), going)];
  asked[0]!.answer.resolve({ claims: [], reports: [{ answers: [{ kind: 'done' }] }] });
  await first;
  await expect.poll(() => asked.length).toBe(2);
  expect(asked[1]!.asked.reports.map(({ turn }) => turn)).toEqual(['b', 'c']);
  asked[1]!.answer.reject(new Error('the line is cut'));
  for (const each of others) await expect(each).rejects.toThrow('the line is cut');
});

test('one that is stopped leaves the others in its request alone', async () => {
  const { asked, calls } = openCalls();
  const stopped = new AbortController();
  const own = calls.claim({ turn: 'a', attempt: 0 }, stopped.signal);
  const other = calls.claim({ turn: 'b', attempt: 0 }, going);
  await Promise.resolve();
  stopped.abort();
  await expect(own).rejects.toMatchObject({ code: 'unavailable' });
  asked[0]!.answer.resolve({
    claims: [{ claimed: { turn: 'a' } as never }, { claimed: { turn: 'b' } as never }],
    reports: [],
  });
  expect(await other).toEqual({ turn: 'b' });
});

test('what takes its time at the host, or is large, goes alone', () => {
  const { calls } = openCalls();
  expect(calls.fits([{ kind: 'started' }, { kind: 'end', end }])).toBe(true);
  expect(calls.fits([{ kind: 'request', text: '{}' }])).toBe(false);
  expect(calls.fits([{ kind: 'service', name: 'read', args: [] }])).toBe(false);
  expect(calls.fits([{ kind: 'branch', tip: 'a'.repeat(40), by: null, bytes: 0 }])).toBe(false);
  expect(calls.fits([{ kind: 'output', offset: 0, data: 'x'.repeat(9_000) }])).toBe(false);
});
