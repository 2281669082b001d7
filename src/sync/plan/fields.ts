// Each field of an issue, once: how the file says what the tracker says, how both sides become one, what is sent of it and how
// it is known to be there, and which value a person's text is. Whatever deals with all fields goes through this table. The
// file spells each by its name in the front matter, but for the body.
import { RoomError } from '../../core/errors.ts';
import { normaliseForeign } from '../../core/task/body/foreign-text.ts';
import { PRIORITIES, type Priority } from '../../core/task/priority.ts';
import { parseStatus, STATUSES } from '../../core/task/status.ts';
import { readDue } from '../../core/time/due-date.ts';
import type { Field, Profile, RemoteChange, RemoteTask } from '../../providers/provider.ts';
import type { LocalChange, LocalKey, LocalSide, PlanInput, RemoteFields } from './plan-data.ts';
import { type FieldPlan, planBody, planScalar, planSet } from './plan-fields.ts';
import { cutText, cutTitle } from './upstream-text.ts';

export type OneField = Exclude<Field, 'comments'>;

/** What the file may say: a title or body that is not there says nothing. */
type Said<K extends LocalKey> = K extends 'title' | 'body' ? string : LocalSide[K];
type Sent<K extends LocalKey> = Exclude<RemoteChange[K], undefined>;

type Links = Pick<PlanInput, 'provider' | 'taskOf'>;

interface FieldOf<K extends LocalKey> {
  name: OneField;
  /** The tracker's word in the file's terms. */
  inFile(remote: RemoteFields, links: Links): Said<K>;
  plan(input: PlanInput, remote: RemoteFields): FieldPlan<Said<K>, Sent<K>>;
  /** Within the tracker's limits. */
  fit?(sent: Sent<K>, profile: Profile): Sent<K>;
  /** Whether the issue shows what was sent. */
  shows(remote: RemoteTask, sent: Sent<K>, profile: Profile): boolean;
  /** What upstream said when the file said this; the same where it is absent. */
  upstream?(said: LocalSide[K], input: PlanInput): unknown;
  /** Of the base, what of the tracker's words belongs to it; its own key where it is absent. */
  words?: readonly (keyof RemoteFields)[];
  /** @throws RoomError `bad_input` for a text that it can't be */
  parse(text: string): Said<K>;
}

type AnyPlan<K extends LocalKey> = FieldPlan<Said<K>, Sent<K>>;

const word = <K extends 'priority' | 'due'>(name: K, parse: FieldOf<K>['parse']): FieldOf<K> => ({
  name,
  inFile: (remote) => remote[name] as Said<K>,
  plan(input, { [name]: theirs }) {
    const { base, local } = input;
    const localBase = base === null ? local[name] : base.local[name];
    return planScalar<string | null>(input, name, {
      local: local[name],
      remote: theirs,
      localBase,
      localChanged: local[name] !== localBase,
      remoteChanged: base !== null && theirs !== base.remote[name],
      same: local[name] === theirs,
    }) as AnyPlan<K>;
  },
  shows: (remote, sent) => remote[name] === sent,
  parse,
});

const names = <K extends 'labels' | 'assignees'>(name: K): FieldOf<K> => ({
  name,
  inFile: (remote) => remote[name] as Said<K>,
  plan: (input, remote) =>
    planSet(input, name, {
      localBase: input.base?.local[name] ?? [],
      remoteBase: input.base?.remote[name] ?? [],
      local: input.local[name],
      remote: remote[name],
    }) as unknown as AnyPlan<K>,
  shows: (remote, sent) => holds(remote[name], sent as Sent<'labels'>),
  parse: listOf as FieldOf<K>['parse'],
});

