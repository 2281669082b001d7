// What an agent has told of its turn so far, taken in event by event. Pure: moments come in.
import type { AgentEvent, AgentTrouble, TroubleKind } from '../../../core/rules/agent-event.ts';
import type { TurnUsage } from '../../../core/rules/turn.ts';

export interface Told {
  session: string | null;
  usage: TurnUsage | null;
  /** Trouble that nothing of its work came after; `since` on the clock that never goes back. */
  trouble: (AgentTrouble & { since: number }) | null;
  /** Why it has none of its turn's tools; null where it has them, or does not say. */
  missingTools: string | null;
  /** What it said of its end; null while it said nothing. */
  end: { failed: boolean } | null;
  words: string;
  /** Whether the next piece of text goes on with them. */
  isSpeaking: boolean;
}

export const NOTHING_TOLD: Told = {
  session: null,
  usage: null,
  trouble: null,
  missingTools: null,
  end: null,
  words: '',
  isSpeaking: false,
};
const MOST_WORDS = 300;

const SECOND = 1000;
/** How long trouble may stand without any work before its agent is stopped; those not named end by themselves. */
const PATIENCE_MS: Partial<Record<TroubleKind, number>> = {
  limit: 90 * SECOND,
  overload: 90 * SECOND,
  network: 120 * SECOND,
  credits: 5 * SECOND,
};
/** A limit whose end is known to be further away than its patience needs no more than the program's own last words. */
const LAST_WORDS_MS = 5 * SECOND;

/** @param at now, on the clock that never goes back */
export function takeIn(told: Told, event: AgentEvent, at: number): Told {
  switch (event.type) {
    case 'session':
      return { ...told, session: event.id };
    case 'tools':
      return { ...told, missingTools: event.missing };
    case 'usage':
      return { ...told, usage: event.usage };
    case 'trouble':
      return {
        ...told,
        trouble: { ...clearer(event.trouble, told.trouble), since: told.trouble?.since ?? at },
      };
    case 'end':
      return { ...told, end: { failed: event.failed }, trouble: event.failed ? told.trouble : null };
    case 'line':
      return told;
    case 'text': {
      const words = (event.partial === true && told.isSpeaking ? told.words : '') + event.text;
      return { ...told, trouble: null, words: words.slice(-MOST_WORDS), isSpeaking: true };
    }
    default:
      return { ...told, trouble: null, isSpeaking: false };
  }
}

/** The last words count, unless they only say less of the same trouble. */
function clearer(next: AgentTrouble, before: AgentTrouble | null): AgentTrouble {
  if (before === null) return next;
  if (next.kind === 'other' && before.kind !== 'other') return before;
  return next.kind === before.kind && next.until === null && before.until !== null ? before : next;
}

/** Whether an agent that still runs waits for what will not come soon. */
export function isHopeless({ trouble, end }: Told, at: number, now: number): boolean {
  if (trouble === null || end !== null) return false;
  const patience = PATIENCE_MS[trouble.kind];
  if (patience === undefined) return false;
  const isFar = trouble.until !== null && trouble.until - now > patience;
  return at - trouble.since >= (isFar ? LAST_WORDS_MS : patience);
}
