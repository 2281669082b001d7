// The base (what both sides last agreed on): as a row of the ledger holds it, and after the tracker took something from us.
import { hash } from 'node:crypto';
import { parseDocument } from '../../core/document/document.ts';
import type { TaskId } from '../../core/ids.ts';
import { endWithoutBlanks } from '../../core/markdown/lines.ts';
import { readComments, readOutcome, readProgress } from '../../core/task/body/entries.ts';
import { normaliseForeign } from '../../core/task/body/foreign-text.ts';
import { isQuestionMark, questionMark, readQuestions } from '../../core/task/body/questions.ts';
import { readSections, type SectionName, sectionsNamed } from '../../core/task/body/sections.ts';
import { readList, type StatusWords } from '../../core/task/key-kinds.ts';
import { hashText, readTask } from '../../core/task/read-task.ts';
import { statusWord } from '../../core/task/status.ts';
import type { Task } from '../../core/task/task.ts';
import type { Effects } from '../../effects.ts';
import type { ListChange, RemoteChange, RemoteComment, RemoteTask } from '../../providers/provider.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { MirrorRow } from '../../store/ledger/mirrors/mirrors.ts';
import { FACTS, LOCAL_KEYS, stateOf } from './fields.ts';
import type { Base, CommentPush, LocalFields, LocalKey, LocalSide } from './plan-data.ts';

// Reads a task file as the local side of a mirror: its fields, its comments, and the sections that go upstream.

type KeyFields = Omit<Pick<Task, keyof LocalFields & keyof Task>, 'status'>;

/** The file's side of a mirror; null when it can't be read as a task, or has no id. */
export function readLocalSide(path: string, text: string, words: StatusWords): LocalSide | null {
  const parsed = parseDocument(text, path);
  if (!parsed.ok) return null;
  const reading = readTask(path, text, words, hashText(text), parsed);
  if (!reading.ok || reading.task.id === null) return null;
  const { task } = reading;
  const body = text.slice(parsed.doc.bodyStart);
  const sections = readSections(body);
  const contentOf = (name: SectionName) =>
    sectionsNamed(sections, name)
      .map((section) =>
        body.slice(section.contentStart, endWithoutBlanks(body, section.end, section.contentStart)),
      )
      .join('\n')
      .trim();
  const { foreign } = sections;
  const questions = readQuestions(body, sections);
  return {
    id: task.id!,
    path,
    hash: task.hash,
    ...(Object.fromEntries(LOCAL_KEYS.map((key) => [key, task[key as keyof Task]])) as KeyFields),
    status: statusWord(task),
    class: task.status,
    assignees: readList({ doc: parsed.doc, path, problems: [] }, 'assignees'),
    body: foreign ? normaliseForeign(body.slice(foreign.contentStart, foreign.contentEnd)) : null,
    remote: task.remote,
    paused: task.paused,
    comments: [
      ...readComments(body, sections),
      ...questions.map(({ key, answers: _answers, ...entry }) => ({ ...entry, id: questionMark(key) })),
    ],
    questions,
    progress: readProgress(body, sections),
    // What the runtime itself says goes nowhere.
    outcome: readOutcome(body, sections).filter(({ isNote }) => !isNote),
    notes: contentOf('Notes'),
    steps: contentOf('Steps'),
  };
}

export const localFields = (local: LocalSide): LocalFields =>
  Object.fromEntries(LOCAL_KEYS.map((key) => [key, local[key]])) as LocalFields;

export const packBase = (base: Base): string => JSON.stringify(base);

/** Hash of all the tracker said of an issue: the same again is nothing new. */
export const remoteHashOf = (remote: RemoteTask): string => hashOf(JSON.stringify(remote));

/** A link that has yet to be dealt with: both sides are to be compared. */
export function newRow(
  pass: { deps: { effects: Pick<Effects, 'now'> }; config: { provider: string }; chore: string },
  task: TaskId,
  { uid, ref, url }: Pick<RemoteTask, 'uid' | 'ref' | 'url'>,
  path: string,
): MirrorRow {
  const { deps, config, chore } = pass;
  const link = { task, provider: config.provider, uid, ref, url, chore, path };
  const nothing = { message: null, cause: null, localHash: null, remoteHash: null, dueAt: null, base: null };
  const syncedAt = Math.trunc(deps.effects.now());
  return { ...link, ...nothing, state: 'pending', remoteUpdatedAt: 0, syncedAt, tries: 0 };
}

/** Remote refs ⇄ task ids of every mirror of a provider. */
export const linksOf = (ledger: Ledger, provider: string) => ({
  taskOf: (ref: string): TaskId | null => ledger.mirrors.byRef(provider, ref)?.task ?? null,
  refOf(word: string): string | null {
    const name = word.trim().replace(/^task:(local:)?/, '');
    const task = ledger.tasks.get(name) ?? ledger.tasks.byName(name);
    const row = ledger.mirrors.get(task?.id ?? name);
    return row?.provider === provider ? row.ref : null;
  },
});

