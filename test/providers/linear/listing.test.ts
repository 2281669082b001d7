import { describe, expect, test } from 'vitest';
import { linearFactory } from '../../../src/providers/linear/linear.ts';
import type { RemoteTask, SourceConfig } from '../../../src/providers/provider.ts';
import { listAll } from '../../conformance/provider-harness.ts';
import { forEachTest } from '../../support/for-each-test.ts';
import { addUser } from '../../support/linear-server/records.ts';
import { createLinearServer } from '../../support/linear-server/server.ts';
import { effectsWith, sourceOn } from './harness.ts';

const { signal } = new AbortController();
const effects = effectsWith({ LINEAR_API_KEY: 'lin_api_good' });
const server = forEachTest(() => createLinearServer());
const open = (change?: Partial<SourceConfig>) => linearFactory.open(sourceOn(server.url, change), effects);
const provider = forEachTest(() => open());

const refs = (items: readonly RemoteTask[]) => items.map(({ ref }) => ref);

/** So many issues, a millisecond apart, with two comments each. */
function addIssues(count: number, comments = 0): string[] {
  return Array.from({ length: count }, () => {
    server.tick(1);
    const ref = server.person.addIssue();
    for (let at = 0; at < comments; at += 1) server.person.addComment(ref, `comment ${at}`);
    return ref;
  });
}

async function operations(act: () => Promise<unknown>): Promise<string[]> {
  const before = server.asked.length;
  await act();
  return server.asked.slice(before).map(({ operation }) => operation);
}

describe('what a listing costs', () => {
  test('a first one: a poll and a request for fifty issues with their comments', async () => {
    addIssues(230, 2);
    const asked = await operations(() => listAll(provider, null));
    expect(asked).toEqual(['Poll', 'Issues', 'Issues', 'Issues', 'Issues', 'Issues']);
    expect(Math.max(...server.asked.map(({ complexity }) => complexity))).toBeLessThanOrEqual(10_000);
  });

  test('one with news: a poll and one request for what is new', async () => {
    const all = addIssues(100);
    const { next } = await listAll(provider, null);
    server.tick(1);
    server.person.editIssue(all[3]!, { title: 'new words' });
    server.person.addComment(all[7]!, 'a word');
    const asked = await operations(async () => {
      expect(refs((await listAll(provider, next)).items).sort()).toEqual(['ENG-4', 'ENG-8']);
    });
    expect(asked).toEqual(['Poll', 'Issues']);
  });
});

describe('nothing is lost', () => {
  test('what becomes visible late, below what was seen', async () => {
    addIssues(3);
    server.tick(30_000);
    const last = server.person.addIssue();
    const hidden = server.state.issues.splice(1, 1);
    const first = await listAll(provider, null);
    expect(refs(first.items)).toEqual(['ENG-1', 'ENG-3', last]);
    server.state.issues.push(...hidden);
    const second = await listAll(provider, first.next);
    expect(refs(second.items)).toEqual(['ENG-2']);
    expect((await listAll(provider, second.next)).items).toEqual([]);
  });

  test('more changes at once than a poll shows, oldest first', async () => {
    const all = addIssues(180);
    const first = await listAll(provider, null);
    server.tick(600_000);
    const changed = all.filter((_, at) => at % 3 !== 0).reverse();
    for (const ref of changed) {
      server.tick(1);
      server.person.editIssue(ref, { title: `new ${ref}` });
    }
    const second = await listAll(provider, first.next);
    expect(second.pages).toBeGreaterThan(2);
    const fresh = second.items.filter(({ title }) => title.startsWith('new '));
    expect(refs(fresh)).toEqual(changed);
    expect((await listAll(provider, second.next)).items).toEqual([]);
  });

  test('more comments at once than a poll shows', async () => {
    const all = addIssues(130);
    const first = await listAll(provider, null);
    server.tick(600_000);
    for (const ref of all) {
      server.tick(1);
      server.person.addComment(ref, 'said');
    }
    server.person.editIssue(all[5]!, { title: 'edited too' });
    const second = await listAll(provider, first.next);
    expect([...new Set(refs(second.items))].sort()).toEqual([...all].sort());
    expect(second.items.every(({ comments }) => comments.items[0]?.body === 'said')).toBe(true);
    expect((await listAll(provider, second.next)).items).toEqual([]);
  });

  test('a listing of many changes that was cut off goes on where it was', async () => {
    const all = addIssues(160);
    const first = await listAll(provider, null);
    server.tick(600_000);
    for (const ref of all) server.person.editIssue(ref, { title: `new ${ref}` });
    for (const ref of all) server.person.addComment(ref, 'and a word');
    const seen = new Map<string, number>();
    let cursor = first.next;
    for (let round = 0; round < 20; round += 1) {
      for await (const page of provider.list(cursor, signal)) {
        for (const { ref, title, comments } of page.items) {
          if (title.startsWith('new ')) seen.set(ref, comments.items.length);
        }
        cursor = page.next;
        break;
      }
    }
    expect(seen.size).toBe(160);
    expect([...seen.values()].every((count) => count === 1)).toBe(true);
  });

  test('hundreds of issues of one instant', async () => {
    for (let at = 0; at < 220; at += 1) server.person.addIssue();
    const { items, next } = await listAll(provider, null);
    expect(new Set(refs(items)).size).toBe(220);
    expect(items).toHaveLength(220);
    expect((await listAll(provider, next)).items).toEqual([]);
  });

  test('issues that are edited while the pages are read', async () => {
    const all = addIssues(260);
    let edits = 0;
    server.controls.intercept = ({ operation }) => {
      if (operation !== 'Issues' || edits >= 3) return null;
      // The very issues a page ended with: a cursor that names one would jump.
      for (const at of [49, 50, 98, 99, 148, 149]) {
        server.tick(1);
        server.person.editIssue(all[at]!, { title: `moved ${edits}` });
      }
      edits += 1;
      return null;
    };
    const first = await listAll(provider, null);
    const second = await listAll(provider, first.next);
    const known = new Map([...first.items, ...second.items].map(({ ref, title }) => [ref, title]));
    expect(known.size).toBe(260);
    for (const { number, title } of server.state.issues) expect(known.get(`ENG-${number}`)).toBe(title);
  });

  test('long conversations, many labels, many blockers', async () => {
    const labels = Array.from({ length: 33 }, (_, at) => `label ${at}`);
    const ref = server.person.addIssue({ labels });
    const blockers = addIssues(14);
    for (const blocker of blockers) server.person.relate(blocker, 'blocks', ref);
    server.person.relate(ref, 'blocks', blockers[0]!);
    server.person.relate(blockers[1]!, 'related', ref);
    for (let at = 0; at < 250; at += 1) {
      server.tick(1);
      server.person.addComment(ref, `comment ${at}`);
    }
    for (const task of [
      (await listAll(provider, null)).items.find((item) => item.ref === ref)!,
      (await provider.get([ref], signal)).get(ref)!,
    ]) {
      expect(task.comments.items.map(({ body }) => body)).toEqual(
        Array.from({ length: 250 }, (_, at) => `comment ${at}`),
      );
      expect(task.comments.complete).toBe(true);
      expect([...task.labels].sort()).toEqual([...labels].sort());
      expect(task.blockedBy.map((one) => one.ref).sort()).toEqual([...blockers].sort());
    }
  });
});

