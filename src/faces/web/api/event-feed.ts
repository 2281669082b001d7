// The room's events as they come, handed over in bundles: at most one bundle in `BUNDLE_MS`, in a frame of the screen, so
// that hundreds of events a second cost as many drawings as a person can see and no more.
import type { ToldEvent } from './shapes.ts';

const BUNDLE_MS = 120;

export type FeedState = 'connecting' | 'live' | 'lost';

export interface FeedOptions {
  onEvents(events: readonly ToldEvent[]): void;
  /** Events were missed: everything is to be looked at anew. */
  onReset(): void;
  onState(state: FeedState): void;
}

/** Follows the events until the returned function is called; comes again by itself after the connection was lost. */
export function followEvents({ onEvents, onReset, onState }: FeedOptions): () => void {
  let waiting: ToldEvent[] = [];
  let isPlanned = false;
  let wasLost = false;
  let last = 0;
  let source: EventSource;
  let again: number | undefined;

  const flush = () => {
    isPlanned = false;
    last = performance.now();
    const events = waiting;
    waiting = [];
    if (events.length > 0) onEvents(events);
  };
  const plan = () => {
    if (isPlanned) return;
    isPlanned = true;
    // A hidden page gets no frames; a timer runs there, if seldom.
    const run = () => (document.hidden ? flush() : requestAnimationFrame(flush));
    setTimeout(run, Math.max(0, last + BUNDLE_MS - performance.now()));
  };
  const open = () => {
    source = new EventSource('/api/events');
    source.onopen = () => {
      onState('live');
      // The browser tells the last event it saw only while it reconnects by itself.
      if (wasLost) onReset();
      wasLost = false;
    };
    source.onerror = () => {
      onState('lost');
      wasLost = true;
      if (source.readyState !== EventSource.CLOSED) return;
      // An answer that is no stream ends it for good: the server starts, or the session is over.
      again = window.setTimeout(open, 2_000);
    };
    source.addEventListener('reset', onReset);
    // A page that is not told the names of the events would have to list them all: each is sent under its own.
    for (const name of EVENT_NAMES) source.addEventListener(name, take);
  };
  const take = ({ data }: MessageEvent<string>) => {
    waiting.push(JSON.parse(data));
    plan();
  };
  open();
  return () => {
    clearTimeout(again);
    source.close();
  };
}

/** The types that change what the board shows. */
export const EVENT_NAMES: readonly ToldEvent['type'][] = [
  'room.ready',
  'room.idle',
  'room.stopping',
  'room.trouble',
  'room.mended',
  'config.reloaded',
  'config.invalid',
  'task.seen',
  'task.changed',
  'task.stepped',
  'task.blocked',
  'task.unblocked',
  'task.paused',
  'task.resumed',
  'task.odd_keys',
  'task.edited_after_end',
  'task.renamed',
  'task.copied',
  'task.gone',
  'task.archived',
  'task.invalid',
  'task.mended',
  'task.restored',
  'tasks.held',
  'question.asked',
  'question.answered',
  'question.withdrawn',
  'task.waiting',
  'agent.waiting',
  'agent.ready',
  'turn.requested',
  'turn.started',
  'turn.ended',
  'turn.checking',
  'turn.checked',
  'turn.refused',
  'turn.retrying',
  'person.notified',
  'chore.due',
  'chore.finished',
  'chore.failed',
  'chore.invalid',
  'chore.mended',
  'sync.started',
  'sync.finished',
  'sync.failed',
  'mirror.created',
  'mirror.updated',
  'mirror.pushed',
  'mirror.conflict',
  'mirror.detached',
  'mirror.paused',
];
