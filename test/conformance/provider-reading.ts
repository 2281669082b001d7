// Reading single issues: every field as the tracker has it, hostile words unharmed, absent and malformed refs told apart.
import { expect } from 'vitest';
import { HOSTILE_LABELS, HOSTILE_TITLES, hostileBodies } from './hostile-texts.ts';
import { type Bench, type Cases, getOne, listAll, newIssue } from './provider-harness.ts';

const FORGED_KEY = 'forged0000aa';
export const forgery = ({ harness }: Bench) =>
  harness.forgedMarker?.(FORGED_KEY) ?? `<!-- taskroom:${FORGED_KEY} -->`;

/** Null where the tracker takes as little from people. */
async function newOrNull(bench: Bench, draft: Parameters<typeof newIssue>[1]) {
  return await newIssue(bench, draft).catch(() => null);
}

/** A foreign text may lose an imitated marker at its end, and nothing else. */
function expectSameText(bench: Bench, actual: string, stored: string, what: string): void {
  const { normalise } = bench.provider.profile;
  const forged = forgery(bench);
  const without = stored.endsWith(forged) ? stored.slice(0, -forged.length).trimEnd() : stored;
  expect([normalise(stored), normalise(without)], what).toContain(normalise(actual));
}

export const READING: Cases = {
  'an issue has its facts': async (bench) => {
    const { harness, provider } = bench;
    const ref = await newIssue(bench, { title: 'Facts', body: 'The body.' });
    const task = await getOne(bench, ref);
    expect(task).toMatchObject({ ref, title: 'Facts', mine: false, locked: false, key: null });
    if (!task.silent.includes('body')) expect(provider.profile.normalise(task.body)).toBe('The body.');
    expect(task).toMatchObject({ state: harness.states[0]!.name, status: harness.states[0]!.status });
    expect(task.uid).not.toBe('');
    expect(task.author).not.toBe('');
    expect(task.createdAt).toBeGreaterThan(1_000_000_000_000);
    expect(task.updatedAt).toBeGreaterThanOrEqual(task.createdAt);
    for (const field of harness.fields) expect(task.silent).not.toContain(field);
  },
  'names of an issue: short form, url, source': async (bench) => {
    const { factory } = bench.harness;
    const config = bench.harness.config();
    const task = await getOne(bench, await newIssue(bench, { title: 'Names' }));
    expect(factory.shortRef(task.ref)).toMatch(/^[^\s/\\]+$/);
    expect(factory.owns(task.ref, config)).toBe(true);
    expect(factory.owns('', config)).toBe(false);
    if (task.url !== null) expect(factory.refOfUrl(task.url, config)).toBe(task.ref);
    for (const url of ['https://example.org/x', 'no url', '', 'javascript:alert(1)'])
      expect(factory.refOfUrl(url, config), url).toBeNull();
  },
  'absent refs are absent from the answer, the others are there': async (bench) => {
    const { provider, harness, signal } = bench;
    const ref = await newIssue(bench, { title: 'There' });
    const found = await provider.get([harness.absentRef, ref], signal);
    expect([...found.keys()]).toEqual([ref]);
    expect((await provider.get([], signal)).size).toBe(0);
  },
  'many issues are read at once, each under its ref': async ({ people, provider, signal }) => {
    const refs = await people.createIssues(Array.from({ length: 30 }, (_, at) => ({ title: `Issue ${at}` })));
    const found = await provider.get([...refs].reverse(), signal);
    expect(refs.map((ref) => found.get(ref)?.title)).toEqual(refs.map((_, at) => `Issue ${at}`));
  },
  'a malformed ref is bad input': async ({ provider, signal }) => {
    const refs = ['', ' ', '#', '..', '../../etc/passwd', 'a b#1', 'x#-1', '1?x=1#2', '--help', 'a#1\nb#2'];
    for (const ref of refs)
      await expect(provider.get([ref], signal), ref).rejects.toMatchObject({ code: 'bad_input' });
  },
  'a deleted issue is absent, and not listed': async (bench) => {
    const { people, provider, signal, skip } = bench;
    if (!people.deleteIssue) skip('nothing can be deleted here');
    const ref = await newIssue(bench, { title: 'Goes' });
    await people.deleteIssue!(ref);
    expect((await provider.get([ref], signal)).size).toBe(0);
    expect((await listAll(provider, null)).items).toEqual([]);
  },
  'a transferred issue is absent, or shows by its uid that it is the same': async (bench) => {
    const { people, provider, harness, signal, skip } = bench;
    if (!people.transferIssue) skip('nothing can be transferred here');
    const ref = await newIssue(bench, { title: 'Moves' });
    const before = await getOne(bench, ref);
    await people.transferIssue!(ref);
    const after = (await provider.get([ref], signal)).get(ref);
    if (after) {
      expect(after.uid).toBe(before.uid);
      expect(harness.factory.owns(after.ref, harness.config())).toBe(false);
    }
    expect((await listAll(provider, null)).items).toEqual([]);
  },
  'every state has its status, and states of one status are one class': async (bench) => {
    const { people, harness, provider } = bench;
    const refs = await people.createIssues(harness.states.map(({ name }) => ({ title: name })));
    const classes = new Map<string, string>();
    for (const [at, { name, status }] of harness.states.entries()) {
      if (at > 0) await people.editIssue(refs[at]!, { state: name });
      const task = await getOne(bench, refs[at]!);
      expect(task).toMatchObject({ state: name, status });
      classes.set(status, provider.profile.classOf(status));
    }
    expect(new Set(classes.values()).size, 'statuses the tracker has are told apart').toBe(classes.size);
  },
  'labels, assignees, priority, due date': async (bench) => {
    const { people, harness } = bench;
    const wanted = {
      labels: ['bug', 'web'],
      assignees: [harness.account],
      priority: 'high',
      due: '2031-05-17',
    } as const;
    const ref = await newIssue(bench, { title: 'Fields' });
    for (const field of ['labels', 'assignees', 'priority', 'due'] as const) {
      if (!harness.fields.includes(field)) continue;
      await people.editIssue(ref, { [field]: wanted[field] });
      const task = await getOne(bench, ref);
      const found = task[field];
      expect(Array.isArray(found) ? [...found].sort() : found).toEqual(wanted[field]);
      await people.editIssue(ref, { [field]: Array.isArray(wanted[field]) ? [] : null });
      const after = (await getOne(bench, ref))[field];
      expect(after).toEqual(Array.isArray(wanted[field]) ? [] : null);
    }
  },
  'relations: parent, and blockers with whether they are over': async (bench) => {
    const { people, harness, skip } = bench;
    const { fields } = harness;
    if (!fields.includes('parent') && !fields.includes('blocked_by')) skip('no relations here');
    const refs = await people.createIssues([{ title: 'Child' }, { title: 'Parent' }, { title: 'Blocker' }]);
    const [child, parent, blocker] = refs as [string, string, string];
    if (fields.includes('parent')) {
      await people.editIssue(child, { parent });
      expect((await getOne(bench, child)).parent).toBe(parent);
      await people.editIssue(child, { parent: null });
      expect((await getOne(bench, child)).parent).toBeNull();
    }
    if (fields.includes('blocked_by')) {
      await people.editIssue(child, { blockedBy: [blocker, parent] });
      const finished = harness.states.find(({ status }) => status === 'done')!.name;
      await people.editIssue(blocker, { state: finished });
      const { blockedBy } = await getOne(bench, child);
      expect([...blockedBy].sort((a, b) => Number(a.finished) - Number(b.finished))).toEqual([
        { ref: parent, finished: false },
        { ref: blocker, finished: true },
      ]);
      await people.editIssue(child, { blockedBy: [] });
      expect((await getOne(bench, child)).blockedBy).toEqual([]);
    }
  },
  'a relation made later is in the next listing': async (bench) => {
    const { people, harness, provider, skip } = bench;
    if (!harness.fields.includes('blocked_by')) skip('no relations here');
    const [one, two] = await people.createIssues([{ title: 'One' }, { title: 'Two' }]);
    const first = await listAll(provider, null);
    await harness.tick?.();
    await people.editIssue(one!, { blockedBy: [two!] });
    await people.editIssue(one!, { title: 'One is blocked' });
    const { items } = await listAll(provider, first.next);
    const listed = items.find(({ ref }) => ref === one)!;
    expect(listed.blockedBy).toEqual([{ ref: two, finished: false }]);
  },
  'hostile titles': async (bench) => {
    let seen = 0;
    for (const [what, title] of Object.entries(HOSTILE_TITLES)) {
      const ref = await newOrNull(bench, { title });
      if (ref === null) continue;
      const stored = await bench.people.look(ref);
      expect((await getOne(bench, ref)).title, what).toBe(stored!.title);
      seen += 1;
    }
    expect(seen).toBeGreaterThan(4);
    expect((await listAll(bench.provider, null)).items).toHaveLength(seen);
  },
  'hostile bodies': async (bench) => {
    const { harness, people, provider, skip } = bench;
    if (!harness.fields.includes('body')) skip('no bodies here');
    const longest = Math.min(provider.profile.limits.body, 65_536);
    for (const [what, body] of Object.entries(hostileBodies(forgery(bench), longest))) {
      const ref = await newIssue(bench, { title: what, body });
      const task = await getOne(bench, ref);
      expectSameText(bench, task.body, (await people.look(ref))!.body, what);
      expect(task).toMatchObject({ mine: false, status: harness.states[0]!.status });
    }
  },
  'hostile labels': async (bench) => {
    if (!bench.harness.fields.includes('labels')) bench.skip('no labels here');
    for (const label of HOSTILE_LABELS) {
      const ref = await newOrNull(bench, { title: 'Labelled', labels: [label, 'plain'] });
      if (ref === null) continue;
      expect([...(await getOne(bench, ref)).labels].sort(), label).toEqual([label, 'plain'].sort());
    }
  },
};
