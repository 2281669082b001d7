// Linear's answers as RemoteTask and RemoteComment. What this side creates has an id made of its key, so that a second try is
// told from a first. Linear takes UUIDs of version 4 alone. A key of up to 20 characters stands in the id itself and can be
// read back; a longer one is hashed into it. A state's type decides which status it means; going back, the team's first state of
// a type stands for the status unless the source names another.
import { createHash } from 'node:crypto';
import { FIELDS, type Field } from '../../core/chore/fields.ts';
import { RoomError } from '../../core/errors.ts';
import type { Priority, SaidStatus, Status } from '../../core/task/status.ts';
import type { Author, RemoteComment, RemoteTask, SourceConfig } from '../provider.ts';
import { wordNamed } from '../tracker-rules.ts';
import type { CommentAnswer, IssueAnswer, StateAnswer, UserAnswer } from './documents.ts';
import { type LinearOptions, owns } from './options.ts';

export interface Reading {
  config: SourceConfig;
  options: LinearOptions;
  fields: ReadonlySet<Field>;
  /** The token is an app's: what it says in its sessions Linear shows as comments of its own, too. */
  isApp: boolean;
}

/** Comments, labels and relations of the answer are complete. */
export function toRemoteTask(issue: IssueAnswer, reading: Reading): RemoteTask {
  const { fields, options, isApp } = reading;
  const author = authorOf(issue.creator, issue.botActor, issue.externalUserCreator);
  const all = issue.comments?.nodes.map(toRemoteComment) ?? [];
  const comments = isApp ? all.filter(({ mine, key }) => !mine || key !== null) : all;
  // Whoever hands work over means it to begin.
  const early = issue.delegate?.isMe ? ({ triage: 'todo', backlog: 'todo' } as const) : options;
  return {
    ref: issue.identifier,
    uid: issue.id,
    url: issue.url,
    title: issue.title,
    body: issue.description ?? '',
    state: issue.state.name,
    ...saidBy(issue.state, { ...options, ...early }),
    labels: issue.labels?.nodes.map(({ name }) => name) ?? [],
    assignees: issue.assignee ? [issue.assignee.displayName] : [],
    priority: toPriority(issue.priority ?? 0),
    due: issue.dueDate ?? null,
    milestone: null,
    parent: issue.parent?.identifier ?? null,
    blockedBy: blockersOf(issue),
    ...author,
    key: keyOfUuid(issue.id),
    createdAt: Date.parse(issue.createdAt),
    updatedAt: Date.parse(issue.updatedAt),
    locked: false,
    admitted: isAdmitted(issue, reading),
    commentCount: fields.has('comments') ? comments.length : null,
    comments: {
      complete: fields.has('comments'),
      items: comments.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)),
    },
    silent: FIELDS.filter((field) => !fields.has(field)),
  };
}

export const toRemoteComment = (comment: CommentAnswer): RemoteComment => ({
  id: comment.id,
  ...authorOf(comment.user, comment.botActor, comment.externalUser),
  body: comment.body,
  key: keyOfUuid(comment.id),
  createdAt: Date.parse(comment.createdAt),
  updatedAt: Date.parse(comment.updatedAt),
});

export function authorOf(
  user: UserAnswer | null,
  bot: CommentAnswer['botActor'],
  external: CommentAnswer['externalUser'],
): Author {
  if (user) return { author: user.displayName, role: roleOf(user), mine: user.isMe };
  return { author: bot?.name ?? external?.displayName ?? 'unknown', role: 'none', mine: false };
}

function roleOf(user: UserAnswer): string {
  if (user.app) return 'app';
  if (user.guest) return 'guest';
  if (user.owner) return 'owner';
  return user.admin ? 'admin' : 'member';
}

function blockersOf({ inverseRelations }: IssueAnswer): RemoteTask['blockedBy'] {
  const blocks = (inverseRelations?.nodes ?? []).filter(({ type }) => type === 'blocks');
  return blocks.map(({ issue }) => ({
    ref: issue.identifier,
    finished: FINISHED_TYPES.includes(issue.state.type),
  }));
}

/** Linear's 0 to 4; urgent and high are both high here. */
export function toPriority(priority: number): Priority | null {
  if (priority === 1 || priority === 2) return 'high';
  if (priority === 3) return 'medium';
  return priority === 4 ? 'low' : null;
}

export const fromPriority = (priority: Priority | null): number =>
  priority === null ? 0 : { high: 2, medium: 3, low: 4 }[priority];

/** The filter of the source, said over one issue; `listing.ts` says the same to the server. */
function isAdmitted(issue: IssueAnswer, { config }: Reading): boolean {
  const { labels, assignee, state } = config.filter;
  if (!owns(issue.identifier, config)) return false;
  const own = new Set(issue.labels?.nodes.map(({ name }) => name.toLowerCase()));
  if (!labels.every((label) => own.has(label.toLowerCase()))) return false;
  const isDelegated = assignee === 'me' && issue.delegate?.isMe === true;
  if (assignee !== null && !isDelegated && !isPerson(issue.assignee, assignee)) return false;
  const isOver = FINISHED_TYPES.includes(issue.state.type);
  return state === 'all' || (state === 'closed') === isOver;
}