export const ISSUE_FIELDS: { readonly [K in LocalKey]: FieldOf<K> } = {
  title: {
    name: 'title',
    inFile: titleIn,
    plan(input, remote) {
      const { base, local, profile } = input;
      const cut = (title: string) => cutTitle(title, profile.limits.title);
      const localBase = base?.local.title ?? titleIn(remote);
      // A title without words is no wish to have none.
      const mine = local.title?.trim() ? local.title : localBase;
      return planScalar<string>(input, 'title', {
        local: mine,
        remote: titleIn(remote),
        localBase,
        localChanged: mine !== localBase,
        remoteChanged: base !== null && remote.title !== base.remote.title,
        same: cut(mine) === cut(remote.title),
      });
    },
    fit: (title, { limits }) => cutTitle(title, limits.title),
    shows: ({ title }, sent, profile) => sameText(sent, title, profile),
    parse(text) {
      const title = text.trim();
      if (title === '' || /[\r\n]/.test(title)) refuse('title', text, 'one line with words');
      return title;
    },
  },
  body: {
    name: 'body',
    inFile: ({ body }) => normaliseForeign(body),
    plan: planBody,
    fit: (body, { limits }) => cutText(body, limits.body),
    shows: ({ body }, sent, profile) => sameText(sent, body, profile),
    parse: (text) => text.replaceAll('\r\n', '\n'),
  },
  status: {
    name: 'status',
    inFile: ({ status }) => status,
    plan(input, remote) {
      const { base, local, profile } = input;
      // In Review stays In Review while the task is doing: only a change of class counts.
      const { classOf } = profile;
      const localBase = base?.local.status ?? local.status;
      return planScalar(input, 'status', {
        local: local.status,
        remote: remote.status,
        localBase,
        localChanged: classOf(local.status) !== classOf(localBase),
        remoteChanged: base !== null && classOf(remote.status) !== classOf(base.remote.status),
        same: classOf(local.status) === classOf(remote.status),
      });
    },
    shows: ({ status }, sent, { classOf }) => classOf(sent) === classOf(status),
    words: ['state', 'status'],
    parse: (text) => parseStatus(text.trim()) ?? refuse('status', text, `one of ${STATUSES.join(', ')}`),
  },
  labels: names('labels'),
  assignees: names('assignees'),
  priority: word('priority', (text) => orNone(text, priorityOf)),
  due: word('due', (text) =>
    orNone(text, (day) => (readDue(day) === null ? refuse('due', text, 'a date such as 2026-11-30') : day)),
  ),
  parent: {
    name: 'parent',
    inFile: parentIn,
    plan(input, remote) {
      const { base, local } = input;
      const mine = local.parent === null ? null : refFor(input, local.parent);
      const isKnown = local.parent === null || mine !== null;
      const localBase = base === null ? local.parent : base.local.parent;
      const plan = planScalar<string | null>(input, 'parent', {
        local: local.parent,
        remote: parentIn(remote, input),
        localBase,
        localChanged: local.parent !== localBase,
        remoteChanged: base !== null && remote.parent !== base.remote.parent,
        same: mine === remote.parent && isKnown,
        sendable: isKnown,
      });
      // Upstream it is known by its reference.
      return plan.up ? { ...plan, up: { value: mine } } : plan;
    },
    shows: ({ parent }, sent) => parent === sent,
    upstream: (said, input) => (said === null ? null : (refFor(input, said) ?? '')),
    parse: (text) => orNone(text, (ref) => (/[\r\n]/.test(ref) ? refuse('parent', text, 'one task') : ref)),
  },
  blockedBy: {
    name: 'blocked_by',
    inFile: blockersIn,
    plan: planBlockers,
    shows: ({ blockedBy }, sent) =>
      holds(
        blockedBy.map(({ ref }) => ref),
        sent,
      ),
    upstream: (said, input) =>
      said.flatMap((word) => refFor(input, word) ?? []).map((ref) => ({ ref, finished: false })),
    parse: listOf,
  },
};

/** Blockers, in the file's words; upstream only those that are issues there. */
function planBlockers(input: PlanInput, remote: RemoteFields): AnyPlan<'blockedBy'> {
  const { base, local } = input;
  const lists = {
    localBase: base?.local.blockedBy ?? [],
    remoteBase: base === null ? [] : blockersIn(base.remote, input),
    local: local.blockedBy,
    remote: blockersIn(remote, input),
  };
  const plan = planSet(input, 'blocked_by', lists, (word) => refFor(input, word) ?? word);
  if (!plan.up) return plan;
  const refs = (list: readonly string[]) => list.flatMap((word) => refFor(input, word) ?? []);
  const value = { add: refs(plan.up.value.add), remove: refs(plan.up.value.remove) };
  if (value.add.length + value.remove.length > 0) return { ...plan, up: { value } };
  const { up: _nothing, ...rest } = plan;
  return { ...rest, reason: plan.down ? 'remote_changed' : 'not_pushed' };
}

