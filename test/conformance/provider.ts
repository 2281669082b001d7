// What every provider must do, whatever tracker is behind it. A provider passes this suite before anything uses it:
//
//   describeProvider('github', openGitHubHarness, { lacks: { 'title of a case': 'why it can't pass there' } });
//
// The harness (provider-harness.ts says what it must offer) is opened anew for every case.
import { afterEach, beforeEach, describe, test } from 'vitest';
import type { Provider, SourceConfig } from '../../src/providers/provider.ts';
import { forEachTest } from '../support/for-each-test.ts';
import { COMMENTS } from './provider-comments.ts';
import { CREATION } from './provider-creation.ts';
import type { Cases, ProviderHarness } from './provider-harness.ts';
import { LISTING } from './provider-listing.ts';
import { READING } from './provider-reading.ts';
import { TROUBLE } from './provider-trouble.ts';
import { UPDATES } from './provider-updates.ts';

export type { People, PersonEdit, ProviderHarness } from './provider-harness.ts';

const GROUPS: Readonly<Record<string, Cases>> = {
  listing: LISTING,
  reading: READING,
  creating: CREATION,
  updating: UPDATES,
  comments: COMMENTS,
  trouble: TROUBLE,
};

/** All cases by title. */
export const CASES: Cases = Object.assign({}, ...Object.values(GROUPS));

export interface ConformanceOptions {
  /** Cases this tracker can't pass, by title, with the reason; they are skipped and say so. */
  lacks?: Readonly<Record<string, string>>;
  timeoutMs?: number;
}

/**
 * Registers the suite.
 * @param open Gives a fresh, empty tracker.
 */
export function describeProvider(
  name: string,
  open: () => Promise<ProviderHarness>,
  options: ConformanceOptions = {},
): void {
  const lacks = options.lacks ?? {};
  const unknown = Object.keys(lacks).filter((title) => !(title in CASES));
  if (unknown.length > 0) throw new Error(`no such case: ${unknown.join('; ')}`);

  describe(`provider ${name}`, () => {
    const harness = forEachTest(() => open());
    let opened: Provider[];
    const openProvider = async (change?: Partial<SourceConfig>): Promise<Provider> => {
      const provider = await harness.factory.open(harness.config(change), harness.effects);
      opened.push(provider);
      return provider;
    };
    beforeEach(() => {
      opened = [];
    });
    afterEach(async () => {
      for (const provider of opened) await provider.close();
    });

    for (const [group, cases] of Object.entries(GROUPS)) {
      describe(group, () => {
        for (const [title, run] of Object.entries(cases)) {
          test(title, { timeout: options.timeoutMs ?? 20_000 }, async (context) => {
            const skip = (reason: string): never => context.skip(reason);
            if (lacks[title] !== undefined) skip(lacks[title]);
            const { signal } = new AbortController();
            const provider = await openProvider();
            await run({ harness, people: harness.people, provider, open: openProvider, signal, skip });
          });
        }
      });
    }
  });
}
