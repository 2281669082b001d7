// Why a task has no turn, and what would change it: for each answer of `decide`, and for what stands in the way after it. Pure.
import type { AgentConfig } from '../config/agent-config.ts';
import type { NotDue } from './decide.ts';

/** What keeps a task that is due from starting now. */
export type NotStarted = 'usage_limit' | 'budget' | 'limit' | 'no_daemon' | 'trouble';
export type WhyNotReason = NotDue | NotStarted;
export type WhyNot = { reason: WhyNotReason; text: string; hint: string | null };

/** What the sentences are made of; what does not bear on the reason may be left out. */
export interface WhyNotFacts {
  status: string;
  blockers: readonly string[];
  /** Names along a circle of blockers that it is part of, the first repeated at the end. */
  circle: readonly string[] | null;
  agentProblem: string | null;
  retryAt: string | null; // When it is tried again, as text; null when it is not by itself.
  wait: { text: string; until: string } | null; // What its turns wait for, and until when, as text.
  trouble: { message: string; hint: string | null } | null; // What is wrong outside, and how to mend it.
}

const RUN = 'taskroom run <task>';

const EXPLAIN: Readonly<Record<WhyNotReason, (facts: WhyNotFacts) => Omit<WhyNot, 'reason'>>> = {
  finished: ({ status }) => ({ text: `it is ${status}`, hint: 'taskroom reopen <task>' }),
  draft: () => ({ text: 'it is a draft', hint: 'set its status to todo: taskroom set <task> status=todo' }),
  paused: () => ({ text: 'it is paused', hint: 'taskroom resume <task>' }),
  blocked: ({ blockers, circle }) =>
    circle === null
      ? {
          text: `it waits for ${blockers.join(', ')}`,
          hint: 'it runs when that is done; or change blocked_by',
        }
      : { text: `it waits for itself: ${circle.join(' → ')}`, hint: 'change blocked_by in one of them' },
  waiting: () => ({
    text: 'it waits for your answer to a question',
    hint: "taskroom answer <task> 'your answer', or type it below the question in its file",
  }),
  no_agent: ({ agentProblem }) => ({
    text: `it waits for an agent: ${agentProblem ?? 'its own can not run'}`,
    hint: 'taskroom inbox says what settles it, or name another "owner:" in its file',
  }),
  held: () => ({
    text: 'it is held: too many tasks changed at once, or came of one task',
    hint: 'taskroom run --all releases all, taskroom run <task> this one',
  }),
  backoff: ({ retryAt }) =>
    retryAt === null
      ? { text: 'its last attempt failed', hint: `edit it, or: ${RUN}` }
      : { text: `its last attempt failed; it is tried again at ${retryAt}`, hint: `at once: ${RUN}` },
  running: () => ({ text: 'its turn runs', hint: null }),
  in_turn: () => ({
    text: 'the turn that made it for itself runs',
    hint: `it starts when that turn is over, where it is still open; at once: ${RUN}`,
  }),
  nothing_new: () => ({
    text: 'nothing is new since its last turn',
    hint: `edit it, comment on it, or: ${RUN}`,
  }),
  usage_limit: ({ wait }) => ({ text: waitText(wait), hint: `to try all the same: ${RUN}` }),
  budget: ({ wait }) => ({
    text: waitText(wait),
    hint: `one turn all the same: ${RUN} --force; or raise the budget`,
  }),
  limit: () => ({
    text: 'its turn is asked for, and as many turns run as may',
    hint: 'it starts when one ends; or raise limits in room.yaml',
  }),
  no_daemon: () => ({ text: 'nothing runs this room', hint: 'taskroom up, or taskroom once' }),
  trouble: ({ trouble }) => ({
    text: trouble?.message ?? 'the room is in trouble',
    hint: trouble?.hint ?? null,
  }),
};

const waitText = (wait: WhyNotFacts['wait']): string =>
  wait === null ? 'its agent waits' : `${wait.text}; its turns wait until ${wait.until}`;

const NO_FACTS = { blockers: [], circle: null, agentProblem: null, retryAt: null, wait: null, trouble: null };

export function explainWhyNot(reason: WhyNotReason, facts: Partial<WhyNotFacts>): WhyNot {
  return { reason, ...EXPLAIN[reason]({ status: '', ...NO_FACTS, ...facts }) };
}

/** Why an agent can't take a task that is not `forRunbook`; null where it can. */
export const refusalOfProse = (id: string): string =>
  `${id} runs the person's own \`\`\`sh run blocks, and reads no prose`;

export const refusalOfNoAgent = (id: string, known: Iterable<string>): string =>
  `no agent ${JSON.stringify(id)} in agents/ (there are: ${[...known].join(', ') || 'none'})`;

/** The agents that take no task in prose. */
export const runbooksOf = (agents: ReadonlyMap<string, Pick<AgentConfig, 'id' | 'runner'>>): string[] =>
  [...agents.values()].flatMap(({ id, runner }) => (runner === 'runbook' ? id : []));