/** After an update: the tracker says `result`, the fields that were sent are agreed on as the file had them. What the answer is
 * silent about, and what changed upstream beside our write, is for the next plan to find.
 * @param local the side the push was planned from, after the plan's own change of the file */
export function baseAfterPush(base: Base, change: RemoteChange, result: RemoteTask, local: LocalSide): Base {
  const { comments: _comments, ...remote } = result;
  const [sent, others] = [true, false].map((isSent) =>
    LOCAL_KEYS.filter((key) => (change[key] !== undefined) === isSent),
  ) as [LocalKey[], LocalKey[]];
  const pick = <T extends object>(of: T, keys: readonly (keyof T)[]) =>
    Object.fromEntries(keys.map((key) => [key, of[key]]));
  const { labels, assignees, blockedBy } = change;
  const was = base.remote;
  const lists = {
    ...(labels && { labels: expected(was.labels, labels, result.labels, String) }),
    ...(assignees && { assignees: expected(was.assignees, assignees, result.assignees, String) }),
    ...(blockedBy && { blockedBy: expected(was.blockedBy, blockedBy, result.blockedBy, ({ ref }) => ref) }),
  };
  const state = change.status === undefined ? stateOf(was) : {};
  return {
    ...base,
    // Who changed the rest beside us is asked for since the last agreement.
    remote: { ...remote, ...pick(was, [...others, ...FACTS]), ...lists, ...state, updatedAt: was.updatedAt },
    local: { ...base.local, ...pick(local, sent) },
  };
}

/** Of a list we changed: what somebody else put in beside us stays unknown, so that the next plan brings it down. */
function expected<T>(
  before: readonly T[],
  { add, remove }: ListChange,
  result: readonly T[],
  nameOf: (item: T) => string,
): T[] {
  const names = new Set([...before.map(nameOf), ...add].map((name) => name.toLowerCase()));
  for (const name of remove) names.delete(name.toLowerCase());
  return result.filter((item) => names.has(nameOf(item).toLowerCase()));
}

export function baseAfterComment(base: Base, push: CommentPush, result: RemoteComment): Base {
  const remote = hashOf(result.body);
  const isEntry = push.kind === 'entry' || push.kind === 'edit';
  const known = isEntry
    ? { text: push.hash, local: push.entry, ...(isQuestionMark(push.entry) ? { at: result.createdAt } : {}) }
    : { text: remote, local: `#${push.kind}` };
  const comments = { ...base.comments, [result.id]: { remote, deleted: false, ...known } };
  const own = isEntry ? base.own : { ...base.own, [push.kind]: { ...push.own, id: result.id } };
  return { ...base, comments, own };
}

export function baseAfterGone(base: Base, commentId: string): Base {
  const known = base.comments[commentId];
  if (!known) return base;
  return { ...base, comments: { ...base.comments, [commentId]: { ...known, deleted: true } } };
}

/** For another room: sections that went up are not its own. Their comments are known, so that they don't come in. */
export function withoutOwn(base: Base): Base {
  const comments = Object.entries(base.comments).map(([id, known]) => [
    id,
    known.local?.startsWith('#') ? { ...known, local: null } : known,
  ]);
  return { ...base, own: {}, comments: Object.fromEntries(comments) };
}

// Hashes that sync compares texts by, and the keys that make a write upstream happen once.

/** Hash of a text, line ends and final blank lines not counting: 24 of `[0-9a-z]`. */
export const hashOf = (text: string): string => digest([normaliseForeign(text).replace(/\n+$/, '')]);

function digest(parts: readonly string[]): string {
  const text = parts.map((part) => `${part.length}:${part}`).join('');
  return BigInt(`0x${hash('sha256', text)}`)
    .toString(36)
    .padStart(50, '0')
    .slice(-24);
}

/** Keys have 20 characters: as many as stand in an id of Linear's form and can be read back from it. */
const keyOf = (parts: readonly string[]): string => digest(parts).slice(-20);

/** Of the issue a local task is published as: the same for every try, in every copy of the room. */
export const createKey = (provider: string, source: string, task: string): string =>
  keyOf(['create', provider, source, task]);

/** Of a comment of ours.
 * @param room its own id: another room on the same issue has comments of its own
 * @param uid of the issue
 * @param what id of the entry, or `#progress`, `#outcome` with its ordinal */
export const commentKey = (room: string, uid: string, what: string, ordinal = 0): string =>
  keyOf(['comment', room, uid, what, String(ordinal)]);

/** The id of the entry that shows a remote comment, or an answer that it gives. */
export const entryOf = (provider: string, id: string): string => `${provider}:${id}`;

/** Of what was said in a session and is no comment of the issue: known beside the comments, and in no list of them. */
export const sessionId = (id: string): string => `session:${id}`;
export const isOfSession = (id: string): boolean => id.startsWith('session:');

/** Of something that is said in a session. */
export const activityKey = (session: string, what: string): string => keyOf(['activity', session, what]);
