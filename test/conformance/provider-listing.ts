// Listings: everything admitted first, later only what changed, nothing lost, and nearly nothing spent when quiet.
import { expect } from 'vitest';
import {
  type Bench,
  type Cases,
  essence,
  getOne,
  latest,
  listAll,
  newIssue,
  settle,
} from './provider-harness.ts';

const MANY = 105;
const numbered = (count: number, word: string) =>
  Array.from({ length: count }, (_, at) => ({ title: `${word} ${at + 1}` }));

/** A state that is over, as the tracker names it. */
export function finishedState({ harness }: Bench): string {
  return harness.states.find(({ status }) => status === 'done')!.name;
}

async function tickOrSkip({ harness, skip }: Bench): Promise<void> {
  if (!harness.tick) skip('time cannot be moved here');
  await harness.tick!();
}

async function requestsOfQuietListing(bench: Bench): Promise<number> {
  const { provider } = bench;
  const cursor = await settle(provider);
  const before = provider.usage().requests;
  const quiet = await listAll(provider, cursor);
  const between = provider.usage().requests;
  const again = await listAll(provider, quiet.next);
  expect(again.next, 'a quiet listing moves no cursor').toBe(quiet.next);
  expect(provider.usage().requests - between).toBe(between - before);
  return between - before;
}

