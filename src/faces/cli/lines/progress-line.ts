// How far long work is: one line on a terminal that is written over, and gone when the work is done.

import type { SyncProgress } from '../../../core/chore-shapes.ts';
import type { EventBus, RoomEvent } from '../../../core/events.ts';
import type { Terminal } from '../terminal.ts';
import { cleanLine, displayWidth, truncate } from './display-text.ts';
import { PHASE_WORDS } from './sync-progress.ts';

type BulkPhase = Extract<RoomEvent, { type: 'bulk.progress' }>['phase'];

const BULK_WORDS: Readonly<Record<BulkPhase, string>> = {
  checking: 'looking at the tasks',
  writing: 'writing tasks',
  removing: 'removing tasks',
  noting: 'taking note of them',
};

interface ProgressLine {
  show(what: string, done: number, total: number | null, rest?: string): void;
  clear(): void;
}

/** A line on stderr that is written over; silent where stderr is no terminal. */
function createProgressLine(terminal: Terminal): ProgressLine {
  let shown = 0;
  const put = (text: string): void => {
    terminal.writeError(`\r${text}${' '.repeat(Math.max(0, shown - displayWidth(text)))}`);
    shown = displayWidth(text);
  };
  return {
    show(what, done, total, rest = '') {
      if (!terminal.errorIsTerminal) return;
      const count = total === null ? (done > 0 ? ` ${done}` : '') : ` ${done}/${total}`;
      put(truncate(`${what}${count}${rest}`, 78));
    },
    clear() {
      if (shown === 0) return;
      put('');
      terminal.writeError('\r');
      shown = 0;
    },
  };
}

export function createSyncLine(terminal: Terminal): { show(progress: SyncProgress): void; clear(): void } {
  const { show, clear } = createProgressLine(terminal);
  return {
    show({ chore, phase, done, total, who }) {
      const rest = who === undefined ? '' : ` (${cleanLine(who)})`;
      show(`${cleanLine(chore)}: ${PHASE_WORDS[phase]}`, done, total, rest);
    },
    clear,
  };
}

/** Carries a change of many tasks out, with a line that counts them. */
export async function counting<T>(
  events: EventBus | undefined,
  terminal: Terminal,
  act: () => Promise<T>,
): Promise<T> {
  const line = createProgressLine(terminal);
  const unsubscribe = events?.subscribe((event) => {
    if (event.type === 'bulk.progress') line.show(BULK_WORDS[event.phase], event.done, event.total);
  });
  try {
    return await act();
  } finally {
    unsubscribe?.();
    line.clear();
  }
}
