import { expect, test } from 'vitest';
import { RoomError } from '../../../src/core/errors.ts';
import { syncChoreWith } from '../../../src/pulse/sync/chore-sync.ts';
import type { SyncReport } from '../../../src/sync/contract.ts';
import { MIRROR, makeChore } from '../../chores/room-with-chores.ts';

const NOTHING: SyncReport = {
  chore: 'web',
  provider: 'memory',
  source: 'acme/web',
  dryRun: false,
  created: 0,
  updated: 0,
  pushed: 0,
  commentsIn: 0,
  commentsOut: 0,
  conflicts: 0,
  detached: 0,
  skipped: [],
  plan: [],
  requests: 2,
  notModified: 2,
  remaining: null,
  resetAt: null,
  waiting: 0,
  error: null,
};

/** Runs a chore whose sync reports this. */
async function run(report: Partial<SyncReport>) {
  const seen: unknown[] = [];
  const sync = {
    async syncChore(name: string, options: object, signal: AbortSignal) {
      seen.push(name, options, signal.aborted);
      return { ...NOTHING, ...report };
    },
  };
  const syncChore = syncChoreWith(sync);
  const result = syncChore(makeChore('web', { mirror: MIRROR }), new AbortController().signal);
  await result.catch(() => {});
  expect(seen).toEqual(['web', { pull: true, push: true, wait: true }, false]);
  return result;
}

test('a quiet sync says so, any other what it did', async () => {
  expect(await run({})).toMatchObject({ message: 'nothing new', counts: { created: 0, requests: 2 } });
  const skipped = [{ ref: null, task: null, what: 'title', why: 'too long' }];
  const busy = await run({
    created: 3,
    pushed: 1,
    commentsIn: 1,
    commentsOut: 2,
    conflicts: 1,
    skipped,
    waiting: 4,
  });
  expect(busy.message).toBe(
    '3 created, 1 pushed, 1 comment in, 2 comments out, 1 conflict, 1 skipped, 4 waiting to be sent',
  );
  expect(busy.counts).toMatchObject({
    created: 3,
    comments_in: 1,
    comments_out: 2,
    conflicts: 1,
    skipped: 1,
  });
});

test('a report that ended early is the error it names, and how long to wait', async () => {
  const error = { code: 'unauthorized' as const, message: 'no token', hint: 'set GITHUB_TOKEN' };
  const refused = await run({ created: 1, error }).catch((fault: unknown) => fault);
  expect(refused).toBeInstanceOf(RoomError);
  expect(refused).toMatchObject({ ...error, retryAfterMs: undefined });
  const limited = { ...error, code: 'rate_limited' as const };
  // The hour's budget is new much later than this limit ends.
  const later = await run({ error: { ...limited, retryAfterMs: 3_000 }, resetAt: 3_600_000 }).catch(
    (fault: unknown) => fault,
  );
  expect(later).toMatchObject({ code: 'rate_limited', retryAfterMs: 3_000 });
});