function titleIn({ title }: RemoteFields): string {
  return cutTitle(title, Number.POSITIVE_INFINITY);
}

/** How the file names an issue: the task that mirrors it, else the issue itself. */
function wordFor({ provider, taskOf }: Links, ref: string): string {
  return taskOf(ref) ?? `task:${provider}:${ref}`;
}

/** The issue a word of the file means, or null. */
function refFor({ provider, refOf }: PlanInput, word: string): string | null {
  const named = word.trim().replace(/^task:/, '');
  return named.startsWith(`${provider}:`) ? named.slice(provider.length + 1) : refOf(word);
}

function parentIn({ parent }: RemoteFields, links: Links): string | null {
  return parent === null ? null : wordFor(links, parent);
}

/** An issue that is over and not mirrored blocks nothing. */
function blockersIn({ blockedBy }: RemoteFields, links: Links): string[] {
  return blockedBy
    .filter(({ ref, finished }) => !finished || links.taskOf(ref) !== null)
    .map(({ ref }) => wordFor(links, ref));
}

export const LOCAL_KEYS = Object.keys(ISSUE_FIELDS) as LocalKey[];

/** The part of a file's change or side that a field is. */
export function keyOf(name: OneField): LocalKey {
  return LOCAL_KEYS.find((key) => ISSUE_FIELDS[key].name === name)!;
}

/** A value as one text, for people who compare two of them. */
export function textOf(value: LocalSide[LocalKey], name: OneField): string {
  if (Array.isArray(value)) return value.join('\n');
  return value ?? (name === 'title' || name === 'body' ? '' : NONE);
}

/** @param entry of a comment: its id in the file; a comment that is no entry there is an empty text */
export function textOfField(local: LocalSide, field: Field, entry: string | null): string {
  if (field === 'comments') return local.comments.find(({ id }) => id === entry)?.text ?? '';
  return textOf(local[keyOf(field)], field);
}

/** What a plan makes of a field, as {@link textOfField} says it. */
export function textAfter(local: LocalSide, change: LocalChange | null, field: Field, entry: string | null) {
  const edited = change?.editedComments.find((one) => one.entry === entry);
  if (field === 'comments') return edited?.text ?? textOfField(local, field, entry);
  const value = change?.[keyOf(field)];
  return value === undefined ? textOfField(local, field, entry) : textOf(value, field);
}

/**
 * The change that makes a file say this of a field.
 * @throws RoomError `bad_input` for a text that the field can't be
 */
export function changeFromText(field: OneField, text: string): Partial<LocalChange> {
  const key = keyOf(field);
  return { [key]: ISSUE_FIELDS[key].parse(text) };
}

/** Whether the tracker holds this text, whatever it rewrote. */
export function sameText(a: string, b: string, profile: Profile): boolean {
  return a === b || profile.normalise(a) === profile.normalise(b);
}

/** What of these names the list lacks, in any case. */
export function missingFrom(names: readonly string[], list: readonly string[]): string[] {
  const there = new Set(list.map((item) => item.toLowerCase()));
  return names.filter((name) => !there.has(name.toLowerCase()));
}

function holds(list: readonly string[], { add, remove }: Sent<'labels'>): boolean {
  return missingFrom(add, list).length === 0 && missingFrom(remove, list).length === remove.length;
}

const NONE = 'none';

function orNone<T>(text: string, read: (word: string) => T): T | null {
  const word = text.trim();
  return word === '' || word.toLowerCase() === NONE ? null : read(word);
}

function priorityOf(word: string): Priority {
  const found = PRIORITIES.find((one) => one === word.toLowerCase());
  return found ?? refuse('priority', word, `one of ${PRIORITIES.join(', ')}, ${NONE}`);
}

function listOf(text: string): string[] {
  const items = text.split(/[\n,]/).map((item) => item.trim());
  return [...new Set(items.filter((item) => item !== '' && item.toLowerCase() !== NONE))];
}

function refuse(name: OneField, text: string, expected: string): never {
  const shown = text.length > 80 ? `${text.slice(0, 79)}…` : text;
  throw new RoomError('bad_input', `${JSON.stringify(shown)} can't be the ${name}`, {
    hint: `expected ${expected}`,
  });
}
