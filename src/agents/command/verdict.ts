// How a coding agent's turn ended: by what its process did, and by what the agent itself said, which counts for more than an
// exit code.
import type { AgentEvent, AgentTrouble, TroubleKind, TurnUsage } from '../../core/rules/turn.ts';
import { withoutControls } from '../process/output-log.ts';
import type { Outcome } from '../runner.ts';
import type { Preset } from './presets/preset.ts';
import { oneLine } from './reading/fields.ts';

export interface AgentReport {
  session: string | null;
  usage: TurnUsage | null;
  /** Trouble that no work came after; `since` on the clock that never goes back. */
  trouble: (AgentTrouble & { since: number }) | null;
  /** Why it has none of its turn's tools; null where it has them, or does not say. */
  missingTools: string | null;
  end: { failed: boolean } | null; // What it said of its end; null while it said nothing.
  words: string;
  isSpeaking: boolean; // Whether the next piece of text goes on with them.
}

export const EMPTY_REPORT: AgentReport = {
  ...{ session: null, usage: null, trouble: null, missingTools: null, end: null },
  ...{ words: '', isSpeaking: false },
};
export const MOST_WORDS = 300;
const SECOND = 1000;
/** How long trouble may stand without any work before its agent is stopped; agents end by themselves over other kinds. */
const PATIENCE_MS: Partial<Record<TroubleKind, number>> = {
  limit: 90 * SECOND,
  overload: 90 * SECOND,
  network: 120 * SECOND,
  credits: 5 * SECOND,
};
const LAST_WORDS_MS = 5 * SECOND; // The patience with a limit that is known to end after the patience.

/** @param at now, on the clock that never goes back */
export function addEvent(report: AgentReport, event: AgentEvent, at: number): AgentReport {
  const { trouble } = report;
  switch (event.type) {
    case 'session':
      return { ...report, session: event.id };
    case 'tools':
      return { ...report, missingTools: event.missing };
    case 'usage':
      return { ...report, usage: event.usage };
    case 'trouble':
      return { ...report, trouble: { ...clearer(event.trouble, trouble), since: trouble?.since ?? at } };
    case 'end':
      return { ...report, end: { failed: event.failed }, trouble: event.failed ? trouble : null };
    case 'line':
      return report;
    case 'text': {
      const words = (event.partial === true && report.isSpeaking ? report.words : '') + event.text;
      return { ...report, trouble: null, words: words.slice(-MOST_WORDS), isSpeaking: true };
    }
    default:
      return { ...report, trouble: null, isSpeaking: false };
  }
}

/** The last words count, unless they only say less of the same trouble. */
function clearer(next: AgentTrouble, before: AgentTrouble | null): AgentTrouble {
  if (before === null) return next;
  if (next.kind === 'other' && before.kind !== 'other') return before;
  return next.kind === before.kind && next.until === null && before.until !== null ? before : next;
}

/** Whether an agent that still runs waits for what will not come soon. @param at as above @param now epoch ms */
export function isHopeless({ trouble, end }: AgentReport, at: number, now: number): boolean {
  const patience = trouble === null ? undefined : PATIENCE_MS[trouble.kind];
  if (trouble === null || end !== null || patience === undefined) return false;
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
] as const);

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

/** Whether the next turn is to begin a new session: for what the agent said of this one, or because it went silent over it. */
export function dropsSession(ended: Outcome, { trouble, session }: AgentReport): boolean {
  if (ended.reason === 'stalled' && session === null && trouble === null) return true;
  return trouble?.kind === 'context' || trouble?.kind === 'session';
}

type ProgramInfo = Pick<Preset, 'program' | 'signIn'>;

/** @param ended the outcome by the process alone */
export function judge(ended: Outcome, report: AgentReport, speaker: ProgramInfo, agent: string): Outcome {
  const { trouble, end, missingTools, words } = report;
  if (STOPPED_BY_OTHERS.has(ended.reason)) return ended;
  if (trouble !== null) return troubleOutcome(ended, trouble, speaker, agent);
  if (ended.reason !== 'ok') return ended;
  const failed = { ...ended, state: 'failed', reason: 'exit' } as const;
  if (end?.failed === true) return { ...failed, message: `${speaker.program} says that it failed` };
  if (missingTools === null) return withWords(ended, words);
  const why = withoutControls(missingTools);
  return { ...failed, message: `${speaker.program} had none of the tools that it reports by: ${why}` };
}

export function withWords(ended: Outcome, words: string): Outcome {
  const line = withoutControls(oneLine(words));
  return ended.reason === 'ok' && line !== '' ? { ...ended, words: line } : ended;
}

export function troubleOutcome(
  ended: Outcome,
  { kind, message: said, until }: AgentTrouble,
  { program, signIn }: ProgramInfo,
  agent: string,
): Outcome {
  const message = withoutControls(`${program} ${WHAT[kind]}: ${said}`);
  const refused = { ...ended, state: 'failed', reason: 'refused' } as const;
  switch (kind) {
    case 'credentials':
      return { ...refused, needsPerson: true, message: `${message}; ${signIn}` };
    case 'model':
      return {
        ...refused,
        message: `${message}; change "model" in agents/${agent}/agent.json, or ${signIn}`,
      };
    case 'credits':
      return { ...refused, needsPerson: true, message };
    case 'limit':
      return { ...refused, reason: 'rate_limited', until, message };
    default:
      // A turn that took too long, or went silent, did so for this.
      return { ...refused, reason: ended.reason === 'ok' ? 'exit' : ended.reason, message };
  }
}
