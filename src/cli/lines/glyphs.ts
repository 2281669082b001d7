// One sign per state, the same in every list and log line (G3).
import type { InboxKind } from '../../core/config/names.ts';
import type { Standing, Status } from '../../core/task/status.ts';
import type { TaskRow } from '../../tasks/shapes/task.ts';
import type { Color, Paint } from '../paint.ts';

export type Sign = readonly [glyph: string, color: Color];
type TaskState = Pick<TaskRow, 'status' | 'paused' | 'blocked'> & { waiting?: boolean; running: boolean };

const STATUS_SIGNS: Readonly<Record<Status, Sign>> = {
  draft: ['✎', 'dim'],
  todo: ['☐', 'bold'],
  doing: ['◐', 'cyan'],
  done: ['✓', 'green'],
  canceled: ['✗', 'dim'],
};

/** Of what headers say of tasks. */
export const STANDING_COLORS: Readonly<Record<Standing, Color>> = {
  ...{ running: 'blue', waiting: 'yellow', paused: 'yellow', doing: 'cyan', todo: 'bold' },
  ...{ draft: 'dim', done: 'green', canceled: 'dim' },
};

/** ☐ todo, ◐ doing, ⠋ runs, ✓ done, ▸ blocked, ? waits for an answer, ⏸ paused, ✎ draft, ✗ canceled. */
export function signOfTask({ status, paused, blocked, running, waiting = false }: TaskState): Sign {
  if (running) return TURN_SIGNS.running!;
  const isOpen = status === 'todo' || status === 'doing';
  if (isOpen && paused) return ['⏸', 'yellow'];
  if (isOpen && blocked) return ['▸', 'yellow'];
  return isOpen && waiting ? ['?', 'yellow'] : STATUS_SIGNS[status];
}

export function taskGlyph(state: TaskState, paint: Paint): string {
  const [glyph, color] = signOfTask(state);
  return paint(color, glyph);
}

const TURN_SIGNS: Readonly<Record<string, Sign>> = {
  pending: ['·', 'yellow'],
  running: ['⠋', 'blue'],
  completed: ['✓', 'green'],
  failed: ['✗', 'red'],
  killed: ['■', 'gray'],
};

/** The sign of a turn's state (B6); one that ended by itself, but not well, has no green one. */
export function signOfTurn({ state, reason }: { state: string; reason: string | null }): Sign {
  if (reason === 'checks_failed') return TURN_SIGNS.failed!;
  if (reason === 'nothing_written') return ['○', 'magenta'];
  return TURN_SIGNS[state] ?? ['·', 'dim'];
}

const INBOX_SIGNS: Readonly<Record<InboxKind, Sign>> = {
  question: ['?', 'yellow'],
  paused: ['⏸', 'yellow'],
  trust: ['⚿', 'yellow'],
  rights: ['⚿', 'red'],
  review: ['±', 'yellow'],
  held: ['⏸', 'yellow'],
  conflict: ['⇅', 'red'],
  invalid: ['✗', 'red'],
  setup: ['!', 'red'],
  trouble: ['!', 'red'],
  tracker: ['⇅', 'yellow'],
  notice: ['✉', 'magenta'],
};

export const inboxSign = (kind: InboxKind): Sign => INBOX_SIGNS[kind];

export const FINDING_SIGNS: Readonly<Record<'ok' | 'warn' | 'fail', Sign>> = {
  ok: ['✓', 'green'],
  warn: ['!', 'yellow'],
  fail: ['✗', 'red'],
};