export const LISTING: Cases = {
  'an empty source is one page without items, and a cursor': async ({ provider }) => {
    const { items, next, pages } = await listAll(provider, null);
    expect(items).toEqual([]);
    expect(pages).toBe(1);
    expect(typeof next).toBe('string');
  },
  'the first listing has everything, over more than one hundred issues, each once': async (bench) => {
    const { people, provider } = bench;
    const refs = await people.createIssues(numbered(MANY, 'Issue'));
    const { items, next } = await listAll(provider, null);
    expect(items.map(({ ref }) => ref).sort()).toEqual([...refs].sort());
    expect(new Set(items.map(({ uid }) => uid)).size).toBe(MANY);
    expect(items.every(({ admitted }) => admitted)).toBe(true);
    expect(next!.length).toBeLessThanOrEqual(65_536);
  },
  'an issue in a listing is as it is by itself': async (bench) => {
    const ref = await newIssue(bench, { title: 'Same', body: 'words', labels: ['bug'] });
    if (bench.people.addComments) await bench.people.addComments(ref, ['first', 'second']);
    const listed = (await listAll(bench.provider, null)).items[0]!;
    const alone = await getOne(bench, ref);
    expect(essence(bench.provider, listed, alone)).toEqual(essence(bench.provider, alone, listed));
    expect(listed.updatedAt).toBe(alone.updatedAt);
    expect(listed.comments.items).toEqual(alone.comments.items);
  },
  'the first listing has only what the filter admits: labels': async (bench) => {
    const { people, open, harness, skip } = bench;
    if (!harness.fields.includes('labels')) skip('no labels here');
    const [one, both] = await people.createIssues([
      { title: 'One', labels: ['agent'] },
      { title: 'Both', labels: ['agent', 'web'] },
      { title: 'None' },
    ]);
    const filter = { assignee: null, state: 'all' } as const;
    const agent = await open({ filter: { ...filter, labels: ['agent'] } });
    expect((await listAll(agent, null)).items.map(({ ref }) => ref).sort()).toEqual([one, both].sort());
    const strict = await open({ filter: { ...filter, labels: ['agent', 'web'] } });
    expect((await listAll(strict, null)).items.map(({ ref }) => ref)).toEqual([both]);
  },
  'the first listing has only what the filter admits: state': async (bench) => {
    const { people, open } = bench;
    const [still, over] = await people.createIssues([{ title: 'Still open' }, { title: 'Over' }]);
    await people.editIssue(over!, { state: finishedState(bench) });
    const filter = { assignee: null, labels: [] };
    const opened = await open({ filter: { ...filter, state: 'open' } });
    expect((await listAll(opened, null)).items.map(({ ref }) => ref)).toEqual([still]);
    const closed = await open({ filter: { ...filter, state: 'closed' } });
    expect((await listAll(closed, null)).items.map(({ ref }) => ref)).toEqual([over]);
  },
  'the first listing has only what the filter admits: assignee, by name and as me': async (bench) => {
    const { people, open, harness, skip } = bench;
    if (!harness.fields.includes('assignees')) skip('no assignees here');
    const [mine] = await people.createIssues([
      { title: 'Mine', assignees: [harness.account] },
      { title: 'Nobody' },
    ]);
    for (const assignee of ['me', harness.account]) {
      const provider = await open({ filter: { labels: [], state: 'all', assignee } });
      expect((await listAll(provider, null)).items.map(({ ref }) => ref)).toEqual([mine]);
    }
  },
  'a later listing has what changed and leaves out what did not, oldest change first': async (bench) => {
    const { people, provider } = bench;
    const [a, b, c, d] = await people.createIssues(numbered(4, 'Issue'));
    await tickOrSkip(bench);
    await people.editIssue(d!, { title: 'Last before' });
    const first = await listAll(provider, null);
    for (const ref of [c!, a!]) {
      await tickOrSkip(bench);
      await people.editIssue(ref, { title: `Edited ${ref}` });
    }
    await tickOrSkip(bench);
    const fresh = await newIssue(bench, { title: 'New' });
    const { items } = await listAll(provider, first.next);
    const refs = items.map(({ ref }) => ref);
    expect(refs).not.toContain(b);
    expect(refs.filter((ref) => ref !== d)).toEqual([c, a, fresh]);
    expect(items.find(({ ref }) => ref === a)!.title).toBe(`Edited ${a}`);
  },
  'changes at the same instant as the last listing are not lost': async (bench) => {
    const { people, provider } = bench;
    const [a, b] = await people.createIssues(numbered(2, 'Issue'));
    await people.editIssue(a!, { title: 'Before' });
    const first = await listAll(provider, null);
    await people.editIssue(a!, { title: 'After a' });
    const second = await listAll(provider, first.next);
    expect(latest(second.items).get((await getOne(bench, a!)).uid)?.title).toBe('After a');
    await people.editIssue(b!, { title: 'After b' });
    const fresh = await newIssue(bench, { title: 'New' });
    const { items } = await listAll(provider, second.next);
    expect(items.find(({ ref }) => ref === b)?.title).toBe('After b');
    expect(items.map(({ ref }) => ref)).toContain(fresh);
  },
  'what moves between pages while they are read is not lost': async (bench) => {
    const { people, open, signal } = bench;
    const filter = { labels: [], assignee: null, state: 'open' } as const;
    const provider = await open({ filter });
    const refs = await people.createIssues(numbered(MANY, 'Issue'));
    const known = new Map<string, string>();
    let cursor: string | null = null;
    for await (const page of provider.list(null, signal)) {
      for (const { ref, title, state } of page.items) known.set(ref, `${title} ${state}`);
      if (cursor === null) {
        await people.editIssue(refs[0]!, { state: finishedState(bench) });
        await people.editIssue(refs.at(-1)!, { title: 'Moved' });
        await people.editIssue(refs[50]!, { title: 'Moved too' });
      }
      cursor = page.next;
    }
    const { items } = await listAll(provider, cursor);
    for (const { ref, title, state } of items) known.set(ref, `${title} ${state}`);
    const truth = await provider.get(refs, signal);
    expect([...known.keys()].sort()).toEqual([...refs].sort());
    for (const [ref, { title, state }] of truth) expect(known.get(ref)).toBe(`${title} ${state}`);
  },
  'a listing that was cut off is taken up at the cursor of its last page': async ({
    people,
    provider,
    signal,
  }) => {
    const refs = await people.createIssues(numbered(MANY, 'Issue'));
    const seen = new Set<string>();
    let cursor: string | null = null;
    for await (const page of provider.list(null, signal)) {
      for (const { ref } of page.items) seen.add(ref);
      cursor = page.next;
      break;
    }
    for (const { ref } of (await listAll(provider, cursor)).items) seen.add(ref);
    expect([...seen].sort()).toEqual([...refs].sort());
  },
  'an issue that leaves the filter is listed as changed, and as not admitted': async (bench) => {
    const { people, open, harness } = bench;
    const hasLabels = harness.fields.includes('labels');
    const filter = { labels: hasLabels ? ['agent'] : [], assignee: null, state: 'open' } as const;
    const provider = await open({ filter });
    const labels = hasLabels ? ['agent'] : [];
    const refs = await people.createIssues([
      { title: 'Closed', labels },
      { title: 'Unlabelled', labels },
    ]);
    const first = await listAll(provider, null);
    expect(first.items).toHaveLength(2);
    await harness.tick?.();
    await people.editIssue(refs[0]!, { state: finishedState(bench) });
    if (hasLabels) await people.editIssue(refs[1]!, { labels: [] });
    const { items } = await listAll(provider, first.next);
    const closed = items.find(({ ref }) => ref === refs[0]);
    expect(closed).toMatchObject({ status: 'done', admitted: false });
    if (hasLabels) {
      const bare = items.find(({ ref }) => ref === refs[1]);
      expect(bare).toMatchObject({ labels: [], admitted: false });
    }
  },
  'a quiet listing costs the same few requests however many issues there are, and keeps its cursor': async (
    bench,
  ) => {
    await bench.people.createIssues(numbered(2, 'Few'));
    const few = await requestsOfQuietListing(bench);
    expect(few).toBeLessThanOrEqual(3);
    const refs = await bench.people.createIssues(numbered(40, 'Many'));
    if (bench.people.addComments) await bench.people.addComments(refs[0]!, ['one', 'two']);
    await bench.harness.tick?.();
    expect(await requestsOfQuietListing(bench)).toBe(few);
  },
  'a cursor outlives the provider that made it': async (bench) => {
    const { people, provider, open } = bench;
    const [a, b] = await people.createIssues(numbered(2, 'Issue'));
    const first = await listAll(provider, null);
    await provider.close();
    await tickOrSkip(bench);
    await people.editIssue(b!, { title: 'Edited' });
    const again = await open();
    const kept = JSON.parse(JSON.stringify({ cursor: first.next })) as { cursor: string };
    const { items } = await listAll(again, kept.cursor);
    expect(items.find(({ ref }) => ref === b)?.title).toBe('Edited');
    expect((await listAll(again, null)).items.map(({ ref }) => ref).sort()).toEqual([a, b].sort());
  },
  'a cursor it does not know is a fresh start': async ({ people, provider }) => {
    const refs = await people.createIssues(numbered(2, 'Issue'));
    for (const cursor of ['', 'garbage', '{"v":999}', '[]', 'null', '{"since":"never"}']) {
      const { items } = await listAll(provider, cursor);
      expect(items.map(({ ref }) => ref).sort(), cursor).toEqual([...refs].sort());
    }
  },
};
