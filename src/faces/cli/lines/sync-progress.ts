// Syncs that take long, in the live log: nothing for a quick one, then now and then how far it is. It alone in this face
// remembers events, since one line says nothing about how long it is quiet after it.
import type { RoomEvent } from '../../../core/events.ts';
import type { Effects, Timer } from '../../../effects.ts';
import { plural } from './display-text.ts';

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