describe('what is where', () => {
  test('an archived issue is followed, and not let in', async () => {
    const [old, kept] = addIssues(2);
    server.person.archiveIssue(old!);
    const first = await listAll(provider, null);
    expect(refs(first.items)).toEqual([kept]);
    expect([...(await provider.get([old!, kept!], signal)).keys()].sort()).toEqual([old, kept]);
    server.tick(60_001);
    server.person.archiveIssue(kept!);
    expect(refs((await listAll(provider, first.next)).items)).toEqual([kept]);
  });

  test('an issue that is destroyed between two requests for it is left out', async () => {
    const [kept, talked] = addIssues(2);
    for (let at = 0; at < 30; at += 1) server.person.addComment(talked!, `comment ${at}`);
    server.controls.intercept = ({ operation }) => {
      if (operation === 'MoreComments') server.person.destroyIssue(talked!);
      return null;
    };
    expect(refs((await listAll(provider, null)).items)).toEqual([kept]);
    expect(server.asked.at(-1)!.operation).toBe('MoreComments');
  });

  test('a team that is not there is said to be not there, not empty', async () => {
    const other = await open({ source: 'NOPE' });
    await expect(listAll(other, null)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('who wrote it, and in what role', async () => {
    const { person, state } = server;
    const people = [
      person.addIssue({ by: addUser(state, 'Olga', { owner: true, admin: true }) }),
      person.addIssue({ by: addUser(state, 'Adam', { admin: true }) }),
      person.addIssue({ by: addUser(state, 'Mia') }),
      person.addIssue({ by: addUser(state, 'Gus', { guest: true }) }),
      person.addIssue({ by: addUser(state, 'Robot', { app: true }) }),
      person.addIssue({ externalCreator: 'Eve' }),
      person.addIssue({ by: state.users[0]! }),
    ];
    person.addComment(people[0]!, 'hello', { external: 'Eve' });
    const found = await provider.get(people, signal);
    const facts = people.map((ref) => found.get(ref)!).map(({ author, role, mine }) => [author, role, mine]);
    expect(facts).toEqual([
      ['olga', 'owner', false],
      ['adam', 'admin', false],
      ['mia', 'member', false],
      ['gus', 'guest', false],
      ['robot', 'app', false],
      ['Eve', 'none', false],
      ['bot', 'member', true],
    ]);
    expect(found.get(people[0]!)!.comments.items[0]).toMatchObject({
      author: 'Eve',
      role: 'none',
      mine: false,
    });
  });

  test('fields that are not asked for are silent', async () => {
    const ref = server.person.addIssue({ labels: ['x'], dueDate: '2031-01-01', priority: 1 });
    server.person.addComment(ref, 'unheard');
    const little = await open({ fields: ['title', 'body', 'status'] });
    const { items, next } = await listAll(little, null);
    expect(items[0]).toMatchObject({ labels: [], due: null, priority: null, commentCount: null });
    expect(items[0]!.comments).toEqual({ complete: false, items: [] });
    expect(items[0]!.silent).toEqual([
      ...['labels', 'assignees', 'priority', 'due', 'parent', 'blocked_by', 'comments'],
    ]);
    expect(little.profile.writable).toEqual(['title', 'body', 'status']);
    expect(little.comment).toBeUndefined();
    expect(await operations(() => listAll(little, next))).toEqual(['Poll']);
    expect(server.asked.at(-1)!.query).not.toMatch(/comments|labels|dueDate/);
  });
});
