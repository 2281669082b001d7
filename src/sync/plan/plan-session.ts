// What is to be said in the session of a task: what its file says and the session does not know yet. Nothing is told before it is
// so: how a task ended waits until no turn of it runs, and no check of it is awaited. Pure.
import type { MirrorConfig } from '../../core/chore/chore.ts';
import type { SessionActivity, SessionView } from '../../core/remote-pulls.ts';
import { isOpen, questionMark } from '../../core/task/body/questions.ts';
import { readSteps } from '../../core/task/body/steps.ts';
import { isFinished } from '../../core/task/status.ts';
import type { RemoteSessionRow } from '../../store/ledger/mirrors/outbox.ts';
import { hashOf } from './base.ts';
import type { LocalSide } from './plan-data.ts';
import { renderEntry, renderOutcome, type Writing, wordsOf } from './upstream-text.ts';

export interface SessionFacts {
  row: RemoteSessionRow;
  local: LocalSide;
  push: MirrorConfig['push'];
  writing: Writing;
  running: boolean;
  /** Why it is paused, with what tells this pause from others; null where it is not, or nobody says why. */
  pause: { key: string; reason: string } | null;
}

/** `keys`: all that is said with it; the first makes it one, however often it is tried. */
export type SessionPush = SessionActivity & { keys: string[] };

const MOST_PROGRESS = 20; // An agent that tells more than this at once has its newest words shown.
const PROGRESS_CHARS = 2_000;

export function planSession(facts: SessionFacts): SessionPush[] {
  const { row, running } = facts;
  const owed = row.owed.filter(({ atRest }) => !atRest || !running);
  const ofOwed = (isAtRest: boolean): SessionPush[] =>
    owed
      .filter(({ atRest }) => atRest === isAtRest)
      .map(({ key, type, body }) => ({ type, body, keys: [key] }));
  return [...ofOwed(false), ...progressOf(facts), ...questionsOf(facts), ...ofOwed(true), ...endOf(facts)];
}

const isNew = ({ row }: SessionFacts, key: string): boolean => !row.said.includes(key);

function progressOf(facts: SessionFacts): SessionPush[] {
  const { local, push, writing } = facts;
  if (!push.includes('progress')) return [];
  const fresh = local.progress.filter((entry) => !entry.isNote && isNew(facts, keyOfEntry(entry)));
  const left = fresh.slice(0, -MOST_PROGRESS).map(keyOfEntry);
  return fresh.slice(-MOST_PROGRESS).map((entry, at) => {
    const body = wordsOf(entry.text, { ...writing, limit: PROGRESS_CHARS });
    return { type: 'action', body, keys: [keyOfEntry(entry), ...(at === 0 ? left : [])] };
  });
}

function questionsOf(facts: SessionFacts): SessionPush[] {
  const { local, push, writing } = facts;
  if (!push.includes('comments')) return [];
  const open = local.questions.filter((one) => isOpen(one) && isNew(facts, questionMark(one.key)));
  return open.map((question) => {
    const mark = questionMark(question.key);
    return { type: 'elicitation', body: renderEntry({ ...question, id: mark }, writing), keys: [mark] };
  });
}

function endOf(facts: SessionFacts): SessionPush[] {
  const { local, push, writing, running, pause } = facts;
  if (local.paused && pause !== null && !isFinished(local.class))
    return isNew(facts, pause.key)
      ? [{ type: 'error', body: wordsOf(`Paused: ${pause.reason}`, writing), keys: [pause.key] }]
      : [];
  const ended = endKey(facts);
  if (running || (isFinished(local.class) && ended === null)) return [];
  const fresh = local.outcome.filter((entry) => isNew(facts, keyOfEntry(entry)));
  const isShown = push.includes('outcome') && fresh.length > 0;
  if (ended === null && !isShown) return [];
  const head = local.class === 'canceled' ? 'Canceled.' : 'Done.';
  const parts = [...(ended === null ? [] : [head]), ...(isShown ? [renderOutcome(fresh, writing)] : [])];
  const keys = [...(ended === null ? [] : [ended]), ...(isShown ? fresh.map(keyOfEntry) : [])];
  return [{ type: 'response', body: parts.join('\n\n'), keys }];
}

/** Of this end of the task; null while it goes on, and once it was said. Each time it begins anew there is another one. */
function endKey({ row, local }: SessionFacts): string | null {
  const { ends, isOver } = saidEnds(row);
  return isFinished(local.class) && !isOver ? `over:${ends}` : null;
}

/** What the session is to remember once a task that was over goes on. */
export function reopenedKey(row: RemoteSessionRow, local: LocalSide): string | null {
  const { reopenings, isOver } = saidEnds(row);
  return !isFinished(local.class) && isOver ? `open:${reopenings}` : null;
}

/** How often the task ended and went on, as the session was told. */
function saidEnds({ said }: RemoteSessionRow) {
  const count = (word: string) => said.filter((key) => key.startsWith(word)).length;
  const [ends, reopenings] = [count('over:'), count('open:')];
  return { ends, reopenings, isOver: ends > reopenings };
}

const keyOfEntry = ({ raw }: { raw: string }): string => hashOf(raw).slice(0, 12);

/** What stood in the file before somebody asked for the session; the Outcome of a task that is over is told. */
export function saidBefore(
  { progress, outcome, questions, class: status }: LocalSide,
  isAsked: (mark: string) => boolean,
) {
  const entries = [...progress, ...(isFinished(status) ? [] : outcome)].map(keyOfEntry);
  return [...entries, ...questions.map(({ key }) => questionMark(key)).filter(isAsked)];
}

const MOST_STEPS = 100;

/** The steps as a plan; the first that is open is what a turn that runs is at. */
export function planOfSteps({ steps, class: status }: LocalSide, running: boolean): SessionView['plan'] {
  const all = readSteps(`## Steps\n\n${steps}\n`).slice(0, MOST_STEPS);
  const next = running ? all.find(({ done }) => !done) : undefined;
  return all.map((step) => {
    const open = status === 'canceled' ? 'canceled' : step === next ? 'inProgress' : 'pending';
    return { content: step.title || `task ${step.task}`, status: step.done ? 'completed' : open };
  });
}
