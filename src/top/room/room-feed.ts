// The facts of the room as they change, for the screen: a client that asks what changed when something was heard of. It changes
// over by itself when a daemon starts or ends.
import type { Paint } from '../../cli/paint.ts';
import { formatProblem, type Problem } from '../../core/errors.ts';
import { createRounds } from '../../core/keyed-mutex.ts';
import { isOver } from '../../core/rules/turn.ts';
import { formatFilter } from '../../core/task/filter.ts';
import { type Effects, sleep } from '../../effects.ts';
import type { TopRequest } from '../../server/shapes/faces.ts';
import type { TaskRow } from '../../tasks/shapes/task.ts';
import { NO_FACTS, type RoomFacts } from '../model/screen-state.ts';
import { type Call, openSource, type Source } from './source.ts';
import { createForeground, createSaidLines } from './turn-output.ts';

const RECONNECT_MS = 500;
const POLL_MS = 3_000; // What no event tells of shows after so long.
const MOST_REST_MS = 2_000; // A busy machine makes a look slow too: nobody waits for its share of the processor longer.
const ENDED_TURNS = 50;

export class RoomFeed {
  readonly foreground: ReturnType<typeof createForeground>;
  readonly #request: TopRequest;
  readonly #onChange: () => void;
  readonly #said: ReturnType<typeof createSaidLines>;
  readonly #closing = new AbortController();
  #source: Source;
  #facts: RoomFacts;
  #over: Promise<unknown> = Promise.resolve();
  /** The tasks as far as they are known, by path. */
  #rows = new Map<string, TaskRow>();
  #order: readonly string[] = [];
  #version = '';
  /** Rows are new that `facts` does not hold yet. */
  #isBehind = false;
  /** The words whose texts are searched for, and where they were found. */
  readonly #found = new Map<string, ReadonlySet<string> | null>();
  #choresShown = false;
  readonly #looks;

