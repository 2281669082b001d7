// A room for tests of the screen: what is known of it, a screen that keys are pressed on, and its lines without colours.
import { type Paint, plain } from '../../src/cli/paint.ts';
import type { TaskId, TurnId } from '../../src/core/ids.ts';
import { drawFrame, type Frame } from '../../src/top/draw/frame.ts';
import { press } from '../../src/top/model/keymap.ts';
import type { Key } from '../../src/top/model/line-input.ts';

import { clearFinishedScope, rowsOf } from '../../src/top/model/rows.ts';
import { type Ask, initialState, NO_FACTS, type RoomFacts } from '../../src/top/model/screen-state.ts';
import { isoOf, turn, view } from '../cli/task-views.ts';

export const NOW = Date.UTC(2026, 10, 22, 12, 0, 0);
const RUNNING = turn({
  ...{ id: 'b4k2m9x1q' as TurnId, thread: 'task:local:fixthebu' as never, agent: 'claude' },
  ...{ state: 'running', reason: null, description: 'Fix the build', message: null },
  ...{ startedAt: NOW - 200_000, endedAt: null },
});

/** A room with something of everything. */
export function someRoom(more: Partial<RoomFacts> = {}): RoomFacts {
  const doing = { status: 'doing', running: RUNNING.id } as const;
  const build = { ...doing, active_form: 'Fixing the build', owner: 'claude' };
  return {
    ...NO_FACTS,
    name: 'work',
    link: 'live',
    tasks: [
      view('Fix the build', { ...build, steps: { done: 3, total: 5 } }),
      view('Write the notes', { blocked: true, blocked_by: ['Fix the build'], priority: 'high' }),
      view('Choose a licence', { waiting: true, owner: 'codex' }),
      view('Count the words', { nothing_written: true, status: 'doing', labels: ['docs'] }),
      view('Plan the release', { status: 'draft' }),
      view('Review the API', { sprint: '12' }),
      view('Water the plants', { paused: true }),
      view('Say hello', { status: 'done', finished_at: isoOf(NOW - 240_000) }),
      view('Old idea', { status: 'canceled', finished_at: isoOf(NOW - 840_000) }),
    ],
    running: [RUNNING],
    ended: [
      turn({
        ...{ state: 'failed', reason: 'exit', description: 'Say hello', message: 'exit code 3' },
        ...{ endedAt: NOW - 90_000, startedAt: NOW - 120_000 },
      }),
    ],
    said: new Map([[RUNNING.id, '▸ Bash  npm test']]),
    inbox: [
      {
        ...{ kind: 'question', key: 'question:chooseal:q1' },
        ...{ task: 'chooseal' as TaskId, name: 'Choose a licence' },
        text: 'codex asks: MIT or Apache?',
        settle: "taskroom answer chooseal 'your answer'",
        at: new Date(NOW - 180_000).toISOString(),
      },
    ],
    ...more,
  };
}

export function openTestScreen(facts: RoomFacts = someRoom(), scope: string | null = null) {
  const screen = {
    state: initialState(scope),
    asks: [] as Ask[],
    facts,
    /** Keys by name, or a text that is typed. */
    press: (...keys: string[]) => {
      for (const key of keys) pressOne(keyOf(key));
    },
    type: (text: string) => {
      for (const char of text) pressOne({ name: '', text: char, ctrl: false, meta: false });
    },
    frame(columns = 80, rows = 24, paint: Paint = plain): Frame {
      screen.state = clearFinishedScope(screen.state, screen.facts);
      const shown = rowsOf(screen.facts, screen.state);
      const scene = {
        facts: screen.facts,
        state: screen.state,
        rows: shown,
        size: { columns, rows },
        nowMs: NOW,
        paint,
      };
      const frame = drawFrame(scene);
      screen.state = { ...screen.state, top: { ...screen.state.top, [screen.state.view]: frame.top } };
      return frame;
    },
    /** The frame as one text. */
    text: (columns?: number, rows?: number): string => screen.frame(columns, rows).lines.join('\n'),
  };
  function pressOne(key: Key): void {
    const { state, ask } = press(screen.state, key, {
      facts: screen.facts,
      rows: rowsOf(screen.facts, screen.state),
      page: 10,
    });
    screen.state = state;
    if (ask !== null) screen.asks.push(ask);
  }
  return screen;
}

const NAMED = [
  ...['up', 'down', 'return', 'escape', 'tab', 'pagedown', 'pageup', 'home', 'end', 'backspace', 'left'],
  'delete',
];

function keyOf(word: string): Key {
  if (word.startsWith('ctrl-')) return { name: word.slice(5), text: '', ctrl: true, meta: false };
  return { name: word, text: NAMED.includes(word) ? '' : word, ctrl: false, meta: false };
}
