// The facts of the room as they change, for the screen: files by their watch, turns and everything else when the daemon tells
// of something or the ledger changed. Reads only; when a daemon starts or ends meanwhile, it changes over.

import { formatProblem, type Problem } from '../../../core/errors.ts';
import { isOver } from '../../../core/rules/turn.ts';
import type { Effects, Timer } from '../../../effects.ts';
import type { RoomClient } from '../../../runtime.ts';
import type { Paint } from '../../cli/paint.ts';
import { NO_FACTS, type RoomFacts } from '../model/room-facts.ts';
import { createEventLink, type EventLink } from './event-link.ts';
import { createForeground } from './foreground.ts';
import { createPaced, type Paced } from './paced.ts';
import { createSaidLines, type SaidLines } from './said-lines.ts';
import type { LiveTasks, Surroundings, TaskWatch } from './surroundings.ts';

export type RoomFeed = Awaited<ReturnType<typeof openRoomFeed>>;

interface FeedOptions {
  /** Opens the room to read it. @throws RoomError */
  openRoom(): Promise<RoomClient>;
  effects: Effects;
  paint: Paint;
  around: Surroundings;
  /** The facts are others now. */
  onChange(): void;
}

/** How often the ledger is asked whether it changed, and where no daemon tells anything whether one is there. */
const TICK_MS = 100;
const LINK_TICKS = 5;
/** Lost hints cost this much time; where nothing watches, each change does. */
const SWEEP_TICKS = 300;
const BLIND_TICKS = 30;
const ENDED_TURNS = 50;

interface Feed extends FeedOptions {
  runtime: RoomClient;
  live: LiveTasks;
  /** Files that are said to have changed. */
  hints: Set<string>;
  everything: boolean;
  facts: RoomFacts;
  version: number;
  isClosed: boolean;
  /** Without one the room was opened with an empty one in memory. */
  hasLedger: boolean;
  choresShown: boolean;
  looks: Record<'files' | 'turns' | 'inbox' | 'chores', Paced>;
  said: SaidLines;
  watch: TaskWatch;
  link: EventLink;
  timer: Timer | null;
}

/** Resolves once the room was looked at for the first time. @throws RoomError as `openRoom`, `room_gone` */
export async function openRoomFeed(options: FeedOptions) {
  const runtime = await options.openRoom();
  const live = await options.around.live(runtime);
  const { dir } = await runtime.tasks.call('roomFacts', {}, runtime.caller, true);
  const name = dir.split('/').at(-1) || dir;
  const facts = { ...NO_FACTS, name, link: options.around.isElsewhere ? ('lost' as const) : NO_FACTS.link };
  const feed = { ...options, runtime, live, facts, hints: new Set(), everything: true } as Feed;
  Object.assign(feed, { isClosed: false, choresShown: false, timer: null, version: live.version() });
  const { effects, around } = options;
  feed.hasLedger = around.hasLedger(runtime);
  feed.said = createSaidLines(feed, (said) => change(feed, { said }));
  feed.looks = {
    files: createPaced(effects, around.filePace, () => guarded(feed, () => lookAtFiles(feed))),
    turns: createPaced(effects, { restMs: 190, restTimes: 20 }, () => guarded(feed, () => lookAtTurns(feed))),
    inbox: createPaced(effects, { restMs: 490, restTimes: 60 }, () => guarded(feed, () => lookAtInbox(feed))),
    chores: createPaced(effects, { restMs: 900, restTimes: 30 }, () =>
      guarded(feed, () => lookAtChores(feed)),
    ),
  };
  feed.watch = around.watch(runtime, (path) => hint(feed, path));
  feed.link = createEventLink(effects, around.events(runtime), {
    onConnected: () => changeOver(feed, 'live'),
    onLost: () => changeOver(feed, around.isElsewhere ? 'lost' : 'files'),
    onEvent: (nameOf) => {
      const name = feed.watch.isWatching() || around.isElsewhere ? null : nameOf();
      if (name !== null) hint(feed, `tasks/${name}.md`);
      if (around.isElsewhere) feed.looks.files.ask();
      askAll(feed);
    },
  });
  for (const look of [lookAtFiles, lookAtTurns, lookAtInbox]) await look(feed);
  feed.link.connect();
  tick(feed, 1);
  const foreground = createForeground(feed, (open) => change(feed, { open }));
  return {
    facts: () => factsNow(feed),
    foreground,
    /** Looks at everything soon. */
    refresh() {
      feed.everything = true;
      feed.looks.files.ask();
      askAll(feed);
    },
    /** The person looks at chores and mirrors: only then they are looked at. */
    showChores(isShown: boolean) {
      feed.choresShown = isShown;
      if (isShown) feed.looks.chores.ask();
    },
    async close() {
      feed.isClosed = true;
      feed.timer?.cancel();
      feed.watch.close();
      feed.link.close();
      feed.said.close();
      foreground.close();
      for (const look of Object.values(feed.looks)) look.close();
      await feed.runtime.close();
    },
  };
}