  private constructor(request: TopRequest, source: Source, paint: Paint, onChange: () => void) {
    const { effects } = request;
    this.#request = request;
    this.#source = source;
    this.#onChange = onChange;
    this.#facts = { ...NO_FACTS, link: source.link };
    const call: Call = (name, input) => this.#source.call(name, input);
    this.foreground = createForeground(call, effects, paint, (open) => this.#change({ open }));
    this.#said = createSaidLines(call, effects, (said) => this.#change({ said }));
    const paced = (restMs: number, restTimes: number, look: () => Promise<void>) =>
      createPaced(effects, this.#closing.signal, restMs, restTimes, () => this.#guarded(look));
    this.#looks = {
      tasks: paced(40, 2, () => this.#lookAtTasks()),
      turns: paced(190, 20, () => this.#lookAtTurns()),
      inbox: paced(490, 60, () => this.#lookAtInbox()),
      chores: paced(900, 30, () => this.#lookAtChores()),
      texts: paced(300, 10, () => this.#lookForWords()),
    };
  }

  /** Resolves once the room was looked at for the first time. @throws RoomError as the room can't be opened, `room_gone` */
  static async open(request: TopRequest, paint: Paint, onChange: () => void): Promise<RoomFeed> {
    const feed = new RoomFeed(request, await openSource(request), paint, onChange);
    const { dir } = await feed.#source.call('roomFacts', {});
    feed.#facts = { ...feed.#facts, name: dir.split('/').at(-1) || dir };
    await feed.#lookAtTasks();
    await feed.#lookAtTurns();
    await feed.#lookAtInbox();
    feed.#over = Promise.all([feed.#follow(), feed.#poll()]);
    return feed;
  }

  /** The list of tasks is put together once a frame, however many changed since. */
  facts(): RoomFacts {
    if (this.#isBehind)
      this.#facts = {
        ...this.#facts,
        tasks: this.#order.map((path) => this.#rows.get(path)!),
        lookedAtMs: this.#request.effects.now(),
      };
    this.#isBehind = false;
    return this.#facts;
  }

  refresh(): void {
    this.#source.lookAtAll();
    this.#askAll();
  }

  /** Chores and mirrors are looked at only while the person looks at them. */
  showChores(isShown: boolean): void {
    this.#choresShown = isShown;
    if (isShown) this.#looks.chores();
  }

  searchFor(words: readonly string[]): void {
    const found = this.#found;
    for (const word of found.keys()) if (!words.includes(word)) found.delete(word);
    for (const word of words) if (!found.has(word)) found.set(word, null);
    if ([...found.values()].includes(null)) this.#looks.texts();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#said.close();
    this.foreground.close();
    await this.#over;
    await this.#source.close();
  }

  /** Follows one source after another. */
  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    const { remote, effects } = this.#request;
    const heard = (link: RoomFacts['link']) => {
      if (link !== this.#facts.link) this.#change({ link });
      this.#askAll();
    };
    while (!signal.aborted) {
      await this.#source.follow(heard, signal);
      if (signal.aborted) return;
      this.#change({ link: remote === null ? 'files' : 'lost' });
      if (remote === null) await this.#guarded(() => this.#changeOver());
      else await sleep(effects, RECONNECT_MS, signal);
    }
  }

  /** With the daemon the ledger may be another one: it may have been made, or set aside and begun anew. */
  async #changeOver(): Promise<void> {
    const old = this.#source;
    try {
      this.#source = await openSource(this.#request);
    } catch (error) {
      await sleep(this.#request.effects, RECONNECT_MS, this.#closing.signal);
      throw error;
    }
    this.#version = '';
    const { link } = this.#source;
    if (link !== this.#facts.link) this.#change({ link });
    this.#askAll();
    await old.close();
  }

  async #poll(): Promise<void> {
    for (const { signal } = this.#closing; !signal.aborted; ) {
      await sleep(this.#request.effects, POLL_MS, signal);
      if (this.#facts.link === 'live') this.#askAll();
    }
  }

  #change(facts: Partial<RoomFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
    if (!this.#closing.signal.aborted) this.#onChange();
  }

  #askAll(): void {
    const { tasks, turns, inbox, chores } = this.#looks;
    for (const ask of [tasks, turns, inbox]) ask();
    if (this.#choresShown) chores();
  }

  /** What the room does not let be read now is told on the screen until it can be. */
  async #guarded(look: () => Promise<void>): Promise<void> {
    try {
      await look();
      if (this.#facts.trouble !== null) this.#change({ trouble: null });
    } catch (error) {
      if (!this.#closing.signal.aborted)
        this.#change({ trouble: error instanceof Error ? error.message : String(error) });
    }
  }

  async #lookAtTasks(): Promise<void> {
    const { tasks, order, version } = await this.#source.call('list', { since: this.#version });
    this.#version = version ?? '';
    if (tasks.length === 0 && order === undefined) return;
    for (const row of tasks) this.#rows.set(row.path, row);
    if (order !== undefined) {
      this.#order = order;
      this.#rows = new Map(order.map((path) => [path, this.#rows.get(path)!]));
    }
    this.#isBehind = true;
    this.#change({});
  }

  async #lookAtTurns(): Promise<void> {
    const { call } = this.#source;
    const { turns: running } = await call('listTurns', { state: 'running', limit: 1000 });
    const { turns: newest } = await call('listTurns', {
      pending: false,
      limit: ENDED_TURNS + running.length,
    });
    const ended = newest.filter(({ state }) => isOver(state));
    ended.sort((a, b) => timeOf(b.ended_at) - timeOf(a.ended_at));
    const { workers: all, places } = await call('listWorkers', {});
    const workers = places === null ? null : all.filter(({ live }) => live).length;
    this.#change({ running, ended, workers, places: places ?? {} });
    this.#said.follow(running);
  }

  async #lookAtInbox(): Promise<void> {
    this.#change(await this.#source.call('inbox', {}));
  }

  async #lookAtChores(): Promise<void> {
    const { chores, invalid } = await this.#source.call('listChores', {});
    const problems = invalid.flatMap((file) => file.problems as Problem[]);
    const { mirrors } = await this.#source.call('listMirrors', {});
    // How the mirrors of each chore stand: `12 in sync, 1 conflict`.
    const text = (some: typeof mirrors) =>
      [...Map.groupBy(some, ({ state }) => state)]
        .map(([state, { length }]) => `${length} ${state.replaceAll('_', ' ')}`)
        .join(', ');
    const byChore = Map.groupBy(mirrors, ({ chore }) => chore);
    const counted = new Map([...byChore].map(([chore, some]) => [chore, text(some)]));
    this.#change({ chores, brokenChores: problems.map(formatProblem), mirrors: counted });
  }

  async #lookForWords(): Promise<void> {
    for (const [word, paths] of this.#found) {
      if (paths !== null) continue;
      const { tasks } = await this.#source.call('list', {
        all: true,
        text: formatFilter({ terms: [], words: [word] }),
      });
      if (this.#found.has(word)) this.#found.set(word, new Set(tasks.map(({ path }) => path)));
    }
    const known = [...this.#found].flatMap(([word, paths]) =>
      paths === null ? [] : [[word, paths] as const],
    );
    this.#change({ found: new Map(known) });
  }
}

const timeOf = (at: string | null) => (at === null ? 0 : Date.parse(at));

/** A look that is asked for more often than it is worth: one at a time, the first at once, and afterwards a rest that grows with
 * what a look costs, so that a large room takes little more than its share of the processor.
 * @param restTimes the rest is this many times as long as the look took
 * @returns asks for a look, until `signal` aborts */
function createPaced(
  effects: Effects,
  signal: AbortSignal,
  restMs: number,
  restTimes: number,
  look: () => Promise<void>,
): () => void {
  const { ask } = createRounds(async () => {
    if (signal.aborted) return;
    const began = effects.monotonicMs();
    await look();
    const share = Math.min((effects.monotonicMs() - began) * restTimes, MOST_REST_MS);
    await sleep(effects, Math.max(restMs, share), signal);
  });
  return () => void ask();
}