/** Whether a user is who a person names so: `me`, display name, name or address. */
export function isPerson(
  user: Pick<UserAnswer, 'name' | 'displayName' | 'email' | 'isMe'> | null | undefined,
  word: string,
): boolean {
  if (!user) return false;
  if (word === 'me') return user.isMe;
  const wanted = word.toLowerCase();
  return [user.displayName, user.name, user.email].some((one) => one?.toLowerCase() === wanted);
}

/** Users a person names so, for the server; `isPerson` says the same over one user. */
export function personFilter(word: string): Record<string, unknown> {
  if (word === 'me') return { isMe: { eq: true } };
  return { or: ['displayName', 'name', 'email'].map((field) => ({ [field]: { eqIgnoreCase: word } })) };
}

/** In front of a key that can be read back: an id of anybody else hardly ever begins like this. */
const MARK = 0x7a5cn;
const BODY_BITS = 106n;
const LONGEST = 20;

export function uuidOfKey(key: string): string {
  if (!/^[0-9a-z]+$/.test(key)) throw new Error('not an idempotency key');
  if (key.length <= LONGEST) return format((MARK << BODY_BITS) | toNumber(`1${key}`));
  const digest = createHash('sha256').update(`taskroom:${key}`).digest('hex');
  return format(BigInt(`0x${digest}`) & ((1n << 122n) - 1n));
}

const LOW = (1n << 62n) - 1n;

/** The key an id was made of; null for any other id. */
export function keyOfUuid(id: string): string | null {
  const hex = id.replaceAll('-', '');
  if (!/^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$/.test(hex)) return null;
  const high = BigInt(`0x${hex.slice(0, 12)}${hex.slice(13, 16)}`);
  const bits = (high << 62n) | (BigInt(`0x${hex.slice(16)}`) & LOW);
  if (bits >> BODY_BITS !== MARK) return null;
  const text = (bits & ((1n << BODY_BITS) - 1n)).toString(36);
  return text.startsWith('1') && text.length > 1 ? text.slice(1) : null;
}

/** 122 bits as a UUID of version 4. */
function format(bits: bigint): string {
  const high = (bits >> 62n).toString(16).padStart(15, '0');
  const low = ((bits & LOW) | (0b10n << 62n)).toString(16).padStart(16, '0');
  return `${high}${low}`.replace(/^(.{8})(.{4})(.{3})(.{4})/, '$1-$2-4$3-$4-');
}

const toNumber = (text: string): bigint =>
  [...text].reduce((number, digit) => number * 36n + BigInt(Number.parseInt(digit, 36)), 0n);

const STATUS_OF: Readonly<Record<string, Status>> = {
  started: 'doing',
  completed: 'done',
  canceled: 'canceled',
  duplicate: 'canceled',
};

/** What a state of this type means. A type that is not known is open work. */
export const statusOf = (type: string, { triage, backlog }: Pick<LinearOptions, 'triage' | 'backlog'>) =>
  ({ triage, backlog, ...STATUS_OF })[type] ?? 'todo';

function saidBy({ name, type }: IssueAnswer['state'], options: LinearOptions): SaidStatus {
  const { states, own } = options;
  const ownStatus = wordNamed(states, name, Object.keys(own));
  return ownStatus === undefined
    ? { status: statusOf(type, options) }
    : { status: own[ownStatus]!, ownStatus };
}

/** Statuses that share a word can't be told apart: without a state for drafts, a draft is a todo. */
export function classOf(status: Status, { triage, backlog, states }: LinearOptions): Status {
  const hasDrafts = triage === 'draft' || backlog === 'draft' || states.draft !== undefined;
  return status === 'draft' && !hasDrafts ? 'todo' : status;
}

const TYPES_OF: Readonly<Record<Status, readonly string[]>> = {
  draft: [],
  todo: ['unstarted'],
  doing: ['started'],
  done: ['completed'],
  canceled: ['canceled'],
};

export const FINISHED_TYPES: readonly string[] = ['completed', 'canceled', 'duplicate'];

/** @throws RoomError `bad_input` for a state of the source that the team lacks, `refused` when the team has none that fits */
export function stateFor(
  wanted: Status,
  team: string,
  states: readonly StateAnswer[],
  options: LinearOptions,
): StateAnswer {
  const status = classOf(wanted, options);
  const name = options.states[status];
  if (name !== undefined) {
    const named = states.find((state) => state.name.toLowerCase() === name.trim().toLowerCase());
    const hint = `mend states.${status} of the mirror`;
    if (!named) throw new RoomError('bad_input', `team ${team} has no state ${JSON.stringify(name)}`, hint);
    return named;
  }
  const early = (['backlog', 'triage'] as const).filter((type) => options[type] === status);
  for (const type of [...TYPES_OF[status], ...early]) {
    const first = states.filter((state) => state.type === type).sort((a, b) => a.position - b.position)[0];
    if (first) return first;
  }
  throw new RoomError('refused', `team ${team} of Linear has no state that stands for ${status}`, {
    hint: `name one as states.${status} of the mirror`,
  });
}