function change(feed: Feed, facts: Partial<RoomFacts>): void {
  feed.facts = { ...feed.facts, ...facts };
  if (!feed.isClosed) feed.onChange();
}

function hint(feed: Feed, path: string): void {
  feed.hints.add(path);
  feed.looks.files.ask();
}

function askAll({ looks, choresShown }: Feed): void {
  looks.turns.ask();
  looks.inbox.ask();
  if (choresShown) looks.chores.ask();
}

/** What the room does not let be read now is told on the screen until it can be. */
async function guarded(feed: Feed, look: () => Promise<void>): Promise<void> {
  try {
    await look();
    if (feed.facts.trouble !== null) change(feed, { trouble: null });
  } catch (error) {
    if (feed.isClosed) return;
    change(feed, { trouble: error instanceof Error ? error.message : String(error) });
  }
}

async function lookAtFiles(feed: Feed): Promise<void> {
  const { live } = feed;
  const paths = feed.everything ? null : [...feed.hints];
  feed.everything = false;
  feed.hints.clear();
  await live.look(paths);
  change(feed, {});
}

/** The list of tasks is put together once a frame, however many files changed since. */
function factsNow(feed: Feed): RoomFacts {
  const tasks = feed.live.tasks();
  if (tasks !== feed.facts.tasks) feed.facts = { ...feed.facts, tasks };
  return feed.facts;
}

async function lookAtTurns(feed: Feed): Promise<void> {
  const { runtime, live } = feed;
  if (!feed.around.isElsewhere) await live.look([]);
  const { tasks, caller } = runtime;
  const { turns: running } = await tasks.call('listTurns', { state: 'running', limit: 1000 }, caller, true);
  const limit = ENDED_TURNS + running.length;
  const { turns: newest } = await tasks.call('listTurns', { pending: false, limit }, caller, true);
  const ended = newest.filter(({ state }) => isOver(state));
  ended.sort((a, b) => timeOf(b.ended_at) - timeOf(a.ended_at));
  const { workers: all, places } = await runtime.tasks.call('listWorkers', {}, runtime.caller);
  const workers = places === null ? null : all.filter(({ live }) => live).length;
  change(feed, { running, ended, workers, places: places ?? {} });
  feed.said.follow(running);
}

const timeOf = (at: string | null) => (at === null ? 0 : Date.parse(at));

async function lookAtInbox(feed: Feed): Promise<void> {
  change(feed, await feed.runtime.tasks.call('inbox', {}, feed.runtime.caller, true));
}

async function lookAtChores(feed: Feed): Promise<void> {
  const { tasks, caller } = feed.runtime;
  const { chores, invalid } = await tasks.call('listChores', {}, caller);
  const brokenChores = invalid.flatMap(({ problems }) =>
    problems.map((each) => formatProblem(each as Problem)),
  );
  change(feed, { chores, brokenChores, mirrors: await countMirrors(feed.runtime) });
}

/** How the mirrors of each chore stand: `12 in sync, 1 conflict`. */
async function countMirrors(runtime: RoomClient): Promise<Map<string, string>> {
  const { mirrors } = await runtime.tasks.call('listMirrors', {}, runtime.caller);
  const text = (some: typeof mirrors) =>
    [...Map.groupBy(some, ({ state }) => state)]
      .map(([state, { length }]) => `${length} ${state.replaceAll('_', ' ')}`)
      .join(', ');
  return new Map([...Map.groupBy(mirrors, ({ chore }) => chore)].map(([chore, some]) => [chore, text(some)]));
}

/** Of changes of files. */
function hears({ watch, around, facts }: Feed): boolean {
  return watch.isWatching() || (around.isElsewhere && facts.link === 'live');
}

function tick(feed: Feed, count: number): void {
  feed.timer = feed.effects.setTimer(TICK_MS, () => {
    if (feed.isClosed) return;
    if (count % (hears(feed) ? SWEEP_TICKS : BLIND_TICKS) === 0) {
      feed.everything = true;
      feed.watch.renew();
      feed.looks.files.ask();
      askAll(feed);
    }
    if (feed.facts.link !== 'live' && count % LINK_TICKS === 0) feed.link.connect();
    if (!feed.hasLedger && count % LINK_TICKS === 0) changeOver(feed, feed.facts.link);
    const version = feed.live.version();
    if (version !== feed.version) askAll(feed);
    feed.version = version;
    tick(feed, count + 1);
  });
}

/** With the daemon the ledger may be another one: it may have been made, or set aside and begun anew. */
function changeOver(feed: Feed, link: RoomFacts['link']): void {
  if (feed.isClosed) return;
  if (link !== feed.facts.link) change(feed, { link });
  else if (!feed.around.hasLedger(feed.runtime)) return;
  feed.hasLedger = true;
  void guarded(feed, async () => {
    const old = feed.runtime;
    const runtime = await feed.openRoom();
    const live = await feed.around.live(runtime);
    await live.look(null);
    if (feed.isClosed) return runtime.close();
    Object.assign(feed, { runtime, live, version: live.version() });
    change(feed, {});
    askAll(feed);
    await old.close();
  });
}
