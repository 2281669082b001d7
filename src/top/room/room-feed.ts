// The facts of the room as they change, for the screen: a client that asks what changed when something was heard of. It changes
// over by itself when a daemon starts or ends.

import type { Paint } from '../../cli/paint.ts';
import { formatProblem, type Problem } from '../../core/errors.ts';
import { isOver } from '../../core/rules/turn.ts';
import { type Effects, sleep, type Timer } from '../../effects.ts';
import type { TopRequest } from '../../server/shapes/faces.ts';
import type { TaskRow } from '../../tasks/shapes/task.ts';
import { NO_FACTS, type RoomFacts } from '../model/room-facts.ts';
import { type Call, openSource, type Source } from './source.ts';
import { createForeground, createSaidLines } from './turn-output.ts';

export type RoomFeed = Awaited<ReturnType<typeof openRoomFeed>>;

const RECONNECT_MS = 500;
/** What no event tells of shows after so long. */
const POLL_MS = 3_000;
const ENDED_TURNS = 50;

interface Feed {
  asked: TopRequest;
  source: Source;
  /** Of the source that is asked now. */
  call: Call;
  onChange(): void;
  facts: RoomFacts;
  /** The tasks as far as they are known, by path. */
  rows: Map<string, TaskRow>;
  order: readonly string[];
  version: string;
  /** Rows are new that `facts` does not hold yet. */
  isBehind: boolean;
  /** The words whose texts are searched for, and where they were found. */
  found: Map<string, ReadonlySet<string> | null>;
  choresShown: boolean;
  looks: Record<'tasks' | 'turns' | 'inbox' | 'chores' | 'texts', ReturnType<typeof createPaced>>;
  said: ReturnType<typeof createSaidLines>;
  closing: AbortController;
}

/** Resolves once the room was looked at for the first time. @throws RoomError as the room can't be opened, `room_gone` */
export async function openRoomFeed(asked: TopRequest, paint: Paint, onChange: () => void) {
  const { effects } = asked;
  const source = await openSource(asked);
  const feed = {
    asked,
    source,
    onChange,
    rows: new Map(),
    order: [],
    version: '',
    found: new Map(),
  } as unknown as Feed;
  feed.call = (name, input) => feed.source.call(name, input);
  const { dir } = await feed.call('roomFacts', {});
  feed.facts = { ...NO_FACTS, name: dir.split('/').at(-1) || dir, link: source.link };
  Object.assign(feed, { isBehind: false, choresShown: false, closing: new AbortController() });
  feed.said = createSaidLines(feed.call, effects, (said) => change(feed, { said }));
  const paced = (restMs: number, restTimes: number, look: (feed: Feed) => Promise<void>) =>
    createPaced(effects, restMs, restTimes, () => guarded(feed, look));
  feed.looks = {
    tasks: paced(40, 2, lookAtTasks),
    turns: paced(190, 20, lookAtTurns),
    inbox: paced(490, 60, lookAtInbox),
    chores: paced(900, 30, lookAtChores),
    texts: paced(300, 10, lookForWords),
  };
  for (const look of [lookAtTasks, lookAtTurns, lookAtInbox]) await look(feed);
  const over = Promise.all([follow(feed), poll(feed)]);
  const foreground = createForeground(feed.call, effects, paint, (open) => change(feed, { open }));
  return {
    facts: () => factsNow(feed),
    foreground,
    /** Looks at everything soon. */
    refresh() {
      feed.source.lookAtAll();
      askAll(feed);
    },
    /** The person looks at chores and mirrors: only then they are looked at. */
    showChores(isShown: boolean) {
      feed.choresShown = isShown;
      if (isShown) feed.looks.chores.ask();
    },
    /** The texts of tasks are searched for these words. */
    searchFor: (words: readonly string[]) => searchFor(feed, words),
    async close() {
      feed.closing.abort();
      feed.said.close();
      foreground.close();
      for (const look of Object.values(feed.looks)) look.close();
      await over;
      await feed.source.close();
    },
  };
}

/** Follows one source after another. */
async function follow(feed: Feed): Promise<void> {
  const { asked, closing } = feed;
  const { signal } = closing;
  const heard = (link: RoomFacts['link']) => {
    if (link !== feed.facts.link) change(feed, { link });
    askAll(feed);
  };
  while (!signal.aborted) {
    await feed.source.follow(heard, signal);
    if (signal.aborted) return;
    change(feed, { link: asked.elsewhere === null ? 'files' : 'lost' });
    if (asked.elsewhere === null) await guarded(feed, changeOver);
    else await sleep(asked.effects, RECONNECT_MS, signal);
  }
}

/** With the daemon the ledger may be another one: it may have been made, or set aside and begun anew. */
async function changeOver(feed: Feed): Promise<void> {
  const { asked, closing, source: old } = feed;
  try {
    feed.source = await openSource(asked);
  } catch (error) {
    await sleep(asked.effects, RECONNECT_MS, closing.signal);
    throw error;
  }
  feed.version = '';
  if (feed.source.link !== feed.facts.link) change(feed, { link: feed.source.link });
  askAll(feed);
  await old.close();
}

