// How far long work is: one line on a terminal that is written over, and gone when the work is done; in the live log nothing for a
// quick sync, then now and then how far it is.
import type { SyncProgress } from '../../core/chore-shapes.ts';
import type { EventBus, RoomEvent } from '../../core/events.ts';
import type { Effects, Timer } from '../../effects.ts';
import type { Terminal } from '../terminal.ts';
import { cleanLine, displayWidth, plural, truncate } from './display-text.ts';

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

type Progress = Extract<RoomEvent, { type: 'sync.progress' }>;

export interface SyncWatch {
  see(event: RoomEvent): void;
  close(): void;
}

const FIRST_MS = 2_000;
const THEN_MS = 10_000;

/** @param tell prints one line about the chore that syncs */
export function createSyncWatch(
  effects: Pick<Effects, 'setTimer'>,
  tell: (chore: string, text: string) => void,
): SyncWatch {
  const running = new Map<string, { latest: Progress | null; timer: Timer }>();

  function arm(chore: string, delayMs: number): Timer {
    return effects.setTimer(delayMs, () => look(chore), true);
  }

  function look(chore: string): void {
    const sync = running.get(chore);
    if (sync === undefined) return;
    tell(chore, sync.latest === null ? 'asking the tracker' : progressText(sync.latest));
    sync.timer = arm(chore, THEN_MS);
  }

  function forget(chore: string): void {
    running.get(chore)?.timer.cancel();
    running.delete(chore);
  }

  return {
    see(event) {
      if (event.type === 'sync.started') {
        forget(event.chore);
        running.set(event.chore, { latest: null, timer: arm(event.chore, FIRST_MS) });
      } else if (event.type === 'sync.progress') {
        const sync = running.get(event.chore);
        if (sync) sync.latest = event;
      } else if (event.type === 'sync.finished' || event.type === 'sync.failed') forget(event.chore);
    },
    close() {
      for (const chore of [...running.keys()]) forget(chore);
    },
  };
}

export const PHASE_WORDS: Readonly<Record<Progress['phase'], string>> = {
  waiting: 'waiting for another sync of it',
  pulling: 'asking for changes',
  applying: 'writing tasks',
  pushing: 'sending changes',
  sending: 'sending changes',
  checking: 'looking for what vanished',
};

function progressText({ phase, done, total }: Progress): string {
  if (phase === 'sending' && total !== null) {
    const left = total - done;
    return `${plural(left, 'write')} ${left === 1 ? 'waits' : 'wait'} for the tracker's pace`;
  }
  const count = total === null ? (done > 0 ? ` (${done})` : '') : ` (${done} of ${total})`;
  return `${PHASE_WORDS[phase]}${count}`;
}
