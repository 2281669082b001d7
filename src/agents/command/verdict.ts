// What a coding agent told of its turn, taken in event by event, and how its turn ended: what its process did, and what it said
// itself, which counts for more than an exit code.
import type { AgentEvent, AgentTrouble, TroubleKind } from '../../core/rules/agent-event.ts';
import type { TurnUsage } from '../../core/rules/turn.ts';
import { withoutControls } from '../process/output-log.ts';
import type { Outcome } from '../runner.ts';
import type { Preset } from './presets/preset.ts';

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

/** Ends that say nothing of the agent's own: somebody else ended the turn. */
const STOPPED_BY_OTHERS: ReadonlySet<Outcome['reason']> = new Set([
  'person',
  'paused',
  'canceled',
  'done',
  'interrupted',
  'output_limit',
  'budget',
]);

const WHAT: Readonly<Record<TroubleKind, string>> = {
  credentials: 'can not sign in',
  credits: 'has nothing left to pay with',
  model: 'can not use its model',
  network: 'does not reach its provider',
  overload: 'finds its provider overloaded',
  context: 'has no room left in its context',
  session: 'can not take up its session',
  limit: 'has reached its usage limit',
  answer: 'ended before its model was through',
  other: 'failed',
};

/** Whether the agent is better off without its session: for what it said of it, or because it went silent over it. */
export function dropsSession(ended: Outcome, { trouble, session }: Told): boolean {
  if (ended.reason === 'stalled' && session === null && trouble === null) return true;
  return trouble?.kind === 'context' || trouble?.kind === 'session';
}

/** What a failure is told with: the program, and how to sign in to it. */
type Speaker = Pick<Preset, 'program' | 'signIn'>;

/**
 * @param ended the outcome by the process alone
 * @param agent the agent's id, for what to change where
 */
export function judge(ended: Outcome, told: Told, preset: Speaker, agent: string): Outcome {
  const { trouble, end, missingTools } = told;
  if (STOPPED_BY_OTHERS.has(ended.reason)) return ended;
  if (trouble !== null) return failureOf(ended, trouble, preset, agent);
  if (ended.reason !== 'ok') return ended;
  if (end?.failed === true)
    return { ...ended, state: 'failed', reason: 'exit', message: `${preset.program} says that it failed` };
  if (missingTools !== null)
    return {
      ...ended,
      ...{ state: 'failed', reason: 'exit' },
      message: `${preset.program} had none of the tools that it reports by: ${withoutControls(missingTools)}`,
    };
  return withWords(ended, told.words);
}

export function withWords(ended: Outcome, words: string): Outcome {
  const line = withoutControls(words.replace(/\s+/g, ' ').trim());
  return ended.reason === 'ok' && line !== '' ? { ...ended, words: line } : ended;
}

function failureOf(ended: Outcome, trouble: AgentTrouble, preset: Speaker, agent: string): Outcome {
  const said = withoutControls(`${preset.program} ${WHAT[trouble.kind]}: ${trouble.message}`);
  const failed = { ...ended, state: 'failed' as const };
  const file = `agents/${agent}/agent.json`;
  switch (trouble.kind) {
    case 'credentials':
      return { ...failed, reason: 'refused', message: `${said}; ${preset.signIn}` };
    case 'model':
      return {
        ...failed,
        reason: 'refused',
        message: `${said}; change "model" in ${file}, or ${preset.signIn}`,
      };
    case 'credits':
      return { ...failed, reason: 'refused', isUnpaid: true, message: said };
    case 'limit':
      return { ...failed, reason: 'rate_limited', until: trouble.until, message: said };
    default: {
      // A turn that took too long, or went silent, did so for this.
      const reason = ended.reason === 'ok' ? 'exit' : ended.reason;
      return { ...failed, reason, message: said };
    }
  }
}
