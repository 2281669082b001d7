// Small marks that mean the same everywhere: a status, a state of a turn, a priority, a time. Colour never stands alone.
import { isFinished, isStatus, statusWord } from '../../core/task/status.ts';
import { addressOf } from '../address.ts';
import type { Job, Status, TaskRow, Turn } from '../api/calls.ts';
import { now } from '../room/live.ts';
import { allStatuses, wordOf } from '../room/queries.ts';
import { sayCost, sayElapsed, sayWhen } from './time-words.ts';

const STATUS_MARKS: Readonly<Record<Status, readonly [name: string, tone: string]>> = {
  draft: ['Draft', 'plain'],
  todo: ['To do', 'pending'],
  doing: ['Doing', 'accent'],
  done: ['Done', 'completed'],
  canceled: ['Canceled', 'killed'],
};

/** One of the room's own is called as the room calls it. */
export const statusName = (word: string): string => (isStatus(word) ? STATUS_MARKS[word][0] : word);

/** For a choice among all of them. */
export const statusOptions = () => allStatuses.value.map((word) => [word, statusName(word)] as const);

export const Mark = ({ tone, text }: { tone: string; text: string }) => (
  <span class={`mark tone-${tone}`}>{text}</span>
);

export const StatusMark = (of: { status: Status; own_status?: string | undefined }) => (
  <Mark tone={STATUS_MARKS[of.status][1]} text={statusName(statusWord(of))} />
);

export const StatusDot = ({ status }: { status: Status }) => <Dot tone={STATUS_MARKS[status][1]} />;
export const Dot = ({ tone }: { tone: string }) => <span class={`dot tone-${tone}`} aria-hidden="true" />;

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

/** A turn that ended by itself, but not well. */
const NOT_WELL: Readonly<Record<string, string>> = { nothing_written: 'pending', checks_failed: 'failed' };

export function TurnMark({ turn: { state, reason } }: { turn: Pick<Turn | Job, 'state' | 'reason'> }) {
  const why = REASONS[reason ?? ''];
  const tone = NOT_WELL[reason ?? ''];
  if (tone !== undefined) return <Mark tone={tone} text={why!} />;
  return <Mark tone={state} text={why === undefined ? state : `${state}: ${why}`} />;
}

/** What is the matter with a task, the most pressing first. */
export function Signs({ task, most = 3 }: { task: TaskRow; most?: number }) {
  const signs: (readonly [text: string, tone: string] | false)[] = [
    task.waiting && ['waits for you', 'attention'],
    task.running !== null && ['running', 'running'],
    task.nothing_written && ['wrote nothing', 'pending'],
    task.paused && ['paused', 'failed'],
    task.held && ['held', 'pending'],
    task.retry_at !== null && [Date.parse(task.retry_at) > now.value ? 'retries' : 'retries now', 'failed'],
    task.parked_until !== null && ['waits for a limit', 'pending'],
    task.pending && task.running === null && ['queued', 'pending'],
    task.blocked && ['blocked', 'killed'],
    task.why_not !== null && !task.paused && !task.blocked && [task.why_not.text, 'failed'],
  ];
  const shown = signs.filter((sign) => sign !== false).slice(0, most);
  return shown.map(([text, tone]) => <Mark key={text} tone={tone} text={text} />);
}

export function Priority({ priority }: { priority: TaskRow['priority'] }) {
  const tone = priority === 'high' ? 'name tone-failed tone-text' : 'muted';
  return priority && <span class={`small ${tone}`}>{priority}</span>;
}

/** Overdue once its day is over. */
export function Due({ task: { due, status } }: { task: Pick<TaskRow, 'due' | 'status'> }) {
  if (due === null) return null;
  const isOver = !isFinished(status) && due < new Date(now.value).toLocaleDateString('sv');
  return <span class={isOver ? 'small tone-failed tone-text' : 'small muted'}>{`due ${due}`}</span>;
}

export const Labels = ({ of }: { of: readonly string[] }) =>
  of.map((label) => (
    <bdi key={label} class="label">
      {label}
    </bdi>
  ));

export function StepMeter({ steps: { done, total } }: { steps: { done: number; total: number } }) {
  if (total === 0) return null;
  const said = `${done} of ${total} steps done`;
  return (
    <span class="line small muted" title={said}>
      <progress class="tone-completed" max={total} value={done} aria-label={said} />
      <span aria-hidden="true">{`${done}/${total}`}</span>
    </span>
  );
}

/** A task as a link to its view. @param of its id or its reference in a file */
export const TaskLink = ({ of, name, status }: { of: string; name: string; status?: Status | null }) => (
  <span class="line task-link">
    {status && <StatusMark status={status} />}
    <a href={addressOf(['task', wordOf(of)])}>
      <bdi>{name}</bdi>
    </a>
  </span>
);

export function When({ at, prefix = '' }: { at: string | null; prefix?: string }) {
  if (at === null) return null;
  const date = new Date(at);
  return (
    <time
      dateTime={at}
      // Made when somebody looks: hundreds of them are drawn.
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = date.toLocaleString();
      }}
    >
      {prefix}
      {sayWhen(date.getTime(), now.value)}
    </time>
  );
}

export function Elapsed({ of: { started_at: from, ended_at: to, paused_ms: pausedMs } }: { of: Turn | Job }) {
  if (from === null) return null;
  const end = to === null ? now.value : Date.parse(to);
  return <span>{sayElapsed(end - Date.parse(from) - pausedMs)}</span>;
}

/** Whose turn it is, how long it took, what it cost and when it ended. */
export function TurnFacts({ turn }: { turn: Turn | Job }) {
  const cost = 'usage' in turn ? sayCost(turn.usage?.cost_usd) : null;
  return (
    <span class="turn-facts wrap muted">
      <bdi>{turn.agent}</bdi>
      <Elapsed of={turn} />
      {cost && <span>{cost}</span>}
      <When at={turn.ended_at ?? turn.started_at} />
    </span>
  );
}
