// What must be true: at every moment, that no stranger's words run unread; after the faults stopped and two syncs, that
// both sides agree, nothing typed is lost, nothing was made twice, and another sync does nothing. Each broken promise is a line.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from '../../../src/core/document/document.ts';
import { readComments } from '../../../src/core/task/body/entries.ts';
import { readTask } from '../../../src/core/task/read-task.ts';
import { isFinished } from '../../../src/core/task/status.ts';
import type { Base } from '../../../src/sync/plan/plan-data.ts';
import { splitMarker } from '../../support/memory-provider/reading.ts';
import type { MemoryIssue } from '../../support/memory-provider/tracker.ts';
import { bodyIn, mendAll } from './local-steps.ts';
import { idIn } from './steps.ts';
import { wordsOf } from './typed-words.ts';
import type { World } from './world.ts';

const HOURS = 3 * 3_600_000;

/** At every moment: a task that could run holds no stranger's words in its title or body that no person read. */
export function judgeTrust(world: World): string[] {
  return world.paths().flatMap((path) => {
    const text = world.read(path);
    const reading = readTask(path, text, null);
    if (!reading.ok || reading.task.paused || isFinished(reading.task.status)) return [];
    if (reading.task.status === 'draft') return [];
    const unread = world.words.unread(`${reading.task.title ?? ''}\n${bodyIn(text) ?? ''}`);
    return unread.length === 0
      ? []
      : [`${path} may run with ${unread.join(', ')}, which nobody trusted wrote`];
  });
}

/** Ends the faults, lets two syncs run and looks at everything. */
export async function judgeEnd(world: World): Promise<string[]> {
  world.faults.clear();
  world.dieIn = 0;
  if (world.dead) world.restart(false);
  mendAll(world);
  for (const { ref, locked } of world.tracker.issues())
    if (locked) world.tracker.editIssue(ref, { locked: false });
  const problems: string[] = [];
  for (const round of [1, 2]) {
    world.later(HOURS);
    const error = await syncWhole(world);
    if (error !== null) problems.push(`sync ${round} after the faults: ${error}`);
  }
  return [
    ...problems,
    ...judgeTrust(world),
    ...judgeWords(world),
    ...judgeTwice(world),
    ...compareSides(world),
    ...(await judgeQuiet(world)),
  ];
}

async function syncWhole(world: World): Promise<string | null> {
  let report = await world.run({ full: true });
  // A guard that asks for a person's word gets it.
  if (report?.error?.code === 'refused') report = await world.run({ full: true, force: true });
  return report?.error ? `${report.error.code}: ${report.error.message}` : null;
}

function textsUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => !/ledger\.db|\.lock|\.kept$/.test(path) && statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'));
}

/** In a file, in the attic or upstream. */
function judgeWords(world: World): string[] {
  const { words, tracker, dir } = world;
  const upstream = tracker
    .issues()
    .flatMap(({ title, body, labels, comments }) => [
      title,
      body,
      ...labels,
      ...comments.map((one) => one.body),
    ]);
  return words.lostFrom([...textsUnder(dir), ...upstream]).map((word) => `${word} is lost`);
}

function judgeTwice(world: World): string[] {
  const problems = [...world.made]
    .filter(([, times]) => times > 1)
    .map(([key]) => `${key} was made twice upstream`);
  const refs = new Map<string, string[]>();
  const ids = new Map<string, string[]>();
  for (const path of world.paths()) {
    const text = world.read(path);
    const remote = /^remote: (\S+)$/m.exec(text)?.[1];
    if (remote !== undefined) refs.set(remote, [...(refs.get(remote) ?? []), path]);
    const id = idIn(text);
    if (id !== null) ids.set(id, [...(ids.get(id) ?? []), path]);
    const entries = [...text.matchAll(/<!-- c:(\S+) -->/g)].map((found) => found[1]!);
    const twice = entries.filter((entry, at) => entries.indexOf(entry) !== at);
    problems.push(...twice.map((entry) => `${path} shows comment ${entry} twice`));
  }
  for (const [ref, paths] of [...refs, ...ids])
    if (paths.length > 1) problems.push(`${ref} stands in ${paths.join(' and ')}`);
  return problems;
}

/** Everything a sync could change, as text. */
function pictureOf(world: World): Map<string, string> {
  const picture = new Map<string, string>();
  for (const path of [...world.paths(), 'task_mirrors.json']) {
    try {
      picture.set(path, world.read(path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  picture.set(
    'attic',
    readdirSync(join(world.dir, '.taskroom'), { recursive: true }).filter(isKept).sort().join('\n'),
  );
  const wakes = world.deps.ledger.mirrors.list().map(({ task }) => [task, world.deps.ledger.wakes.of(task)]);
  picture.set('wakes', JSON.stringify(wakes));
  picture.set('upstream', JSON.stringify(world.tracker.issues()));
  return picture;
}

const isKept = (name: string | Buffer): boolean => String(name).startsWith('attic/');

async function judgeQuiet(world: World): Promise<string[]> {
  await world.takeIn();
  const before = pictureOf(world);
  const { writes } = world.faults;
  const calls = world.faults.calls.length;
  world.later(61_000);
  const report = await world.run();
  const after = pictureOf(world);
  const problems: string[] = [];
  if (world.faults.writes !== writes)
    problems.push(`a further sync wrote upstream: ${world.faults.calls.slice(calls).join(', ')}`);
  for (const [key, text] of after)
    if (before.get(key) !== text)
      problems.push(`a further sync changed ${key}:\n${before.get(key)}\n-- to --\n${text}`);
  const { updated = 0, created = 0, conflicts = 0, waiting = 0, detached = 0 } = report ?? {};
  if (updated + created + conflicts + waiting + detached > 0)
    problems.push(`a further sync says it did something: ${JSON.stringify(report)}`);
  return problems;
}

// Whether a file and its issue say the same in every field that is pushed, and the same comments. Compared here by
// other means than the engine's own.
/** Where a followed file and its issue differ. */
function compareSides(world: World): string[] {
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
