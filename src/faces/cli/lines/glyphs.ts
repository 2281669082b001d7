// One sign per state, the same in every list and log line (G3).
import type { Status } from '../../../core/task/status.ts';
import type { Color, Paint } from '../paint.ts';

export interface TaskState {
  status: Status;
  paused: boolean;
  blocked: boolean;
  /** It waits for an answer. */
  waiting?: boolean;
  running: boolean;
}

type Sign = readonly [glyph: string, color: Color];

const STATUS_SIGNS: Readonly<Record<Status, Sign>> = {
  draft: ['✎', 'dim'],
  todo: ['☐', 'bold'],
  doing: ['⠋', 'cyan'],
  done: ['✓', 'green'],
  canceled: ['✗', 'dim'],
};
const PAUSED: Sign = ['⏸', 'yellow'];
const BLOCKED: Sign = ['▸', 'yellow'];
const WAITING: Sign = ['?', 'yellow'];

function signOf({ status, paused, blocked, running, waiting = false }: TaskState): Sign {
  if (running) return STATUS_SIGNS.doing;
  const isOpen = status === 'todo' || status === 'doing';
  if (isOpen && paused) return PAUSED;
  if (isOpen && blocked) return BLOCKED;
  return isOpen && waiting ? WAITING : STATUS_SIGNS[status];
}

/** The coloured sign of a task: ☐ todo, ⠋ doing, ✓ done, ▸ blocked, ? waits for an answer, ⏸ paused, ✎ draft, ✗ canceled. */
export function taskGlyph(state: TaskState, paint: Paint): string {
  const [glyph, color] = signOf(state);
  return paint(color, glyph);
}

const TURN_SIGNS: Readonly<Record<string, Sign>> = {
  running: ['⠋', 'blue'],
  completed: ['✓', 'green'],
  failed: ['✗', 'red'],
  killed: ['■', 'gray'],
};

/** The coloured sign of a turn's state (B6). */
export function turnGlyph(state: string, paint: Paint): string {
  const [glyph, color] = TURN_SIGNS[state] ?? ['·', 'dim'];
  return paint(color, glyph);
}
