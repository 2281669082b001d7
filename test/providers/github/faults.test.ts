import { beforeEach, describe, expect, it } from 'vitest';
import { createGithubFactory } from '../../../src/providers/github/github.ts';
import type { Provider, RemoteTask } from '../../../src/providers/provider.ts';
import { listAll } from '../../conformance/provider-harness.ts';
import type { Asked, Fault } from '../../support/fault-proxy.ts';
import { forEachTest } from '../../support/for-each-test.ts';
import { editIssue, openIssue } from '../../support/github-server/people.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { githubSource, SOURCE, startGithub, TEST_PACE } from './harness.ts';

const { signal } = new AbortController();
const REF = `${SOURCE}#1`;
const attempt = (tries = 0) => ({ key: 'abcdefghijkl', tries });
const github = forEachTest(() => startGithub());
let clock: ManualClock;
let provider: Provider;
let task: RemoteTask;
beforeEach(async () => {
  clock = createManualClock({ startMs: 0, env: { GITHUB_TOKEN: 'good-token' } });
  openIssue(github.server.state, github.repo, { title: 'Found', user: 'alice' });
  provider = await createGithubFactory(TEST_PACE).open(githubSource(github.proxy.url), clock);
  task = (await listAll(provider, null)).items[0]!;
});

const isPost = ({ method }: Asked) => method === 'POST';
const isGet = ({ method }: Asked) => method === 'GET';
const comments = () => github.repo.issues[0]!.comments;

