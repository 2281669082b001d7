// What becomes of comments: theirs come in, changed and deleted ones show, ours go up once and are known by the ids
// we recorded; sections that go up are comments of ours that are edited in place (section-comments.ts).
import type { CommentEntry } from '../../core/task/body/entries.ts';
import { isQuestionMark } from '../../core/task/body/questions.ts';
import type { RemoteComment } from '../../providers/provider.ts';
import { answeredBy } from './answered-by.ts';
import { commentKey, hashOf } from './keys.ts';
import {
  type Answering,
  type KnownComment,
  type Loss,
  type PlanInput,
  SENT_SECTIONS,
  type SentSection,
} from './plan-data.ts';
import { planSectionComments, type SectionsPlan } from './section-comments.ts';
import { isTrusted } from './trust.ts';
import { renderEntry, writingOf } from './upstream-text.ts';

export const DELETED_TEXT = '*(deleted upstream)*';

export interface CommentsPlan extends SectionsPlan {
  fresh: RemoteComment[];
  edited: { entry: string; text: string }[];
  deleted: { entry: string }[];
  heard: RemoteComment[];
  answers: Answering[];
  losses: Loss[];
  skipped: { field: 'comments'; why: string }[];
  /** A comment with a key of this room's that this room never sent, as far as it knows. */
  stranger: string | null;
}

/** The id of the entry that shows a remote comment. */
export function entryOf(provider: string, id: string): string {
  return `${provider}:${id}`;
}

export function planComments(input: PlanInput): CommentsPlan {
  const { base } = input;
  const plan: CommentsPlan = {
    comments: { ...base?.comments },
    own: { ...base?.own },
    fresh: [],
    edited: [],
    deleted: [],
    heard: [],
    answers: [],
    losses: [],
    pushes: [],
    skipped: [],
    dueAt: null,
    stranger: null,
  };
  if (input.remote && !input.remote.silent.includes('comments')) takeIn(plan, input, input.remote.comments);
  const uid = (input.remote ?? base?.remote)?.uid;
  if (uid !== undefined) sendOut(plan, input, uid);
  return plan;
}

function takeIn(
  plan: CommentsPlan,
  input: PlanInput,
  { complete, items }: { complete: boolean; items: readonly RemoteComment[] },
): void {
  const entries = new Map(input.local.comments.map((entry) => [entry.id, entry]));
  const ours = keysOfOurs(input);
  for (const comment of items) {
    const known = plan.comments[comment.id];
    if (known) takeKnown(plan, input, comment, known, entries);
    else if (!adopt(plan, input, comment, ours)) takeNew(plan, input, comment, entries);
  }
  if (!complete) return;
  const there = new Set(items.map(({ id }) => id));
  for (const [id, known] of Object.entries(plan.comments)) {
    if (there.has(id) || known.deleted) continue;
    plan.comments[id] = { ...known, deleted: true };
    const entry = entries.get(known.local ?? entryOf(input.provider, id));
    // A question stays in the file: it is open until somebody answers.
    if (entry && !isQuestionMark(entry.id) && entry.text !== DELETED_TEXT) {
      plan.deleted.push({ entry: entry.id });
      plan.losses.push(lossOf(entry));
    }
  }
}

/** What the keys of comments we may have sent stand for: a crash can leave one upstream without a record. */
function keysOfOurs({ base, local, remote, room }: PlanInput): Map<string, string> {
  const uid = (remote ?? base?.remote)?.uid;
  // Without a base there may be as many as there are comments of ours.
  const more = remote?.comments.items.filter(({ mine }) => mine).length ?? 0;
  const keys = new Map<string, string>();
  if (uid === undefined) return keys;
  for (const entry of local.comments) keys.set(commentKey(room, uid, entry.id), entry.id);
  for (const kind of SENT_SECTIONS) {
    const next = (base?.own[kind]?.ordinal ?? -1) + 1 + more;
    for (let ordinal = 0; ordinal <= next; ordinal += 1)
      keys.set(commentKey(room, uid, `#${kind}`, ordinal), `#${kind}:${ordinal}`);
  }
  return keys;
}

/** Whether a comment of ours for this is known. */
function isRecorded(plan: CommentsPlan, what: string): boolean {
  const [own, ordinal] = what.split(':');
  if (!what.startsWith('#')) return mappingOf(plan, what) !== null;
  return (plan.own[own!.slice(1) as SentSection]?.ordinal ?? -1) >= Number(ordinal);
}

/** Recognises a comment of ours by account and key together; true when it is one. */
function adopt(
  plan: CommentsPlan,
  input: PlanInput,
  comment: RemoteComment,
  ours: ReadonlyMap<string, string>,
): boolean {
  const { local, profile, base, intended } = input;
  const what = comment.mine && comment.key !== null ? ours.get(comment.key) : undefined;
  if (what === undefined) return false;
  // With a record of this mirror, whatever we send is on record before it is sent; a second one is a copy of its text.
  const isKnown = isRecorded(plan, what) || intended.has(comment.key ?? '');
  if (base !== null && !isKnown) plan.stranger = comment.id;
  const hash = hashOf(comment.body);
  const [own, ordinal] = what.startsWith('#') ? what.split(':') : [null, '0'];
  if (own === null) {
    const entry = local.comments.find(({ id }) => id === what);
    const at = isQuestionMark(what) ? { at: comment.createdAt } : {};
    const known = { remote: hash, text: hashOf(entry?.text ?? ''), local: what, deleted: false, ...at };
    plan.comments[comment.id] = known;
    if (!entry || entry.text === DELETED_TEXT) return true;
    const sent = renderEntry(entry, writingOf(input));
    if (hashOf(profile.normalise(sent)) === hashOf(profile.normalise(comment.body))) return true;
    // Edited since, here more likely than there: the entry goes up, and what it writes over is kept.
    known.text = '';
    plan.losses.push({ field: 'comments', side: 'remote', text: comment.body });
    return true;
  }
  plan.comments[comment.id] = { remote: hash, text: hash, local: own!, deleted: false };
  const kind = own!.slice(1) as SentSection;
  if ((plan.own[kind]?.ordinal ?? -1) < Number(ordinal))
    plan.own[kind] = {
      id: comment.id,
      hash: '',
      at: 0,
      entries: [],
      before: [],
      sealed: false,
      ordinal: Number(ordinal),
    };
  return true;
}

