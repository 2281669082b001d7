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
    // Each is sent under its own name.
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

/** Whether an event changes what the board shows. */
const IS_SHOWN: Readonly<Record<ToldEvent['type'], boolean>> = {
  'room.ready': true,
  'room.idle': true,
  'room.stopping': true,
  'room.trouble': true,
  'room.mended': true,
  'config.reloaded': true,
  'config.invalid': true,
  'task.seen': true,
  'task.changed': true,
  'task.stepped': true,
  'task.blocked': true,
  'task.unblocked': true,
  'task.paused': true,
  'task.resumed': true,
  'task.odd_keys': true,
  'task.edited_after_end': true,
  'task.renamed': true,
  'task.copied': true,
  'task.gone': true,
  'task.archived': true,
  'task.invalid': true,
  'task.mended': true,
  'task.restored': true,
  'tasks.held': true,
  'question.asked': true,
  'question.answered': true,
  'question.withdrawn': true,
  'task.waiting': true,
  'agent.waiting': true,
  'agent.ready': true,
  'turn.requested': true,
  'turn.started': true,
  'turn.claimed': true,
  'turn.ended': true,
  'turn.checking': true,
  'turn.checked': true,
  'turn.refused': true,
  'turn.retrying': true,
  'person.notified': true,
  'chore.due': true,
  'chore.finished': true,
  'chore.failed': true,
  'chore.invalid': true,
  'chore.mended': true,
  'sync.started': true,
  'sync.finished': true,
  'sync.failed': true,
  'mirror.created': true,
  'mirror.updated': true,
  'mirror.pushed': true,
  'mirror.conflict': true,
  'mirror.settled': true,
  'mirror.detached': true,
  'mirror.paused': true,
  'api.ready': false,
  'bulk.progress': false,
  'room.scanning': false,
  'room.stopped': false,
  'sync.progress': false,
  'turn.late_report': false,
  'webhook.received': false,
  'webhooks.listening': false,
};
const EVENT_NAMES = Object.entries(IS_SHOWN).flatMap(([name, isShown]) => (isShown ? [name] : []));
