// Credentials, words of the configuration, stopping, counting and closing.
import { expect } from 'vitest';
import { isRoomError } from '../../src/core/errors.ts';
import { draft, newKey } from './provider-creation.ts';
import { type Bench, type Cases, listAll, newIssue } from './provider-harness.ts';

/** A promise that ends within two seconds by rejecting. */
async function expectStopped(promise: Promise<unknown>): Promise<void> {
  const late = AbortSignal.timeout(2_000);
  const tooLate = new Promise<never>((_, reject) =>
    late.addEventListener('abort', () => reject(new Error('it went on for two seconds'))),
  );
  const error = await Promise.race([promise, tooLate]).then(
    () => null,
    (reason: unknown) => reason,
  );
  const isAbort = error instanceof Error && error.name === 'AbortError';
  expect(isAbort || isRoomError(error, 'interrupted'), `stopped by ${String(error)}`).toBe(true);
}

async function drain(iterable: AsyncIterable<unknown>): Promise<void> {
  for await (const each of iterable) void each;
}

/** @throws what opening and a first look throw */
async function openAndList({ harness }: Bench, effects: Bench['harness']['effects']): Promise<void> {
  const provider = await harness.factory.open(harness.config(), effects);
  try {
    await listAll(provider, null);
  } finally {
    await provider.close();
  }
}

export const TROUBLE: Cases = {
  'good words of a source pass the check, bad ones are told without a throw': async ({ harness }) => {
    const { factory } = harness;
    expect(factory.check(harness.config())).toEqual([]);
    const bad = [
      harness.config({ options: { no_such_option_here: 1 } }),
      harness.config({ source: 'a\nb\u0000c' }),
    ];
    for (const config of bad) {
      const problems = factory.check(config);
      expect(problems.length).toBeGreaterThan(0);
      for (const { message } of problems) expect(message).not.toBe('');
    }
  },
  'with credentials nothing is missing': async ({ harness }) => {
    expect(await harness.factory.missing(harness.config(), harness.effects)).toEqual([]);
  },
  'missing credentials are named, with what to set': async (bench) => {
    const { harness, skip } = bench;
    if (!harness.noCredentials) skip('no credentials needed here');
    const { secrets } = harness.factory;
    const missing = await harness.factory.missing(harness.config(), harness.noCredentials!);
    expect(missing.length).toBeGreaterThan(0);
    const words = missing.map(({ what, set }) => `${what} ${set}`).join(' ');
    expect(secrets.some((name) => words.includes(name))).toBe(true);
    await expect(openAndList(bench, harness.noCredentials!)).rejects.toMatchObject({ code: 'unauthorized' });
  },
  'wrong credentials are unauthorized, and the variable is named': async (bench) => {
    const { harness, skip } = bench;
    if (!harness.badCredentials) skip('no credentials needed here');
    const error: unknown = await openAndList(bench, harness.badCredentials!).catch((each: unknown) => each);
    expect(isRoomError(error, 'unauthorized'), String(error)).toBe(true);
    const { message, hint } = error as { message: string; hint?: string };
    expect(harness.factory.secrets.some((name) => `${message} ${hint}`.includes(name))).toBe(true);
    for (const name of harness.factory.secrets) {
      const secret = harness.badCredentials!.env[name];
      if (secret) expect(`${message} ${hint}`).not.toContain(secret);
    }
  },
  'an aborted signal stops everything before it acts': async (bench) => {
    const { provider, people } = bench;
    const ref = await newIssue(bench, { title: 'Stays' });
    const [task] = (await listAll(provider, null)).items;
    const stop = new AbortController();
    stop.abort();
    const { signal } = stop;
    const attempt = () => ({ key: newKey(), tries: 0 });
    await expectStopped(drain(provider.list(null, signal)));
    await expectStopped(provider.get([ref], signal));
    if (provider.write) {
      await expectStopped(provider.write.create(draft({ title: 'Not made' }), attempt(), signal));
      await expectStopped(provider.write.update(ref, { title: 'Not written' }, task!, signal));
    }
    if (provider.comment) await expectStopped(provider.comment.add(ref, 'not said', attempt(), signal));
    expect(await people.titles()).toEqual(['Stays']);
    expect((await people.look(ref))!.comments).toEqual([]);
  },
  'a signal that is aborted between two pages stops the listing': async ({ people, provider, skip }) => {
    await people.createIssues(Array.from({ length: 105 }, (_, at) => ({ title: `Issue ${at}` })));
    if ((await listAll(provider, null)).pages === 1) skip('everything is one page here');
    const stop = new AbortController();
    let pages = 0;
    const reading = (async () => {
      for await (const page of provider.list(null, stop.signal)) {
        pages += 1;
        expect(page.items.length).toBeGreaterThan(0);
        stop.abort();
      }
    })();
    await expectStopped(reading);
    expect(pages).toBe(1);
  },
  'requests are counted': async ({ people, provider, signal }) => {
    expect(provider.usage().requests).toBeGreaterThanOrEqual(0);
    const [ref] = await people.createIssues([{ title: 'One' }]);
    let before = provider.usage().requests;
    await listAll(provider, null);
    expect(provider.usage().requests).toBeGreaterThan(before);
    before = provider.usage().requests;
    await provider.get([ref!], signal);
    const { requests, notModified, remaining, resetAt } = provider.usage();
    expect(requests).toBeGreaterThan(before);
    expect(notModified).toBeGreaterThanOrEqual(0);
    expect(notModified).toBeLessThanOrEqual(requests);
    for (const figure of [remaining, resetAt]) if (figure !== null) expect(figure).toBeGreaterThanOrEqual(0);
  },
  'the profile is made of sound facts': async ({ provider, harness }) => {
    const { profile } = provider;
    for (const limit of Object.values(profile.limits)) expect(limit).toBeGreaterThanOrEqual(100);
    expect(provider.name).toBe(harness.factory.name);
    expect(profile.writable.length > 0).toBe(provider.write !== undefined || provider.comment !== undefined);
    for (const text of ['', 'a', 'a\r\nb', '- a\n- b\n', '  x  \n\n\n']) {
      const once = profile.normalise(text);
      expect(profile.normalise(once), 'normalising twice is normalising once').toBe(once);
    }
    expect(profile.normalise('a\r\nb')).toBe(profile.normalise('a\nb'));
    for (const role of profile.trustedRoles) expect(role).toBe(role.toLowerCase());
  },
  'a provider is closed twice without harm': async ({ open }) => {
    const provider = await open();
    await listAll(provider, null);
    await provider.close();
    await provider.close();
  },
};
