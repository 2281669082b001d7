// Whether a file and its issue say the same in every field that is pushed, and the same comments. Compared here by
// other means than the engine's own.

import { parseDocument } from '../../../src/core/document/document.ts';
import { readComments } from '../../../src/core/task/body/entries.ts';
import { readTask } from '../../../src/core/task/read-task.ts';
import { isFinished } from '../../../src/core/task/status.ts';
import type { Base } from '../../../src/sync/plan/plan-data.ts';
import { splitMarker } from '../../support/memory-provider/reading.ts';
import type { MemoryIssue } from '../../support/memory-provider/tracker.ts';
import { bodyIn } from './local-steps.ts';
import { wordsOf } from './typed-words.ts';
import type { World } from './world.ts';

/** Where a followed file and its issue differ. */
export function compareSides(world: World): string[] {
  return world.sync.mirrors().flatMap((mirror) => {
    const row = world.deps.ledger.mirrors.get(mirror.task)!;
    if (mirror.state === 'detached') return [];
    const issue = world.tracker.find(row.uid);
    // No listing shows one that is over and left the source, and nobody asks for it each day.
    if (!issue?.ref.startsWith('acme/web#') && isOver(row.base)) return [];
    if (issue === null) return [`${mirror.ref} is followed and was deleted`];
    if (mirror.state === 'pending' || mirror.state === 'error')
      return [`${mirror.ref} is left ${mirror.state}: ${mirror.message}, ${mirror.waiting} wait`];
    if (mirror.path === null || mirror.path.startsWith('archive/')) return [];
    const text = world.read(mirror.path);
    return [...compareFields(world, mirror.path, text, issue), ...compareComments(world, text, issue)].map(
      (line) => `${mirror.path} and ${issue.ref}: ${line}`,
    );
  });
}

function isOver(base: string | null): boolean {
  return base !== null && isFinished((JSON.parse(base) as Base).remote.status);
}

function compareFields(world: World, path: string, text: string, issue: MemoryIssue): string[] {
  const reading = readTask(path, text, null);
  if (!reading.ok) return ['the file can not be read'];
  const { task } = reading;
  const { tracker, setting } = world;
  const classOf = (status: string): string =>
    setting.workflow || ['done', 'canceled'].includes(status) ? status : 'open';
  const status = tracker.states.find(({ name }) => name === issue.state)!.status;
  const sorted = (list: readonly string[]): string => [...list].sort().join(' ');
  const bodyOf = (body: string): string => tracker.rewrite(body).replace(/\n+$/, '');
  const body = bodyIn(text);
  const theirs = splitMarker(issue.body).text;
  const facts: Record<string, [string, string] | null> = {
    title: task.title === null ? null : [task.title, issue.title],
    body: body === null ? null : [bodyOf(body), bodyOf(theirs)],
    status: [classOf(task.status), classOf(status)],
    labels: [sorted(task.labels), sorted(issue.labels)],
    priority: [String(task.priority), String(issue.priority)],
  };
  return Object.entries(facts)
    .filter(([field]) => setting.push.includes(field as never))
    .filter(([, pair]) => pair !== null && pair[0] !== pair[1])
    .map(([field, pair]) => `${field} ${JSON.stringify(pair![0])} is not ${JSON.stringify(pair![1])}`);
}

function compareComments(world: World, text: string, issue: MemoryIssue): string[] {
  const { setting, tracker } = world;
  const parsed = parseDocument(text, 'x.md');
  if (!parsed.ok) return [];
  const body = text.slice(parsed.doc.bodyStart);
  const mine = issue.comments.filter(({ author }) => author === tracker.account).map((one) => one.body);
  const shown = new Map(readComments(body).map((entry) => [entry.id, entry.text]));
  const problems: string[] = [];
  for (const { id, author, body: said } of issue.comments) {
    if (author === tracker.account) continue;
    const entry = shown.get(`memory:${id}`);
    const there = wordsOf(entry ?? '');
    // One that a person took out of the file stays out; one they edited there holds a word of theirs.
    if (
      entry === undefined
        ? world.words.tookOut(`memory:${id}`)
        : [...there].some((word) => !wordsOf(said).has(word))
    )
      continue;
    const missing = [...wordsOf(said)].filter((word) => !there.has(word));
    if (missing.length > 0) problems.push(`comment ${id} lacks ${missing.join(' ')}`);
  }
  if (setting.push.includes('progress') && mine.filter((one) => one.startsWith('**Progress**')).length > 1)
    problems.push('two comments with Progress');
  const spoken = world.deps.ledger.postedComments.among([...shown.keys()]);
  if (setting.push.includes('comments'))
    for (const entry of spoken) {
      const word = [...wordsOf(shown.get(entry)!)][0];
      if (word !== undefined && world.words.holds(word) && !mine.some((one) => one.includes(word)))
        problems.push(`what was said as ${entry} (${word}) is not upstream`);
    }
  return problems;
}
