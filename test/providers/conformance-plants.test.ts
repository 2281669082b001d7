// The conformance suite finds what it says it finds: each plant is a provider with one fault, and a case that fails on
// it and passes without it.
import { expect, test } from 'vitest';
import type { Page, Provider, RemoteTask } from '../../src/providers/provider.ts';
import { CASES, type ProviderHarness } from '../conformance/provider.ts';
import { listAll } from '../conformance/provider-harness.ts';
import { memoryHarness } from './memory/harness.ts';

type Spoil = (provider: Provider, harness: ProviderHarness) => Partial<Provider>;

const eachItem =
  (change: (item: RemoteTask) => RemoteTask | null): Spoil =>
  (provider) => ({
    async *list(cursor, signal) {
      for await (const page of provider.list(cursor, signal))
        yield { ...page, items: page.items.flatMap((item) => change(item) ?? []) };
    },
    async get(refs, signal) {
      const found = await provider.get(refs, signal);
      return new Map([...found].flatMap(([ref, item]) => [[ref, change(item) ?? item] as const]));
    },
  });

const writing =
  (change: (write: NonNullable<Provider['write']>, provider: Provider) => Partial<typeof write>): Spoil =>
  (provider) => ({ write: { ...provider.write!, ...change(provider.write!, provider) } });

const commenting =
  (
    change: (comment: NonNullable<Provider['comment']>, provider: Provider) => Partial<typeof comment>,
  ): Spoil =>
  (provider) => ({ comment: { ...provider.comment!, ...change(provider.comment!, provider) } });

const never = new AbortController().signal;
const forgetful = writing((write) => ({
  create: (draft, attempt, signal) => write.create(draft, { ...attempt, tries: 0 }, signal),
}));
const PLANTS: readonly [fault: string, title: string, spoil: Spoil][] = [
  [
    'only the first page',
    'the first listing has everything, over more than one hundred issues, each once',
    (provider) => ({
      async *list(cursor, signal) {
        for await (const page of provider.list(cursor, signal)) return yield page;
      },
    }),
  ],
  [
    'later than, not from, the watermark on',
    'changes at the same instant as the last listing are not lost',
    (provider) => {
      let seen = 0;
      return {
        async *list(cursor, signal) {
          const after = cursor === null ? 0 : seen;
          for await (const page of provider.list(cursor, signal)) {
            const items = page.items.filter(({ updatedAt }) => updatedAt > after);
            seen = Math.max(seen, ...items.map(({ updatedAt }) => updatedAt));
            yield { ...page, items };
          }
        },
      };
    },
  ],
  [
    'pages of before, the cursor of after',
    'what moves between pages while they are read is not lost',
    (provider) => ({
      async *list(cursor, signal) {
        const pages: Page[] = [];
        for await (const page of provider.list(cursor, signal)) pages.push(page);
        for (const page of pages)
          yield page === pages.at(-1) ? { ...page, next: (await listAll(provider, null)).next! } : page;
      },
    }),
  ],
  [
    'only what is admitted is ever listed',
    'an issue that leaves the filter is listed as changed, and as not admitted',
    eachItem((item) => (item.admitted ? item : null)),
  ],
  ['never looks back', 'a try again finds what the first one made', forgetful],
  [
    'never looks back',
    'an issue whose answer was lost is found by the next try, by another provider too',
    forgetful,
  ],
  [
    'believes every marker',
    "somebody else's marker is not believed: an issue",
    writing((write, provider) => ({
      async create(draft, attempt, signal) {
        const { items } = await listAll(provider, null);
        return items.find(({ key }) => key === attempt.key) ?? (await write.create(draft, attempt, signal));
      },
    })),
  ],
  [
    'overwrites',
    'a field that changed upstream meanwhile is a conflict, and stays as the person left it',
    writing((write, provider) => ({
      async update(ref, change, _expected, signal) {
        const now = (await provider.get([ref], signal)).get(ref)!;
        return await write.update(ref, change, now, signal);
      },
    })),
  ],
  [
    'lists something else than it answered',
    'all that the provider wrote is in the next listing as it was answered, and in no listing after that as another',
    (provider) => ({
      async *list(cursor, signal) {
        for await (const page of provider.list(cursor, signal))
          yield { ...page, items: page.items.map((item) => ({ ...item, body: `${item.body}\n` })) };
      },
    }),
  ],
  [
    'does not know its own',
    'a comment of ours is known as ours, and its echo is no change',
    commenting((comment) => ({
      add: async (...words) => ({ ...(await comment.add(...words)), mine: false }),
    })),
  ],
  [
    'never looks back',
    'a try again finds the comment the first one made, also when its answer was lost',
    commenting((comment) => ({
      add: (ref, body, attempt, signal) => comment.add(ref, body, { ...attempt, tries: 0 }, signal),
    })),
  ],
  [
    'a new comment for each edit',
    'a comment is edited in place, and still found by its key',
    commenting((comment) => ({
      edit: (ref, id, body, signal) => comment.add(ref, body, { key: `edit${id}00000`, tries: 0 }, signal),
    })),
  ],
  [
    'deaf to the signal',
    'an aborted signal stops everything before it acts',
    (provider) => ({ get: (refs) => provider.get(refs, never) }),
  ],
];

async function runOn(title: string, spoil: Spoil): Promise<void> {
  const harness = await memoryHarness()();
  const open = async (change = {}) => {
    const provider = await harness.factory.open(harness.config(change), harness.effects);
    return { ...provider, ...spoil(provider, harness) };
  };
  const skip = (reason: string): never => {
    throw new Error(`skipped: ${reason}`);
  };
  const { people } = harness;
  await CASES[title]!({ harness, people, provider: await open(), open, signal: never, skip });
}

test.each(PLANTS)('%s fails "%s"', async (_fault, title, spoil) => {
  await expect(runOn(title, () => ({}))).resolves.toBeUndefined();
  const error: unknown = await runOn(title, spoil).catch((each: unknown) => each);
  expect(error).toBeInstanceOf(Error);
  expect(error, 'a plant that only crashes shows nothing').not.toBeInstanceOf(TypeError);
});
