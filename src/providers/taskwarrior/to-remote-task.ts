// Taskwarrior records as tasks and comments of the provider contract. Pure: the record, the moment and the admitted set decide.
// A due time is shown as the day people see: a day begins where the person is, at one o'clock where the clocks skip midnight.
import { Temporal } from 'temporal-polyfill';
import { FIELDS, type Field } from '../../core/chore/fields.ts';
import type { Priority } from '../../core/task/status.ts';
import { isFinished, type Status } from '../../core/task/status.ts';
import type { RemoteComment, RemoteTask, SourceConfig } from '../provider.ts';
import { annotationsOf, keysOf, labelsOf, listOf, secondOf, type TaskRecord, textOf } from './record.ts';

const AUTHOR = 'taskwarrior'; // Name of everybody who writes in a local database.
const PRIORITIES: Readonly<Record<string, Priority>> = { H: 'high', M: 'medium', L: 'low' };

export interface SourceSettings {
  config: SourceConfig;
  calendar: ReturnType<typeof createCalendar>;
  bodyAttribute: string | null; // Attribute that holds the body, or null.
  silent: readonly Field[];
}

/** Fields this source never speaks of. */
export function silentFields({ fields }: SourceConfig, bodyAttribute: string | null): Field[] {
  const lacking: Field[] = ['assignees', 'parent', ...(bodyAttribute === null ? (['body'] as const) : [])];
  return FIELDS.filter((field) => lacking.includes(field) || fields?.includes(field) === false);
}

/** `pending`, `active`, `waiting`, `completed`, `deleted`. */
export function stateOf(record: TaskRecord, nowSecond: number): string {
  const status = textOf(record, 'status');
  if (status === 'completed' || status === 'deleted') return status;
  // Before 2.6 waiting was a status; since then it is a pending task whose time has not come.
  const wait = secondOf(record, 'wait');
  if (wait === null ? status === 'waiting' : wait > nowSecond) return 'waiting';
  return secondOf(record, 'start') === null ? 'pending' : 'active';
}

const STATUSES: Readonly<Record<string, Status>> = {
  pending: 'todo',
  active: 'doing',
  waiting: 'draft',
  completed: 'done',
  deleted: 'canceled',
};

export const statusOf = (state: string): Status => STATUSES[state] ?? 'todo';

/** A template of recurring tasks: nothing to work on by itself, so that it is never mirrored. */
export const isTemplate = (record: TaskRecord): boolean => textOf(record, 'status') === 'recurring';

interface Facts {
  nowSecond: number; // Epoch seconds.
  /** Whether a blocker is over, from all records of the database; one that is purged blocks nothing. */
  isFinished(uuid: string): boolean;
  admitted: boolean; // Whether the source's own filter lets it in.
}

export function toRemoteTask(record: TaskRecord, settings: SourceSettings, facts: Facts): RemoteTask {
  const { silent, bodyAttribute, calendar } = settings;
  const speaksOf = (field: Field): boolean => !silent.includes(field);
  const state = stateOf(record, facts.nowSecond);
  const due = secondOf(record, 'due');
  const key = keysOf(record).task;
  const comments = speaksOf('comments') ? commentsOf(record) : [];
  const createdAt = secondOf(record, 'entry') ?? secondOf(record, 'modified') ?? 0;
  const labels = labelsOf(record);
  return {
    ref: record.uuid,
    uid: record.uuid,
    url: null,
    title: textOf(record, 'description'),
    body: bodyAttribute !== null && speaksOf('body') ? textOf(record, bodyAttribute) : '',
    state,
    status: statusOf(state),
    labels: speaksOf('labels') ? labels : [],
    assignees: [],
    priority: speaksOf('priority') ? (PRIORITIES[textOf(record, 'priority')] ?? null) : null,
    due: speaksOf('due') && due !== null ? calendar.dayOf(due) : null,
    milestone: null,
    parent: null,
    blockedBy: (speaksOf('blocked_by') ? listOf(record, 'depends') : []).map((uuid) => ({
      ref: uuid.toLowerCase(),
      finished: facts.isFinished(uuid.toLowerCase()),
    })),
    author: AUTHOR,
    role: null,
    mine: key !== null,
    key,
    createdAt: createdAt * 1000,
    updatedAt: (secondOf(record, 'modified') ?? createdAt) * 1000,
    locked: false,
    admitted: facts.admitted && passes(settings.config.filter, labels, statusOf(state)),
    commentCount: speaksOf('comments') ? comments.length : null,
    comments: { complete: speaksOf('comments'), items: comments },
    silent: [...silent],
  };
}

function passes(filter: SourceConfig['filter'], labels: readonly string[], status: Status): boolean {
  if (filter.state !== 'all' && (filter.state === 'closed') !== isFinished(status)) return false;
  return filter.labels.every((label) => labels.includes(label));
}

export function commentsOf(record: TaskRecord): RemoteComment[] {
  const keys = keysOf(record).annotations;
  return annotationsOf(record).map(({ second, text }) => ({
    id: commentId(record, second),
    author: AUTHOR,
    role: null,
    mine: keys.has(second),
    body: text,
    key: keys.get(second) ?? null,
    createdAt: second * 1000,
    updatedAt: second * 1000,
  }));
}

/** Taskwarrior keeps one annotation a second, so that its time names it inside the task; the UUID's start tells tasks apart. */
export const commentId = (record: TaskRecord, second: number) => `${record.uuid.slice(0, 8)}-${second}`;

/** The second in a comment's id, or null for one that is not of this task. */
export function secondOfComment(record: TaskRecord, id: string): number | null {
  const second = Number(/^[0-9a-f]{8}-(\d{1,12})$/.exec(id)?.[1] ?? Number.NaN);
  return Number.isSafeInteger(second) && id === commentId(record, second) ? second : null;
}

/** The calendar of `TZ` where it names a zone this runtime knows, else of the machine's own zone. */
export function createCalendar(env: Readonly<Record<string, string | undefined>>) {
  const timeZone = zoneOf(env.TZ?.replace(/^:/, ''));
  const localTimeOf = (second: number) =>
    Temporal.Instant.fromEpochMilliseconds(second * 1000).toZonedDateTimeISO(timeZone);
  return {
    /** `YYYY-MM-DD` of a moment in epoch seconds. */
    dayOf: (second: number): string => localTimeOf(second).toPlainDate().toString(),
    /** Epoch seconds at which `day` (`YYYY-MM-DD`) has the time of day that `like` has; its beginning without one. */
    momentOf(day: string, like: number | null): number {
      const plainTime = like === null ? undefined : localTimeOf(like).toPlainTime();
      const moment = Temporal.PlainDate.from(day).toZonedDateTime({ timeZone, plainTime });
      return Math.floor(moment.epochMilliseconds / 1000);
    },
  };
}

function zoneOf(name: string | undefined): string {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    return name ? new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone : own;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return own;
  }
}
