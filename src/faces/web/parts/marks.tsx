// Small marks that mean the same everywhere: a status, a state of a turn, a priority. Colour never stands alone.
import type { Job, Status, TaskRow, Turn } from '../api/shapes.ts';

const STATUS_NAMES: Readonly<Record<Status, string>> = {
  draft: 'Draft',
  todo: 'To do',
  doing: 'Doing',
  done: 'Done',
  canceled: 'Canceled',
};
const TONES: Readonly<Record<Status, string>> = {
  draft: 'plain',
  todo: 'pending',
  doing: 'running',
  done: 'completed',
  canceled: 'killed',
};

export function statusName(status: Status): string {
  return STATUS_NAMES[status];
}

export function toneOf(status: Status): string {
  return TONES[status];
}

export function StatusMark({ status }: { status: Status }) {
  return <span class={`mark tone-${TONES[status]}`}>{STATUS_NAMES[status]}</span>;
}

const TURN_TONES: Readonly<Record<string, string>> = {
  running: 'running',
  completed: 'completed',
  failed: 'failed',
  killed: 'killed',
  pending: 'pending',
};
/** What a person needs to know beside the state; the others say no more than it does. */
const REASONS: Readonly<Record<string, string>> = {
  nothing_written: 'wrote nothing',
  checks_failed: 'checks failed',
  timed_out: 'took too long',
  stalled: 'went silent',
  output_limit: 'printed too much',
  rate_limited: 'usage limit',
  budget: 'budget used up',
  interrupted: 'interrupted',
  refused: 'refused',
  person: 'by you',
  paused: 'paused',
  canceled: 'canceled',
  turn_over: 'its turn is over',
};

type Reason = Turn['reason'] | Job['reason'];

export function reasonOf({ reason }: { reason: Reason }): string | null {
  return reason === null ? null : (REASONS[reason] ?? null);
}

export function TurnMark({ turn }: { turn: { state: Turn['state'] | Job['state']; reason: Reason } }) {
  const reason = reasonOf(turn);
  const tone = turn.reason === 'nothing_written' ? 'pending' : TURN_TONES[turn.state];
  return (
    <span class={`mark tone-${tone}`}>
      {turn.reason === 'nothing_written' ? reason : turn.state}
      {reason === null || turn.reason === 'nothing_written' ? '' : `: ${reason}`}
    </span>
  );
}

interface Sign {
  text: string;
  tone: string;
}

/** What is the matter with a task, the most pressing first. */
export function signsOf(task: TaskRow): Sign[] {
  const signs: (Sign | false)[] = [
    task.waiting && { text: 'waits for you', tone: 'attention' },
    task.running !== null && { text: 'running', tone: 'running' },
    task.nothing_written && { text: 'wrote nothing', tone: 'pending' },
    task.paused && { text: 'paused', tone: 'failed' },
    task.held && { text: 'held', tone: 'pending' },
    task.retry_at !== null && { text: 'retries', tone: 'failed' },
    task.parked_until !== null && { text: 'waits for a limit', tone: 'pending' },
    task.pending && task.running === null && { text: 'queued', tone: 'pending' },
    task.blocked && { text: 'blocked', tone: 'killed' },
    task.why_not !== null && !task.paused && !task.blocked && { text: task.why_not.text, tone: 'failed' },
  ];
  return signs.filter((sign) => sign !== false);
}

export function Signs({ task, most = 3 }: { task: TaskRow; most?: number }) {
  return (
    <>
      {signsOf(task)
        .slice(0, most)
        .map(({ text, tone }) => (
          <span key={text} class={`mark tone-${tone}`}>
            {text}
          </span>
        ))}
    </>
  );
}

export function Priority({ priority }: { priority: TaskRow['priority'] }) {
  if (priority === null) return null;
  return <span class={`priority priority-${priority}`}>{priority}</span>;
}

export function StepMeter({ steps: { done, total } }: { steps: { done: number; total: number } }) {
  if (total === 0) return null;
  return (
    <span class="steps" title={`${done} of ${total} steps done`}>
      <progress max={total} value={done} aria-label={`${done} of ${total} steps done`} />
      <span aria-hidden="true">
        {done}/{total}
      </span>
    </span>
  );
}