/** A program wrote it under our account: this room before its ledger was lost, or another room. */
function isSent({ mine, key }: RemoteComment): boolean {
  return mine && key !== null;
}

function takeNew(
  plan: CommentsPlan,
  input: PlanInput,
  comment: RemoteComment,
  entries: ReadonlyMap<string, CommentEntry>,
): void {
  const hash = hashOf(comment.body);
  const entry = entries.get(entryOf(input.provider, comment.id));
  plan.comments[comment.id] = { remote: hash, text: hash, local: null, deleted: false };
  const { config, profile } = input;
  // Also where its entry stands already: a crash can come between the file and the record of it.
  if (input.base !== null && !isSent(comment) && isTrusted(comment, config, profile)) {
    const answered = answeredBy(input, comment);
    if (answered === null) plan.heard.push(comment);
    else plan.answers.push(...answered.map((question) => ({ question, comment })));
  }
  if (!entry) plan.fresh.push(comment);
  else if (hashOf(entry.text) !== hash) {
    // Without a record nobody knows who changed it: what stands here is kept.
    plan.losses.push(lossOf(entry));
    plan.edited.push({ entry: entry.id, text: comment.body });
  }
}

function lossOf({ id, raw, text }: CommentEntry): Loss {
  return { field: 'comments', side: 'local', text: raw, entry: id, words: text };
}

function takeKnown(
  plan: CommentsPlan,
  input: PlanInput,
  comment: RemoteComment,
  known: KnownComment,
  entries: ReadonlyMap<string, CommentEntry>,
): void {
  const hash = hashOf(comment.body);
  if (hash === known.remote && !known.deleted) return;
  plan.comments[comment.id] = { ...known, remote: hash, deleted: false };
  // Somebody edited one of our sections or questions upstream: the file is the truth of those, and their words are kept.
  if (known.local?.startsWith('#') || isQuestionMark(known.local ?? '')) {
    if (hash !== known.remote) plan.losses.push({ field: 'comments', side: 'remote', text: comment.body });
    return;
  }
  const entry = entries.get(known.local ?? entryOf(input.provider, comment.id));
  if (!entry) {
    // Taken out by hand, and changed upstream since: it shows again.
    plan.comments[comment.id] = { remote: hash, text: hash, local: null, deleted: false };
    plan.fresh.push(comment);
    return;
  }
  if (hashOf(entry.text) === hash) {
    plan.comments[comment.id]!.text = hash;
    return;
  }
  if (hashOf(entry.text) !== known.text) plan.losses.push(lossOf(entry));
  plan.comments[comment.id]!.text = hash;
  plan.edited.push({ entry: entry.id, text: comment.body });
}

function sendOut(plan: CommentsPlan, input: PlanInput, uid: string): void {
  const { config, profile, local } = input;
  const can = profile.writable.includes('comments');
  const unsent = local.comments.filter((entry) => isUnsent(plan, input, entry));
  if (can && config.push.includes('comments')) for (const entry of unsent) sendEntry(plan, input, uid, entry);
  else if (unsent.length > 0)
    plan.skipped.push({
      field: 'comments',
      why: can ? '`push:` does not name comments' : 'the tracker takes no comments',
    });
  if (can) planSectionComments(plan, input, uid);
  if (input.base === null) sayUnknown(plan, input);
}

/** After a lost ledger nobody knows whether a person typed an entry or one of our tools did. */
function sayUnknown(plan: CommentsPlan, { local, provider, spoken }: PlanInput): void {
  const unknown = local.comments.filter(
    ({ id }) => !id.startsWith(`${provider}:`) && !spoken.has(id) && mappingOf(plan, id) === null,
  );
  if (unknown.length === 0) return;
  const who = unknown.map(({ author, at }) => `@${author} ${at}`).join(', ');
  const why = `no record says whether ${who} was sent, and it is not upstream: say it again with \`taskroom comment\``;
  plan.skipped.push({ field: 'comments', why });
}

function mappingOf(plan: CommentsPlan, entry: string): [string, KnownComment] | null {
  return Object.entries(plan.comments).find(([, known]) => known.local === entry) ?? null;
}

function isUnsent(plan: CommentsPlan, { provider, spoken }: PlanInput, entry: CommentEntry): boolean {
  if (entry.id.startsWith(`${provider}:`)) return false;
  const mapped = mappingOf(plan, entry.id);
  if (!mapped) return spoken.has(entry.id);
  return !mapped[1].deleted && mapped[1].text !== hashOf(entry.text);
}

function sendEntry(plan: CommentsPlan, input: PlanInput, uid: string, entry: CommentEntry): void {
  const { room } = input;
  // Its new words from upstream are about to be written into it.
  if (plan.edited.some((edit) => edit.entry === entry.id)) return;
  const text = renderEntry(entry, writingOf(input));
  const [id] = mappingOf(plan, entry.id) ?? [];
  const push = { key: commentKey(room, uid, entry.id), entry: entry.id, text, hash: hashOf(entry.text) };
  plan.pushes.push(id === undefined ? { kind: 'entry', ...push } : { kind: 'edit', id, ...push });
}
