// Each field of an issue, once: how the file says what the tracker says and the other way round, how both sides become one, how
// it is known that the tracker took it, and which value a person's text is. Whatever deals with all fields goes through this
// table. The file spells each by its name in the front matter, but for the body.
import { RoomError } from '../../core/errors.ts';
import { normaliseForeign } from '../../core/task/body/foreign-text.ts';
import type { OwnStatuses, Status } from '../../core/task/status.ts';
import { PRIORITIES, readStatus, STATUSES, statusWord } from '../../core/task/status.ts';
import { readDue } from '../../core/time/durations.ts';
import type { Field, ListChange, Profile, RemoteTask } from '../../providers/provider.ts';
import type { LocalChange, LocalKey, LocalSide, PlanInput, RemoteFields } from './plan-data.ts';
import { type FieldPlan, planBody, planScalar, planSet, type Word } from './plan-fields.ts';
import { cutTitle } from './upstream-text.ts';

export type OneField = Exclude<Field, 'comments'>;
type Links = Pick<PlanInput, 'provider' | 'taskOf'>;

interface IssueField {
  name: OneField;
  inFile(remote: RemoteFields, links: Links): Word; // The tracker's word in the file's terms.
  /** The file's word in the tracker's terms; undefined where it has none. */
  upstream(word: Word, input: PlanInput): unknown;
  plan(input: PlanInput, remote: RemoteFields): FieldPlan;
  shows(remote: RemoteTask, sent: unknown, profile: Profile): boolean;
  /** @throws RoomError `bad_input` for a text that it can't be */
  parse(text: string, own: OwnStatuses): Word;
}

interface ScalarField extends Pick<IssueField, 'parse'>, Partial<Pick<IssueField, 'upstream' | 'shows'>> {
  inFile?(remote: RemoteFields, links: Links): string | null;
  means?(sent: unknown, profile: Profile): unknown; // Words of one meaning are the same.
  speaks?(word: string | null): boolean; // Whether this word says anything.
}

function scalar(name: 'title' | 'status' | 'priority' | 'due' | 'parent', own: ScalarField): IssueField {
  const { inFile = (remote) => remote[name], means = (sent) => sent, speaks = () => true } = own;
  const upstream: IssueField['upstream'] = (word, input) =>
    word === null ? (name === 'title' ? '' : null) : own.upstream ? own.upstream(word, input) : word;
  return {
    name,
    inFile,
    shows: (remote, sent, profile) => means(sent, profile) === means(remote[name], profile),
    ...own,
    upstream,
    plan(input, remote) {
      const { base, local } = input;
      const theirs = inFile(remote, input);
      const was = base?.local[name];
      const localBase = was === undefined || (was === null && !speaks(null)) ? theirs : was;
      const mine = speaks(local[name]) ? local[name] : localBase;
      const meaning = (word: string | null) => {
        const sent = upstream(word, input);
        return sent === undefined ? `unknown ${word}` : means(sent, input.profile);
      };
      return planScalar(input, name, {
        ...{ local: mine, remote: theirs, localBase, sent: upstream(mine, input) },
        localChanged: meaning(mine) !== meaning(localBase),
        remoteChanged: base !== null && meaning(theirs) !== meaning(inFile(base.remote, input)),
        same: meaning(mine) === meaning(theirs),
      });
    },
  };
}

/** Names compare without case and the blanks around them. */
const names = (name: 'labels' | 'assignees'): IssueField => ({
  name,
  inFile: (remote) => remote[name],
  upstream: (word) => word,
  plan(input, remote) {
    const lists = {
      localBase: input.base?.local[name] ?? [],
      remoteBase: input.base?.remote[name] ?? [],
      local: input.local[name],
      remote: remote[name],
    };
    return planSet(input, name, lists, String, (item) => item.trim().toLowerCase());
  },
  shows: (remote, sent) => holds(remote[name], sent as ListChange),
  parse: listOf,
});

export const ISSUE_FIELDS: Readonly<Record<LocalKey, IssueField>> = {
  title: scalar('title', {
    inFile: ({ title }) => cutTitle(title, Number.POSITIVE_INFINITY),
    upstream: (title, { profile }) => cutTitle(String(title), profile.limits.title),
    // A title without words is no wish to have none.
    speaks: (title) => Boolean(title?.trim()),
    shows: ({ title }, sent, profile) => sameText(String(sent), title, profile),
    parse(text) {
      const title = text.trim();
      return title === '' || /[\r\n]/.test(title) ? refuse('title', text, 'one line with words') : title;
    },
  }),
  body: {
    name: 'body',
    inFile: ({ body }) => normaliseForeign(body),
    upstream: (word) => word ?? '',
    plan: planBody,
    shows: ({ body }, sent, profile) => sameText(String(sent), body, profile),
    parse: (text) => text.replaceAll('\r\n', '\n'),
  },
  status: scalar('status', {
    inFile: statusWord,
    upstream: (word, input) => statusUpstream(String(word), input),
    // In Review stays In Review while the task is doing: only a change of class counts.
    means: (sent, { classOf }) => classOf(sent as Status),
    shows: (remote, sent, { classOf }) => classOf(statusWord(remote) as Status) === classOf(sent as Status),
    parse: (text, own) => {
      const said = readStatus(text, () => own);
      const known = [...STATUSES, ...Object.keys(own)];
      return said === null ? refuse('status', text, `one of ${known.join(', ')}`) : statusWord(said);
    },
  }),
  labels: names('labels'),
  assignees: names('assignees'),
  priority: scalar('priority', {
    parse: (text) =>
      orNone(text, (word) => {
        const found = PRIORITIES.find((one) => one === word.toLowerCase());
        return found ?? refuse('priority', word, `one of ${PRIORITIES.join(', ')}, ${NONE}`);
      }),
  }),
  due: scalar('due', {
    parse: (text) =>
      orNone(text, (day) => (readDue(day) === null ? refuse('due', text, 'a date such as 2026-11-30') : day)),
  }),
  parent: scalar('parent', {
    inFile: ({ parent }, links) => (parent === null ? null : wordFor(links, parent)),
    upstream: (word, input) => refFor(input, String(word)) ?? undefined,
    parse: (text) => orNone(text, (ref) => (/[\r\n]/.test(ref) ? refuse('parent', text, 'one task') : ref)),
  }),
  blockedBy: {
    name: 'blocked_by',
    inFile: blockersIn,
    upstream: (words, input) =>
      (words as readonly string[]).flatMap((word) => {
        const ref = refFor(input, word);
        return ref === null ? [] : [{ ref, finished: false }];
      }),
    plan(input, remote) {
      const { base, local } = input;
      const lists = {
        localBase: base?.local.blockedBy ?? [],
        remoteBase: base === null ? [] : blockersIn(base.remote, input),
        local: local.blockedBy,
        remote: blockersIn(remote, input),
      };
      const refOf = (word: string) => refFor(input, word);
      return planSet(input, 'blocked_by', lists, refOf, (word) => refOf(word) ?? word);
    },
    shows({ blockedBy }, sent) {
      const refs = blockedBy.map(({ ref }) => ref);
      return holds(refs, sent as ListChange);
    },
    parse: listOf,
  },
};

