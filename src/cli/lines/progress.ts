// The progress of long work: one line of a terminal that is written over; in the live log a line now and then for a slow sync.
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

/** A line on stderr that is written over; nothing where stderr is no terminal. */
function createProgressLine(terminal: Terminal) {
  let shown = 0;
  const put = (text: string): void => {
    terminal.writeError(`\r${text}${' '.repeat(Math.max(0, shown - displayWidth(text)))}`);
    shown = displayWidth(text);
  };
  return {
    show(what: string, done: number, total: number | null, rest: string = ''): void {
      if (!terminal.errorIsTerminal) return;
      const count = total === null ? (done > 0 ? ` ${done}` : '') : ` ${done}/${total}`;
      put(truncate(`${what}${count}${rest}`, 78));
    },
    clear(): void {
      if (shown === 0) return;
      put('');
      terminal.writeError('\r');
      shown = 0;
    },
  };
}

export function createSyncLine(terminal: Terminal) {
  const { show, clear } = createProgressLine(terminal);
  return {
    clear,
    show({ chore, phase, done, total, who }: SyncProgress) {
      const rest = who === undefined ? '' : ` (${cleanLine(who)})`;
      show(`${cleanLine(chore)}: ${PHASE_WORDS[phase]}`, done, total, rest);
    },
  };
}

export async function counting<T>(events: EventBus | undefined, terminal: Terminal, act: () => Promise<T>) {
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

const FIRST_MS = 2_000;
const THEN_MS = 10_000;

/** @param tell prints one line about the chore that syncs */
export function createSyncWatch(
  effects: Pick<Effects, 'setTimer'>,
  tell: (chore: string, text: string) => void,
) {
  const running = new Map<string, { latest: Progress | null; timer: Timer }>();

  function watch(chore: string, latest: Progress | null, delayMs: number): void {
    const look = () => {
      const { latest: now } = running.get(chore)!;
      tell(chore, now === null ? 'asking the tracker' : progressText(now));
      watch(chore, now, THEN_MS);
    };
    running.set(chore, { latest, timer: effects.setTimer(delayMs, look, true) });
  }

  function forget(chore: string): void {
    running.get(chore)?.timer.cancel();
    running.delete(chore);
  }

  return {
    see(event: RoomEvent) {
      if (event.type === 'sync.progress') {
        const sync = running.get(event.chore);
        if (sync) sync.latest = event;
      } else if (/^sync\.(started|finished|failed)$/.test(event.type)) {
        const { chore } = event as { chore: string };
        forget(chore);
        if (event.type === 'sync.started') watch(chore, null, FIRST_MS);
      }
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