describe('a server with a bad day', () => {
  it.each([500, 502, 503] as const)('is asked again when a reading meets %d', async (status) => {
    github.proxy.once({ kind: 'status', status });
    github.proxy.once({ kind: 'status', status });
    expect((await provider.get([REF], signal)).size).toBe(1);
    expect(github.proxy.waiting()).toBe(0);
  });

  it('is unavailable when it stays so', async () => {
    const stop = github.proxy.always({ kind: 'status', status: 502 });
    await expect(provider.get([REF], signal)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('502'),
    });
    stop();
    expect((await provider.get([REF], signal)).size).toBe(1);
  });

  it('is asked once only to make something, whatever became of it', async () => {
    for (const fault of [
      { kind: 'status', status: 502 },
      { kind: 'cut_before' },
      { kind: 'cut_after' },
    ] as Fault[]) {
      const before = github.proxy.asked.filter(isPost).length;
      github.proxy.once(fault, isPost);
      await expect(provider.comment!.add(REF, 'x', attempt(), signal)).rejects.toMatchObject({
        code: 'unavailable',
      });
      expect(github.proxy.asked.filter(isPost).length - before).toBe(1);
    }
    expect(comments()).toHaveLength(1);
  });

  it('is asked again when the line breaks in a reading or in a change of what is there', async () => {
    github.proxy.once({ kind: 'cut_after' }, isGet);
    github.proxy.once({ kind: 'cut_after' }, ({ method }) => method === 'PATCH');
    const changed = await provider.write!.update(REF, { title: 'New' }, task, signal);
    expect(changed.title).toBe('New');
    expect(github.proxy.waiting()).toBe(0);
  });

  it('is given up when its answer does not end', async () => {
    const stop = github.proxy.always({ kind: 'stall' }, ({ path }) => path.endsWith('/issues/1'));
    const late = provider.get([REF], signal).then(
      () => null,
      (error: unknown) => error,
    );
    // One try and four more, each until its time is over.
    for (let tries = 0; tries < 5; tries += 1) await clock.advanceToNext();
    expect(await late).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('within 60 s'),
    });
    stop();
    expect((await provider.get([REF], signal)).size).toBe(1);
  });

  it('is not believed when its answer breaks off', async () => {
    github.proxy.once({ kind: 'truncated' });
    await expect(provider.get([REF], signal)).rejects.toMatchObject({ code: 'unavailable' });
    github.proxy.once({ kind: 'truncated' }, isPost);
    await expect(provider.comment!.add(REF, 'x', attempt(), signal)).rejects.toMatchObject({
      code: 'unavailable',
    });
    await provider.comment!.add(REF, 'x', attempt(1), signal);
    expect(comments()).toHaveLength(1);
  });

  it('is not believed when its answer is something else', async () => {
    const run = (_asked: Asked, answered: { body: string }) => {
      answered.body = '{"number":"one"}';
    };
    github.proxy.once({ kind: 'after', run });
    await expect(provider.get([REF], signal)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('hears no more once the caller stopped', async () => {
    const stop = new AbortController();
    github.proxy.once({ kind: 'stall' });
    github.proxy.once({ kind: 'before', run: () => stop.abort() });
    await expect(provider.get([REF], stop.signal)).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('sends nobody elsewhere: a redirect is followed on the server that was asked', async () => {
    const redirect = (location: string): Fault => ({
      kind: 'after',
      run(_asked, answered) {
        Object.assign(answered, { status: 301, body: '{}' });
        answered.headers.location = location;
      },
    });
    github.proxy.once(redirect(`https://evil.example/repos/${SOURCE}/issues/1`));
    expect((await provider.get([REF], signal)).get(REF)?.title).toBe('Found');
    expect(github.proxy.asked.at(-1)?.path).toBe(`/repos/${SOURCE}/issues/1`);
    const circle = github.proxy.always(redirect(`/repos/${SOURCE}/issues/1`));
    await expect(provider.get([REF], signal)).rejects.toMatchObject({ code: 'unavailable' });
    circle();
  });
});

describe('pages on a bad day', () => {
  beforeEach(() => {
    github.server.state.nowMs += 120_000;
    for (let n = 0; n < 149; n += 1) openIssue(github.server.state, github.repo, { title: `Issue ${n}` });
  });

  it('gives an issue once when a page comes twice', async () => {
    github.proxy.once({ kind: 'duplicated' }, ({ path }) => path.includes('after='));
    const { items, next } = await listAll(provider, null);
    expect(new Set(items.map(({ ref }) => ref)).size).toBe(items.length);
    expect(github.proxy.waiting()).toBe(0);
    expect(next).not.toBeNull();
  });

  it('keeps its place when a page fails, and its clock when the server’s Date is off', async () => {
    github.proxy.always({ kind: 'clock', offsetMs: 600_000 });
    let kept: string | null = null;
    const stop = github.proxy.always({ kind: 'status', status: 500 }, ({ path }) => path.includes('after='));
    const seen: string[] = [];
    const reading = async () => {
      for await (const page of provider.list(null, signal)) {
        seen.push(...page.items.map(({ ref }) => ref));
        kept = page.next;
      }
    };
    await expect(reading()).rejects.toMatchObject({ code: 'unavailable' });
    stop();
    const rest = await listAll(provider, kept);
    expect(new Set([...seen, ...rest.items.map(({ ref }) => ref)]).size).toBe(150);
    expect(seen).toHaveLength(100);
    github.server.state.nowMs += 60_000;
    editIssue(github.server.state, github.repo.issues[3]!, { title: 'Late' });
    expect((await listAll(provider, rest.next)).items.map(({ title }) => title)).toContain('Late');
  });
});

describe('limits', () => {
  it.each([
    ['a secondary limit', { kind: 'secondary', retryAfterSec: 7 }, 7_000],
    ['a secondary limit without a time', { kind: 'secondary' }, 60_000],
    ['429', { kind: 'too_many', retryAfterSec: 30 }, 30_000],
  ] as const)('%s is for the caller to wait for', async (_what, fault, retryAfterMs) => {
    for (const call of [
      () => listAll(provider, null),
      () => provider.comment!.add(REF, 'x', attempt(), signal),
    ]) {
      const before = github.proxy.asked.length;
      github.proxy.once(fault);
      await expect(call()).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs });
      expect(github.proxy.asked.length - before).toBe(1);
    }
    expect(comments()).toEqual([]);
  });

  it('the hour’s budget is told, with when it is new by the server’s clock', async () => {
    github.server.state.refusals.push('primary');
    github.server.state.rate.resetAtMs = github.server.state.nowMs + 90_000;
    await expect(provider.get([REF], signal)).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 91_000,
    });
    expect(provider.usage()).toMatchObject({ remaining: 0, resetAt: github.server.state.rate.resetAtMs });
  });

  it('the last hundredth of the budget is left alone until it is new', async () => {
    github.server.state.rate = {
      limit: 5_000,
      remaining: 51,
      resetAtMs: github.server.state.nowMs + 600_000,
    };
    await provider.get([REF], signal);
    await provider.get([REF], signal);
    const before = github.proxy.asked.length;
    const late = provider.get([REF], signal);
    await expect(late).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 601_000 });
    expect(github.proxy.asked).toHaveLength(before);
    clock.advance(601_000);
    github.server.state.nowMs += 601_000;
    expect((await provider.get([REF], signal)).size).toBe(1);
  });
});