async function poll(feed: Feed): Promise<void> {
  for (const { signal } = feed.closing; !signal.aborted; ) {
    await sleep(feed.asked.effects, POLL_MS, signal);
    if (feed.facts.link === 'live') askAll(feed);
  }
}

function change(feed: Feed, facts: Partial<RoomFacts>): void {
  feed.facts = { ...feed.facts, ...facts };
  if (!feed.closing.signal.aborted) feed.onChange();
}

function askAll({ looks, choresShown }: Feed): void {
  looks.tasks.ask();
  looks.turns.ask();
  looks.inbox.ask();
  if (choresShown) looks.chores.ask();
}

/** What the room does not let be read now is told on the screen until it can be. */
async function guarded(feed: Feed, look: (feed: Feed) => Promise<void>): Promise<void> {
  try {
    await look(feed);
    if (feed.facts.trouble !== null) change(feed, { trouble: null });
  } catch (error) {
    if (!feed.closing.signal.aborted)
      change(feed, { trouble: error instanceof Error ? error.message : String(error) });
  }
}

async function lookAtTasks(feed: Feed): Promise<void> {
  const { tasks, order, version } = await feed.call('list', { since: feed.version });
  feed.version = version ?? '';
  if (tasks.length === 0 && order === undefined) return;
  for (const row of tasks) feed.rows.set(row.path, row);
  if (order !== undefined) {
    feed.order = order;
    feed.rows = new Map(order.map((path) => [path, feed.rows.get(path)!]));
  }
  feed.isBehind = true;
  change(feed, {});
}

/** The list of tasks is put together once a frame, however many changed since. */
function factsNow(feed: Feed): RoomFacts {
  if (feed.isBehind) feed.facts = { ...feed.facts, tasks: feed.order.map((path) => feed.rows.get(path)!) };
  feed.isBehind = false;
  return feed.facts;
}

async function lookAtTurns(feed: Feed): Promise<void> {
  const { turns: running } = await feed.call('listTurns', { state: 'running', limit: 1000 });
  const limit = ENDED_TURNS + running.length;
  const { turns: newest } = await feed.call('listTurns', { pending: false, limit });
  const ended = newest.filter(({ state }) => isOver(state));
  ended.sort((a, b) => timeOf(b.ended_at) - timeOf(a.ended_at));
  const { workers: all, places } = await feed.call('listWorkers', {});
  const workers = places === null ? null : all.filter(({ live }) => live).length;
  change(feed, { running, ended, workers, places: places ?? {} });
  feed.said.follow(running);
}

const timeOf = (at: string | null) => (at === null ? 0 : Date.parse(at));

async function lookAtInbox(feed: Feed): Promise<void> {
  change(feed, await feed.call('inbox', {}));
}

async function lookAtChores(feed: Feed): Promise<void> {
  const { chores, invalid } = await feed.call('listChores', {});
  const problems = invalid.flatMap((file) => file.problems as Problem[]);
  const { mirrors } = await feed.call('listMirrors', {});
  // How the mirrors of each chore stand: `12 in sync, 1 conflict`.
  const text = (some: typeof mirrors) =>
    [...Map.groupBy(some, ({ state }) => state)]
      .map(([state, { length }]) => `${length} ${state.replaceAll('_', ' ')}`)
      .join(', ');
  const byChore = Map.groupBy(mirrors, ({ chore }) => chore);
  const counted = new Map([...byChore].map(([chore, some]) => [chore, text(some)]));
  change(feed, { chores, brokenChores: problems.map(formatProblem), mirrors: counted });
}

function searchFor({ found, looks }: Feed, words: readonly string[]): void {
  for (const word of found.keys()) if (!words.includes(word)) found.delete(word);
  for (const word of words) if (!found.has(word)) found.set(word, null);
  if ([...found.values()].includes(null)) looks.texts.ask();
}

async function lookForWords(feed: Feed): Promise<void> {
  for (const [word, paths] of feed.found) {
    if (paths !== null) continue;
    const { tasks } = await feed.call('list', { all: true, text: word });
    if (feed.found.has(word)) feed.found.set(word, new Set(tasks.map(({ path }) => path)));
  }
  change(feed, {
    found: new Map([...feed.found].flatMap(([word, paths]) => (paths === null ? [] : [[word, paths]]))),
  });
}

/**
 * A look that is asked for more often than it is worth: one at a time, the first at once, and afterwards a rest that grows with
 * what a look costs, so that a large room never takes more than its share of the processor.
 * @param restTimes the rest is this many times as long as the look took
 */
function createPaced(effects: Effects, restMs: number, restTimes: number, look: () => Promise<void>) {
  let isAsked = false;
  let isBusy = false;
  let isClosed = false;
  let timer: Timer | null = null;
  async function run(): Promise<void> {
    isBusy = true;
    isAsked = false;
    const began = effects.monotonicMs();
    await look();
    const rest = Math.max(restMs, (effects.monotonicMs() - began) * restTimes);
    if (isClosed) return;
    timer = effects.setTimer(rest, () => {
      isBusy = false;
      if (isAsked) void run();
    });
  }
  return {
    /** There may be something new. */
    ask() {
      isAsked = true;
      if (!isBusy && !isClosed) void run();
    },
    close() {
      isClosed = true;
      timer?.cancel();
    },
  };
}
