// The pure parts of the Taskwarrior provider: labels, days, records, keys, cursors.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RemoteTask } from '../../../src/providers/provider.ts';
import { listPages } from '../../../src/providers/taskwarrior/database.ts';
import {
  labelOf,
  labelsOf,
  parseExport,
  tagOf,
  uuidOfKey,
  withLabels,
} from '../../../src/providers/taskwarrior/record.ts';
import { createCalendar } from '../../../src/providers/taskwarrior/to-remote-task.ts';
import { forAll } from '../../support/for-all.ts';

const UUID = '6f0e1a52-0000-4000-8000-000000000001';
describe('labels', () => {
  it.each([
    ['agent', 'agent'],
    ['good-first-issue', 'good-first-issue'],
    ['a, b: [c]', 'a%2C%20b%3A%20%5Bc%5D'],
    ['50%', '50%'],
    ['%2C', '%252C'],
    ['&open;', '%26open;'],
    ['ünï🧨', 'ünï🧨'],
  ])('%s is the tag %s', (label, tag) => {
    expect(tagOf(label)).toBe(tag);
    expect(labelOf(tag)).toBe(label);
  });

  it('every label comes back from its tag, and no tag holds what Taskwarrior would change', () => {
    const labels = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.stringMatching(/^[%:,&\][ 0-9A-F]+$/),
    );
    forAll(300, labels, (label) => {
      fc.pre(label.isWellFormed());
      expect(labelOf(tagOf(label))).toBe(label);
      expect(tagOf(label)).not.toMatch(/[\s,:"'\\&[\]]/);
    });
  });

  it('two labels never share a tag', () => {
    forAll(300, fc.stringMatching(/^[%2C,]{1,6}$/), fc.stringMatching(/^[%2C,]{1,6}$/), (one, other) => {
      expect(tagOf(one) === tagOf(other)).toBe(one === other);
    });
  });

  it("a person's own tag that looks half escaped stands for itself", () => {
    for (const tag of ['%41', '%zz', '%2c', '%FF', '%E2%82']) expect(labelOf(tag)).toBe(tag);
  });

  it('the first project label is the project, another one a tag', () => {
    const record = { uuid: UUID, tags: ['agent'] };
    const both = withLabels(record, { add: ['project:Home', 'project:Work.web', 'project:'], remove: [] });
    expect(both).toMatchObject({ project: 'Home', tags: ['agent', 'project%3AWork.web', 'project%3A'] });
    expect(labelsOf(both)).toEqual(['project:Home', 'agent', 'project:Work.web', 'project:']);
    const moved = withLabels(both, {
      add: ['project:Garden'],
      remove: ['project:Home', 'project:', 'agent'],
    });
    expect(moved).toMatchObject({ project: 'Garden', tags: ['project%3AWork.web'] });
    const bare = withLabels(moved, { add: [], remove: labelsOf(moved) });
    expect(bare).toEqual({ uuid: UUID });
  });

  it('a removed label takes the tag with it, however the person wrote that', () => {
    const record = { uuid: UUID, tags: ['%41', 'x%20y'] };
    expect(labelsOf(withLabels(record, { add: [], remove: ['x y'] }))).toEqual(['%41']);
    expect(labelsOf(withLabels(record, { add: ['x y'], remove: ['%41'] }))).toEqual(['x y']);
  });
});

describe('days', () => {
  const berlin = createCalendar({ TZ: 'Europe/Berlin' });
  const second = (iso: string): number => Date.parse(iso) / 1000;

  it.each([
    ['2026-12-01', '2026-11-30T23:00:00Z'],
    ['2026-03-29', '2026-03-28T23:00:00Z'],
    ['2026-03-30', '2026-03-29T22:00:00Z'],
    ['2026-10-26', '2026-10-25T23:00:00Z'],
  ])('%s begins at %s in Berlin', (day, iso) => {
    expect(berlin.momentOf(day, null)).toBe(second(iso));
    expect(berlin.dayOf(second(iso))).toBe(day);
    expect(berlin.dayOf(second(iso) - 1)).not.toBe(day);
  });

  it.each([
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00Z'],
    ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00Z'],
    ['America/Sao_Paulo', '2013-10-20', '2013-10-20T03:00:00Z'],
  ])('where the clocks skip midnight (%s), %s begins an hour later', (zone, day, iso) => {
    const calendar = createCalendar({ TZ: zone });
    expect(calendar.momentOf(day, null)).toBe(second(iso));
    expect(calendar.dayOf(second(iso))).toBe(day);
    // As a task that is due at midnight is moved to that day.
    expect(calendar.dayOf(calendar.momentOf(day, calendar.momentOf('2013-01-15', null)))).toBe(day);
  });

  it('a day comes back from its beginning in every zone', () => {
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      const calendar = createCalendar({ TZ: zone });
      const check = (date: Date): void => {
        const day = date.toISOString().slice(0, 10);
        expect([zone, calendar.dayOf(calendar.momentOf(day, null))]).toEqual([zone, day]);
      };
      // Not before 2012: some zones skipped a whole day until then.
      const days = fc.date({ min: new Date('2012-01-01'), max: new Date('2090-01-01'), noInvalidDate: true });
      forAll(5, days, check);
    }
  });
});

