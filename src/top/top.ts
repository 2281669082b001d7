// The live terminal: facts of the room in, frames out, keys to actions. The first change is drawn at once, at most ten frames a
// second after that; what does not change is not written again.

import { choosePaint, type Paint } from '../cli/paint.ts';
import type { Effects, Timer } from '../effects.ts';
import type { TopRequest } from '../server/shapes/faces.ts';
import { drawFrame, SPIN_MS, tooSmall } from './draw/frame.ts';
import { press } from './model/keymap.ts';
import type { Key } from './model/line-input.ts';
import type { RoomFacts } from './model/room-facts.ts';
import { type Row, rowsOf } from './model/rows.ts';
import { type Ask, initialState, type ScreenState } from './model/screen-state.ts';
import { clearFinishedScope, searchedWords } from './model/task-filter.ts';
import { type Action, runAction } from './room/actions.ts';
import { openRoomFeed, type RoomFeed } from './room/room-feed.ts';
import { openScreen, type Screen } from './terminal/screen.ts';

const FRAME_MS = 100;
const SECOND_MS = 1_000;
const LEAST = { columns: 20, rows: 5 };
const SIGNAL_CODES: Partial<Record<NodeJS.Signals, number>> = {
  SIGHUP: 129,
  SIGINT: 130,
  SIGQUIT: 131,
  SIGTERM: 143,
};

interface Top {
  effects: Effects;
  paint: Paint;
  feed: RoomFeed;
  screen: Screen;
  state: ScreenState;
  page: number;
  rows: { of: readonly unknown[]; rows: readonly Row[] };
  drawnAt: number;
  timer: Timer | null;
  /** The next frame that time alone asks for. */
  clock: Timer | null;
  actions: Promise<void>;
  request: TopRequest;
  end(code: number): void;
}

/**
 * Shows the room until the person quits.
 * @returns the exit code: 0, or 128 and the number of the signal that ended it
 * @throws RoomError as the room can't be opened or looked at
 */
export async function showTop(request: TopRequest): Promise<number> {
  const { effects, withColors } = request;
  const paint = choosePaint(withColors, effects.env, true);
  const ended = Promise.withResolvers<number>();
  const top = { effects, paint, request, end: ended.resolve, page: 10, actions: Promise.resolve() } as Top;
  Object.assign(top, {
    drawnAt: Number.NEGATIVE_INFINITY,
    timer: null,
    clock: null,
    rows: { of: [], rows: [] },
  });
  top.state = initialState(request.scope, request.filter);
  top.feed = await openRoomFeed(request, paint, () => wantFrame(top));
  top.screen = openScreen({
    onKey: (key) => pressed(top, key),
    onResize: () => wantFrame(top),
    onReady: () => wantFrame(top),
    onSignal: (signal) => ended.resolve(SIGNAL_CODES[signal] ?? 1),
  });
  wantFrame(top);
  try {
    return await ended.promise;
  } finally {
    top.timer?.cancel();
    top.clock?.cancel();
    top.screen.close();
    // What was asked for is carried out, also when the person leaves right after.
    await top.actions;
    await top.feed.close();
  }
}

function wantFrame(top: Top): void {
  if (top.timer !== null || top.screen === undefined) return;
  const since = top.effects.monotonicMs() - top.drawnAt;
  top.timer = top.effects.setTimer(Math.max(0, FRAME_MS - since), () => {
    top.timer = null;
    draw(top);
  });
}

function draw(top: Top): void {
  const { screen, effects, paint } = top;
  if (!screen.isReady()) return;
  const facts = top.feed.facts();
  top.state = clearFinishedScope(top.state, facts);
  const size = screen.size();
  top.drawnAt = effects.monotonicMs();
  if (size.columns < LEAST.columns || size.rows < LEAST.rows) {
    screen.draw(tooSmall(size, paint), null);
    return;
  }
  const rows = rowsNow(top, facts);
  const frame = drawFrame({ facts, state: top.state, rows, size, nowMs: effects.now(), paint });
  const { view } = top.state;
  top.state = { ...top.state, top: { ...top.state.top, [view]: frame.top } };
  top.page = frame.page;
  screen.draw(frame.lines, frame.cursor);
  // Signs of what runs turn, and lengths of time grow.
  top.clock?.cancel();
  const runs = facts.running.length > 0 || facts.chores.some(({ running }) => running);
  top.clock = effects.setTimer(runs ? SPIN_MS : SECOND_MS, () => wantFrame(top));
}

/** Made anew only where something that they follow from is another one. */
function rowsNow(top: Top, facts: RoomFacts): readonly Row[] {
  const { view, search, filter, scope, cleared, allDone } = top.state;
  const { tasks, running, ended, inbox, chores, brokenChores, said, mirrors, found } = facts;
  const of = [
    ...[view, search, filter, scope, cleared, allDone, tasks, running, ended, inbox],
    ...[chores, brokenChores, said, mirrors, found],
  ];
  if (of.some((each, at) => each !== top.rows.of[at])) top.rows = { of, rows: rowsOf(facts, top.state) };
  return top.rows.rows;
}

function pressed(top: Top, key: Key): void {
  const facts = top.feed.facts();
  const { state, ask } = press(top.state, key, { facts, rows: rowsNow(top, facts), page: top.page });
  if (state.view !== top.state.view) top.feed.showChores(state.view === 'chores');
  top.state = state;
  top.feed.searchFor(searchedWords(state));
  if (ask !== null) asked(top, ask);
  // A person sees at once what a key did.
  top.drawnAt = Number.NEGATIVE_INFINITY;
  top.timer?.cancel();
  top.timer = null;
  wantFrame(top);
}

function asked(top: Top, ask: Ask): void {
  const { feed, screen } = top;
  switch (ask.do) {
    case 'quit':
      return top.end(0);
    case 'suspend':
      return screen.suspend();
    case 'redraw':
      screen.forget();
      return feed.refresh();
    case 'close':
      return feed.foreground.close();
    case 'open':
      return inTurn(top, () => feed.foreground.open(ask.ref), true);
    case 'text':
      return inTurn(top, () => feed.foreground.openText(ask.ref), true);
    default:
      return inTurn(top, () => showAction(top, ask), false);
  }
}

async function showAction(top: Top, action: Action): Promise<void> {
  const text = await runAction(action, () => top.request.openRoom({ readOnly: false }));
  top.state = { ...top.state, message: { text, isTrouble: false } };
  top.feed.refresh();
}

/** One after the other, in the order of the keys; what goes wrong is told on the last line. */
function inTurn(top: Top, run: () => Promise<void>, isOpening: boolean): void {
  top.actions = top.actions.then(run).catch((error: unknown) => {
    const { message, hint } = error as { message: string; hint?: string };
    const text = hint === undefined ? message : `${message}; ${hint}`;
    top.state = { ...top.state, message: { text, isTrouble: true }, ...(isOpening ? { isOpen: false } : {}) };
    wantFrame(top);
  });
}
