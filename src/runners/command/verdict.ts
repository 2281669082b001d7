// How a coding agent's turn ended: what its process did, and what it said itself, which counts for more than an exit code.
import type { AgentTrouble, TroubleKind } from '../../core/rules/agent-event.ts';
import { withoutControls } from '../process/output-log.ts';
import type { Outcome } from '../runner.ts';
import type { Preset } from './presets/preset.ts';
import type { Told } from './reading/told.ts';

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
