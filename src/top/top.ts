// The live terminal: facts of the room in, frames out, keys to actions. The first change is drawn at once, at most ten frames a
// second after that; what does not change is not written again.
import { constants } from 'node:os';
import { choosePaint, type Paint } from '../cli/paint.ts';
import type { Timer } from '../effects.ts';
import type { TopRequest } from '../server/shapes/faces.ts';
import { drawFrame, SPIN_MS, tooSmall } from './draw/frame.ts';
import { press } from './model/keymap.ts';
import type { Key } from './model/line-input.ts';
import { clearFinishedScope, type Row, rowsOf, searchedWords } from './model/rows.ts';
import { type Ask, initialState, type RoomFacts, type ScreenState } from './model/screen-state.ts';
import { held } from './model/target.ts';
import { runAction } from './room/actions.ts';
import { RoomFeed } from './room/room-feed.ts';
import { openScreen, type Screen } from './terminal/screen.ts';

const FRAME_MS = 100;
const SECOND_MS = 1_000;
const LEAST = { columns: 20, rows: 5 };

/** Shows the room until the person quits.
 * @returns the exit code: 0, or 128 and the number of the signal that ended it
 * @throws RoomError as the room can't be opened or looked at */
export async function showTop(request: TopRequest): Promise<number> {
  const paint = choosePaint(request.withColors, request.effects.env, true);
  const top = new Top(request, paint);
  const feed = await RoomFeed.open(request, paint, () => top.wantFrame());
  return top.show(feed);
}

class Top {
  readonly #request: TopRequest;
  readonly #paint: Paint;
  readonly #ended = Promise.withResolvers<number>();
  #feed!: RoomFeed;
  #screen: Screen | null = null;
  #state: ScreenState;
  #page = 10;
  #rows: { of: readonly unknown[]; rows: readonly Row[] } = { of: [], rows: [] };
  #drawnAt = Number.NEGATIVE_INFINITY;
  #timer: Timer | null = null;
  /** The next frame that time alone asks for. */
  #clock: Timer | null = null;
  #actions: Promise<void> = Promise.resolve();

  constructor(request: TopRequest, paint: Paint) {
    this.#request = request;
    this.#paint = paint;
    this.#state = initialState(request.scope, request.filter);
  }

  async show(feed: RoomFeed): Promise<number> {
    this.#feed = feed;
    const wantFrame = () => this.wantFrame();
    const screen = openScreen({
      onKey: (key) => this.#press(key),
      onResize: wantFrame,
      onReady: wantFrame,
      onSignal: (signal) => this.#ended.resolve(128 + constants.signals[signal]),
    });
    this.#screen = screen;
    wantFrame();
    try {
      return await this.#ended.promise;
    } finally {
      this.#timer?.cancel();
      this.#clock?.cancel();
      screen.close();
      // What was asked for is carried out, also when the person leaves right after.
      await this.#actions;
      await feed.close();
    }
  }

  wantFrame(): void {
    const { effects } = this.#request;
    if (this.#timer !== null || this.#screen === null) return;
    const since = effects.monotonicMs() - this.#drawnAt;
    this.#timer = effects.setTimer(Math.max(0, FRAME_MS - since), () => {
      this.#timer = null;
      this.#draw(this.#screen!);
    });
  }

  #draw(screen: Screen): void {
    const { effects } = this.#request;
    const paint = this.#paint;
    if (!screen.isReady()) return;
    const facts = this.#feed.facts();
    const state = clearFinishedScope(this.#state, facts);
    this.#state = state;
    const size = screen.size();
    this.#drawnAt = effects.monotonicMs();
    if (size.columns < LEAST.columns || size.rows < LEAST.rows)
      return screen.draw(tooSmall(size, paint), null);
    const rows = this.#rowsNow(facts);
    const frame = drawFrame({ facts, state, rows, size, nowMs: effects.now(), paint });
    this.#state = held({ ...state, top: { ...state.top, [state.view]: frame.top } }, rows);
    this.#page = frame.page;
    screen.draw(frame.lines, frame.cursor);
    // Signs of what runs turn, and lengths of time grow.
    this.#clock?.cancel();
    const runs = facts.running.length > 0 || facts.chores.some(({ running }) => running);
    this.#clock = effects.setTimer(runs ? SPIN_MS : SECOND_MS, () => this.wantFrame());
  }

  /** The rows of the view, made anew only where something that they follow from is another one. */
  #rowsNow(facts: RoomFacts): readonly Row[] {
    const { view, search, filter, scope, cleared, allDone } = this.#state;
    const { tasks, running, ended, inbox, chores, brokenChores, said, mirrors, found } = facts;
    const of = [
      ...[view, search, filter, scope, cleared, allDone, tasks, running, ended, inbox],
      ...[chores, brokenChores, said, mirrors, found],
    ];
    if (of.some((each, at) => each !== this.#rows.of[at]))
      this.#rows = { of, rows: rowsOf(facts, this.#state) };
    return this.#rows.rows;
  }

  #press(key: Key): void {
    const facts = this.#feed.facts();
    const shown = { facts, rows: this.#rowsNow(facts), page: this.#page };
    const { state, ask } = press(this.#state, key, shown);
    if (state.view !== this.#state.view) this.#feed.showChores(state.view === 'chores');
    this.#state = state;
    this.#feed.searchFor(searchedWords(state));
    if (ask !== null) this.#carryOut(ask);
    // A person sees at once what a key did.
    this.#drawnAt = Number.NEGATIVE_INFINITY;
    this.#timer?.cancel();
    this.#timer = null;
    this.wantFrame();
  }

  #carryOut(ask: Ask): void {
    const { foreground } = this.#feed;
    switch (ask.do) {
      case 'quit':
        return this.#ended.resolve(0);
      case 'suspend':
        return this.#screen!.suspend();
      case 'redraw':
        this.#screen!.forget();
        return this.#feed.refresh();
      case 'close':
        return foreground.close();
      case 'open':
        return this.#inTurn(() => foreground.open(ask.ref), { isOpen: false });
      case 'edit':
        return this.#inTurn(() => this.#screen!.lend(() => this.#request.editTask(ask.ref)));
      case 'text':
        return this.#inTurn(() => foreground.openText(ask.ref), { isOpen: false });
      default:
        return this.#inTurn(async () => {
          const text = await runAction(ask, () => this.#request.openRoom({ readOnly: false }));
          this.#state = { ...this.#state, message: { text, isTrouble: false } };
          this.#feed.refresh();
        });
    }
  }

  /** Runs actions one after another, in the order of the keys; what goes wrong is told on the last line. */
  #inTurn(run: () => Promise<void>, ifFailed: Partial<ScreenState> = {}): void {
    this.#actions = this.#actions.then(run).catch((error: unknown) => {
      const { message, hint } = error as { message: string; hint?: string };
      const text = hint === undefined ? message : `${message}\n${hint}`;
      this.#state = { ...this.#state, message: { text, isTrouble: true }, ...ifFailed };
      this.wantFrame();
    });
  }
}