export const LOCAL_KEYS = Object.keys(ISSUE_FIELDS) as LocalKey[];

/** How the file names an issue: the task that mirrors it, else the issue itself. */
function wordFor({ provider, taskOf }: Links, ref: string): string {
  return taskOf(ref) ?? `task:${provider}:${ref}`;
}

function refFor({ provider, refOf }: PlanInput, word: string): string | null {
  const named = word.trim().replace(/^task:/, '');
  return named.startsWith(`${provider}:`) ? named.slice(provider.length + 1) : refOf(word);
}

/** An issue that is over and not mirrored blocks nothing. */
function blockersIn({ blockedBy }: RemoteFields, links: Links): string[] {
  return blockedBy
    .filter(({ ref, finished }) => !finished || links.taskOf(ref) !== null)
    .map(({ ref }) => wordFor(links, ref));
}

const keyOf = (name: OneField): LocalKey => LOCAL_KEYS.find((key) => ISSUE_FIELDS[key].name === name)!;

/** A value as one text, for people who compare two of them. */
export function textOf(value: Word, name: OneField): string {
  if (typeof value === 'string') return value;
  return value?.join('\n') ?? (name === 'title' || name === 'body' ? '' : NONE);
}

/** @param entry of a comment: its id in the file; a comment that is no entry there is an empty text */
export function textOfField(local: LocalSide, field: Field, entry: string | null): string {
  if (field === 'comments') return local.comments.find(({ id }) => id === entry)?.text ?? '';
  return textOf(local[keyOf(field)], field);
}

/** What a plan makes of a field, as {@link textOfField} says it. */
export function textAfter(local: LocalSide, change: LocalChange | null, field: Field, entry: string | null) {
  const value =
    field === 'comments'
      ? change?.editedComments.find((one) => one.entry === entry)?.text
      : change?.[keyOf(field)];
  if (value === undefined) return textOfField(local, field, entry);
  return field === 'comments' ? String(value) : textOf(value, field);
}

/** The change that makes a file say this of a field. @throws RoomError `bad_input` for a text that the field can't be */
export function changeFromText(field: OneField, text: string, own: OwnStatuses): Partial<LocalChange> {
  const key = keyOf(field);
  return { [key]: ISSUE_FIELDS[key].parse(text, own) };
}

/** Whether the tracker holds this text, whatever it rewrote. */
export function sameText(a: string, b: string, profile: Profile): boolean {
  return a === b || profile.normalise(a) === profile.normalise(b);
}

/** Those of the names that the list lacks, in any case. */
export function missingFrom(names: readonly string[], list: readonly string[]): string[] {
  const there = new Set(list.map((item) => item.toLowerCase()));
  return names.filter((name) => !there.has(name.toLowerCase()));
}

function holds(list: readonly string[], { add, remove }: ListChange): boolean {
  return missingFrom(add, list).length === 0 && missingFrom(remove, list).length === remove.length;
}

const NONE = 'none';

function orNone(text: string, read: (word: string) => string): string | null {
  const word = text.trim();
  return word === '' || word.toLowerCase() === NONE ? null : read(word);
}

function listOf(text: string): string[] {
  const items = text.split(/[\n,]/).map((item) => item.trim());
  return [...new Set(items.filter((item) => item !== '' && item.toLowerCase() !== NONE))];
}

function refuse(name: OneField, text: string, expected: string): never {
  const shown = text.length > 80 ? `${text.slice(0, 79)}…` : text;
  throw new RoomError('bad_input', `${JSON.stringify(shown)} can't be the ${name}`, `expected ${expected}`);
}

/** A word that the tracker has no state for goes up as what it counts as. */
export function statusUpstream(word: string, { profile, statuses }: Pick<PlanInput, 'profile' | 'statuses'>) {
  const isKnown = profile.ownStatuses?.includes(word) === true;
  return (isKnown ? word : (readStatus(word, () => statuses)?.status ?? word)) as Status;
}

/** What only comes down. */
export const FACTS = ['milestone', 'type', 'project'] as const;

export const stateOf = ({ state, ownStatus }: RemoteFields) => ({ state, ownStatus });
