// What turns used, summed by the real ledger; and what an older ledger knew of sessions.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TaskId, type TurnId, threadOfTask } from '../../../../src/core/ids.ts';
import type { TurnReason } from '../../../../src/core/rules/turn.ts';
import { createNodeEffects } from '../../../../src/node.ts';
import { openLedger } from '../../../../src/store/ledger/ledger.ts';
import { forEachTest } from '../../../support/for-each-test.ts';
import { beginTurn } from '../../../support/ledger-queue.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const ledger = forEachTest(() =>
  openLedger(join(tempFolder('taskroom-spending'), 'ledger.db'), { effects: createNodeEffects() }),
);

const THREAD = threadOfTask('a' as TaskId);
let serial = 0;

/** A turn from one moment to another, or one that runs. */
function turn(startedAt: number, endedAt: number | null, reason: TurnReason = 'ok', agent = 'a'): TurnId {
  serial += 1;
  const id = beginTurn(ledger, { id: `b${serial}`, thread: THREAD, agent, reasons: [], startedAt });
  ledger.turns.setUsage(id, { inputTokens: 10, outputTokens: 1, costUsd: null });
  ledger.turns.setUsage(id, { inputTokens: 100, outputTokens: 10, costUsd: 0.25 });
  if (endedAt !== null) end(id, endedAt, reason);
  return id;
}

function end(id: TurnId, endedAt: number, reason: TurnReason): void {
  const state = reason === 'ok' ? 'completed' : 'failed';
  ledger.turns.end(id, { state, reason, exitCode: 0, signal: null, message: '', endedAt });
}

const spent = (turns: number, ms: number, times: number) => ({
  turns,
  ms,
  inputTokens: 100 * times,
  outputTokens: 10 * times,
  costUsd: 0.25 * times,
});

test('a day holds what began on it, by agent, running turns up to now', () => {
  turn(1_000, 9_000);
  turn(5_000, 8_000);
  turn(6_000, 6_500, 'ok', 'b');
  turn(7_000, null);
  expect(ledger.spending.since(5_000, 10_000)).toEqual(
    new Map([
      ['a', spent(2, 6_000, 2)],
      ['b', spent(1, 500, 1)],
    ]),
  );
});

test('turns that met a limit are no turns, interrupted ones have no length, and a clock that went back takes nothing off', () => {
  turn(0, 1_000, 'rate_limited');
  turn(0, 500_000, 'interrupted');
  turn(9_000, 1_000);
  expect(ledger.spending.since(0, 10_000)).toEqual(new Map([['a', spent(2, 1_000, 3)]]));
});

test('the sum of a thread counts each end once, outlives its turns, and begins anew', () => {
  const id = turn(0, 1_000);
  end(id, 5_000, 'ok');
  turn(2_000, 4_000);
  expect(ledger.turns.prune(1_000_000, 0)).toHaveLength(2);
  const running = turn(5_000, null);
  expect(ledger.spending.of(THREAD, 6_000)).toEqual(spent(3, 4_000, 3));
  ledger.spending.reset(THREAD);
  expect(ledger.spending.of(THREAD, 6_000)).toEqual(spent(1, 1_000, 1));
  end(running, 7_000, 'ok');
  expect(ledger.spending.of(THREAD, 9_000)).toEqual(spent(1, 2_000, 1));
});

test('the sums of a day read an index alone', () => {
  const explain = `EXPLAIN QUERY PLAN SELECT agent, sum(input_tokens), sum(ended_at), sum(cost_usd), sum(reason = 'x'),
    sum(output_tokens) FROM turns INDEXED BY turns_spent WHERE started_at >= 5 GROUP BY agent`;
  const [step] = ledger.database.rows(explain) as { detail: string }[];
  expect(step!.detail).toBe('SEARCH turns USING COVERING INDEX turns_spent (started_at>?)');
});

test('sessions are told apart by agent', () => {
  ledger.sessions.set(THREAD, 'a', 's1');
  ledger.sessions.set(THREAD, 'b', 's2');
  expect(ledger.sessions.get(THREAD, 'a')?.session).toBe('s1');
  expect(ledger.sessions.get(THREAD, 'c')).toBeNull();
});