describe('records', () => {
  it('control characters that Taskwarrior 2.6 prints as they are do not break the whole export', () => {
    const text = `[\n{"id":1,"description":"a\u0001b\u001b[31m\u000bc","uuid":"${UUID}","urgency":1.5},\n{"description":"x\\ty","uuid":"${uuidOfKey('aaaaaaaa')}"}\n]\n`;
    const [first, other] = parseExport(text);
    expect(first).toEqual({ uuid: UUID, description: 'a\u0001b\u001b[31m\u000bc' });
    expect(other).toMatchObject({ description: 'x\ty' });
  });

  it('reads one object a line, as rc.json.array=off prints', () => {
    expect(parseExport(`{"uuid":"${UUID}"},\n{"uuid":"${UUID.toUpperCase()}"}\n`)).toHaveLength(2);
    expect(parseExport('')).toEqual([]);
  });
});

describe('cursors', () => {
  const taskOf = (n: number, title = `task ${n}`, admitted = true) =>
    ({
      ref: uuidOfKey(`key${String(n).padStart(8, '0')}`),
      title,
      admitted,
      updatedAt: 1000 - (n % 7),
    }) as RemoteTask;
  const many = (count: number): RemoteTask[] => Array.from({ length: count }, (_, n) => taskOf(n));
  const read = (tasks: RemoteTask[], cursor: string | null, max?: number) => {
    const pages = [...listPages(tasks, cursor, max)];
    return { items: pages.flatMap(({ items }) => items), next: pages.at(-1)!.next, pages };
  };

  it('a change shows whatever its time says, and once', () => {
    const tasks = many(50);
    const first = read(tasks, null);
    const changed = tasks.with(7, { ...tasks[7]!, title: 'other', updatedAt: 3 });
    const second = read(changed, first.next);
    expect(second.items.map(({ title }) => title)).toEqual(['other']);
    expect(read(changed, second.next).items).toEqual([]);
    expect(read(tasks, second.next).items.map(({ title }) => title)).toEqual(['task 7']);
    expect(read(tasks, read(tasks, second.next).next).next).toBe(first.next);
  });

  it('is below 64 KB for any number of tasks, and still finds every change', () => {
    const tasks = many(9000);
    const first = read(tasks, null);
    expect(first.next.length).toBeLessThan(65_536);
    const changed = tasks.with(4321, { ...tasks[4321]!, title: 'other' });
    const second = read(changed, first.next);
    expect(second.items.map(({ title }) => title)).toContain('other');
    expect(second.items.length).toBeLessThan(12);
    expect(second.next.length).toBeLessThan(65_536);
    expect(read(changed, second.next).items).toEqual([]);
    expect(read(many(8192), null).next.length).toBeLessThan(65_536);
  });
});
