// What becomes of comments: theirs come in, changed and deleted ones show, ours go up once and are known by the ids
// we recorded; sections that go up are comments of ours that are edited in place.

import { type CommentEntry, withoutNotes } from '../../core/task/body/entries.ts';
import { isOpen, isQuestionMark, type Question, questionMark } from '../../core/task/body/questions.ts';
import { isFinished } from '../../core/task/status.ts';
import type { RemoteComment, RemoteTask } from '../../providers/provider.ts';
import { commentKey, entryOf, hashOf, isOfSession } from './base.ts';
import type { Answer, Base, CommentPush, KnownComment, Loss, PlanInput, SentSection } from './plan-data.ts';
import { SENT_SECTIONS } from './plan-data.ts';
import { isTrusted } from './trust.ts';
import { renderEntry, renderOutcome, renderProgress, renderSection, writingOf } from './upstream-text.ts';

export const DELETED_TEXT = '*(deleted upstream)*';

type CommentsPlan = ReturnType<typeof planComments>;

export function planComments(input: PlanInput) {
  const { base, remote } = input;
  const plan = {
    known: { ...base?.comments } as Base['comments'],
    own: { ...base?.own } as Base['own'],
    newComments: [] as RemoteComment[],
    editedComments: [] as { entry: string; text: string }[],
    heard: [] as RemoteComment[],
    answers: [] as Answer[],
    losses: [] as Loss[],
    comments: [] as CommentPush[],
    skipped: [] as { field: 'comments'; why: string }[],
    dueAt: null as number | null,
    stranger: null as string | null,
  };
  const uid = (remote ?? base?.remote)?.uid;
  if (remote && !remote.silent.includes('comments')) takeIn(plan, input, remote);
  if (uid !== undefined) sendOut(plan, input, uid);
  return plan;
}

type Entries = ReadonlyMap<string, CommentEntry>;

function takeIn(plan: CommentsPlan, input: PlanInput, { comments, uid }: RemoteTask): void {
  const { complete, items } = comments;
  const entries = new Map(input.local.comments.map((entry) => [entry.id, entry]));
  const ours = keysOfOurs(input, items, uid);
  for (const comment of items) {
    // Our key in another account's comment is text like any other.
    const own = comment.mine && comment.key !== null ? ours.get(comment.key) : undefined;
    if (plan.known[comment.id]) takeKnown(plan, input, comment, entries);
    else if (own) adopt(plan, input, comment, own);
    else takeNew(plan, input, comment, entries);
  }
  if (!complete) return;
  const there = new Set(items.map(({ id }) => id));
  for (const [id, known] of Object.entries(plan.known)) {
    if (there.has(id) || known.deleted || isOfSession(id)) continue;
    plan.known[id] = { ...known, deleted: true };
    const entry = entries.get(known.local ?? entryOf(input.provider, id));
    // A question stays in the file: it is open until somebody answers.
    if (entry && !isQuestionMark(entry.id) && entry.text !== DELETED_TEXT) rewrite(plan, entry, DELETED_TEXT);
  }
}

/** The words from upstream stand in the file; those that are written over are kept when `isLoss`. */
function rewrite(plan: CommentsPlan, { id, raw, text: words }: CommentEntry, text: string, isLoss = true) {
  if (isLoss) plan.losses.push({ field: 'comments', side: 'local', text: raw, entry: id, words });
  plan.editedComments.push({ entry: id, text });
}

type OwnComment = { entry: string } | { entry: null; kind: SentSection; ordinal: number };

/** The keys of comments we may have sent: a crash can leave one upstream without a record. */
function keysOfOurs({ base, local, room }: PlanInput, items: readonly RemoteComment[], uid: string) {
  // Without a base there may be as many as there are comments of ours.
  const more = items.filter(({ mine }) => mine).length;
  const keys = new Map<string, OwnComment>();
  for (const { id } of local.comments) keys.set(commentKey(room, uid, id), { entry: id });
  for (const kind of SENT_SECTIONS) {
    const next = (base?.own[kind]?.ordinal ?? -1) + 1 + more;
    for (let ordinal = 0; ordinal <= next; ordinal += 1)
      keys.set(commentKey(room, uid, `#${kind}`, ordinal), { entry: null, kind, ordinal });
  }
  return keys;
}

/** Takes a comment for ours, by account and key together. */
function adopt(plan: CommentsPlan, input: PlanInput, comment: RemoteComment, ours: OwnComment): void {
  const { local, profile, base, intended } = input;
  const { id, key, body, createdAt } = comment;
  const remote = hashOf(body);
  let isRecorded: boolean;
  if (ours.entry === null) {
    const { kind, ordinal } = ours;
    isRecorded = (plan.own[kind]?.ordinal ?? -1) >= ordinal;
    plan.known[id] = { remote, text: remote, deleted: false, local: `#${kind}` };
    if (!isRecorded) plan.own[kind] = { ...NEW_SECTION, id, ordinal };
  } else {
    isRecorded = mappingOf(plan, ours.entry) !== null;
    const entry = local.comments.find((one) => one.id === ours.entry);
    const sent = entry && entry.text !== DELETED_TEXT ? renderEntry(entry, writingOf(input)) : body;
    // Edited since, here more likely than there: the entry goes up, and what it writes over is kept.
    const isEdited = hashOf(profile.normalise(sent)) !== hashOf(profile.normalise(body));
    const text = isEdited ? '' : hashOf(entry?.text ?? '');
    const at = isQuestionMark(ours.entry) ? { at: createdAt } : {};
    plan.known[id] = { remote, text, deleted: false, local: ours.entry, ...at };
    if (isEdited) plan.losses.push({ field: 'comments', side: 'remote', text: body });
  }
  // With a record of this mirror, whatever we send is on record before it is sent; a second one is a copy of its text.
  if (base !== null && !isRecorded && !intended.has(key!)) plan.stranger = id;
}

function takeNew(plan: CommentsPlan, input: PlanInput, comment: RemoteComment, entries: Entries): void {
  const { config, profile, base, provider } = input;
  const { id, body, mine, key } = comment;
  const hash = hashOf(body);
  const entry = entries.get(entryOf(provider, id));
  plan.known[id] = { remote: hash, text: hash, local: null, deleted: false };
  // A program wrote it under our account: this room before its ledger was lost, or another room.
  const isSent = mine && key !== null;
  // Also where its entry stands already: a crash can come between the file and the record of it.
  if (base !== null && !isSent && isTrusted(comment, config, profile)) {
    const answered = answeredBy(input, comment);
    if (answered === null) plan.heard.push(comment);
    else plan.answers.push(...answered.map((question) => ({ question, comment })));
  }
  if (!entry) plan.newComments.push(comment);
  // Without a record nobody knows who changed it: what stands here is kept.
  else if (hashOf(entry.text) !== hash) rewrite(plan, entry, body);
}

function takeKnown(plan: CommentsPlan, input: PlanInput, comment: RemoteComment, entries: Entries): void {
  const { id, body } = comment;
  const known = plan.known[id]!;
  const hash = hashOf(body);
  if (hash === known.remote && !known.deleted) return;
  const now = { ...known, remote: hash, deleted: false };
  plan.known[id] = now;
  // Somebody edited one of our sections or questions upstream: the file is the truth of those, and their words are kept.
  if (known.local?.startsWith('#') || isQuestionMark(known.local ?? '')) {
    if (hash !== known.remote) plan.losses.push({ field: 'comments', side: 'remote', text: body });
    return;
  }
  const entry = entries.get(known.local ?? entryOf(input.provider, id));
  now.text = hash;
  if (!entry) {
    // Taken out by hand, and changed upstream since: it shows again.
    plan.known[id] = { remote: hash, text: hash, local: null, deleted: false };
    plan.newComments.push(comment);
  } else if (hashOf(entry.text) !== hash) rewrite(plan, entry, body, hashOf(entry.text) !== known.text);
}

function sendOut(plan: CommentsPlan, input: PlanInput, uid: string): void {
  const { config, profile, local, provider, posted, base, room } = input;
  const can = profile.writable.includes('comments');
  const mine = local.comments.filter(
    ({ id }) => !id.startsWith(`${provider}:`) && !(input.inSession && isQuestionMark(id)),
  );
  const unsent = mine.filter((entry) => {
    const known = mappingOf(plan, entry.id)?.[1];
    return known ? !known.deleted && known.text !== hashOf(entry.text) : posted.has(entry.id);
  });
  const skip = (why: string) => plan.skipped.push({ field: 'comments', why });
  if (!can || !config.push.includes('comments')) {
    if (unsent.length > 0) skip(can ? '`push:` does not name comments' : 'the tracker takes no comments');
  } else
    for (const entry of unsent) {
      // Its new words from upstream are about to be written into it.
      if (plan.editedComments.some((edit) => edit.entry === entry.id)) continue;
      const text = renderEntry(entry, writingOf(input));
      const [id] = mappingOf(plan, entry.id) ?? [];
      const push = { key: commentKey(room, uid, entry.id), entry: entry.id, text, hash: hashOf(entry.text) };
      plan.comments.push(id === undefined ? { kind: 'entry', ...push } : { kind: 'edit', id, ...push });
    }
  if (can) planSectionComments(plan, input, uid);
  // After a lost ledger nobody knows whether a person typed an entry or one of our tools did.
  const unknown = mine.filter(({ id }) => base === null && !posted.has(id) && mappingOf(plan, id) === null);
  if (unknown.length === 0) return;
  const who = unknown.map(({ author, at }) => `@${author} ${at}`).join(', ');
  const why = `no record says whether ${who} was sent, and it is not upstream`;
  skip(`${why}: say it again with \`taskroom comment\``);
}

const mappingOf = (plan: CommentsPlan, entry: string): [string, KnownComment] | null =>
  Object.entries(plan.known).find(([, known]) => known.local === entry) ?? null;

/** Which questions a trusted comment upstream answers: those that stood there when it was written. Trackers have no replies to
 * single comments everywhere, so that one comment answers all that were open, unless it quotes one of them.
 * @returns their keys; empty when the file has this very answer already, null for a comment that answers none */
function answeredBy({ base, local, provider }: PlanInput, comment: RemoteComment): string[] | null {
  const id = entryOf(provider, comment.id);
  const has = ({ answers }: Question) =>
    answers.some((answer) => answer.kind === 'entry' && answer.id === id);
  if (local.questions.some(has)) return [];
  const sent = new Map(Object.values(base?.comments ?? {}).map((known) => [known.local, known.at]));
  const asked = local.questions.filter((question) => {
    const at = sent.get(questionMark(question.key));
    return isOpen(question) && at !== undefined && at <= comment.createdAt;
  });
  const quoted = asked.filter(({ text }) => quotes(comment.body, text));
  const answered = quoted.length > 0 ? quoted : asked;
  return answered.length === 0 ? null : answered.map(({ key }) => key);
}

/** Whether a comment quotes the first line of a question, as "quote reply" does. */
function quotes(body: string, question: string): boolean {
  const first = question.trim().split('\n')[0]!.trim();
  const lines = body.split(/\r?\n/).filter((line) => line.startsWith('>'));
  return first !== '' && lines.some((line) => line.replace(/^>\s*/, '').trim() === first);
}

// Sections that go up as comments of ours, edited in place: Progress, Outcome and, where `push:` names them, Notes and
// Steps. The file is the truth of them; each is sent again only when its words changed.

/** A section's comment before anything is known of it. */
const NEW_SECTION = { hash: '', at: 0, entries: [], before: [], sealed: false, ordinal: 0 };

// An edited section goes up at most this often, so that a busy agent does not flood the followers.
const EDIT_EVERY_MS = 60_000;

function planSectionComments(plan: CommentsPlan, input: PlanInput, uid: string): void {
  for (const kind of SENT_SECTIONS) {
    if (!input.config.push.includes(kind) || (input.inSession && kind !== 'notes')) continue;
    if (kind !== 'outcome') planSection(plan, input, uid, kind);
    // Of a running turn it is not the last word yet.
    else if (!input.running) planOutcome(plan, input, uid);
  }
}

function planSection(
  plan: CommentsPlan,
  input: PlanInput,
  uid: string,
  kind: Exclude<SentSection, 'outcome'>,
) {
  const { local, now, room } = input;
  const before = plan.own[kind];
  const entries = local.progress.filter(({ isNote }) => !isNote);
  const words = kind === 'notes' ? withoutNotes(local.notes) : local.steps;
  const isEmpty = kind === 'progress' ? entries.length === 0 : words === '' && before === undefined;
  if (isEmpty || (before && plan.known[before.id]?.deleted)) return;
  const writing = writingOf(input);
  const text = kind === 'progress' ? renderProgress(entries, writing) : renderSection(kind, words, writing);
  const hash = hashOf(text);
  if (before?.hash === hash) return;
  // A clock that was set back must not hold it for long.
  const readyAt = before === undefined || before.at > now ? 0 : before.at + EDIT_EVERY_MS;
  if (readyAt > now && !isFinished(local.class)) {
    plan.dueAt = Math.min(readyAt, plan.dueAt ?? readyAt);
    return;
  }
  const own = { ...NEW_SECTION, hash, at: now };
  plan.comments.push({ kind, key: commentKey(room, uid, `#${kind}`), id: before?.id ?? null, text, own });
}

function planOutcome(plan: CommentsPlan, input: PlanInput, uid: string): void {
  const { local, now, room } = input;
  const last = plan.own.outcome ?? null;
  // A sealed comment stays as it is: what came since goes into another one.
  const open = last === null || last.sealed ? null : last;
  const sealed = isFinished(local.class);
  const before = last === null ? [] : open ? open.before : [...last.before, ...last.entries];
  const fresh = local.outcome
    .map((entry) => ({ ...entry, hash: hashOf(entry.raw) }))
    .filter((entry) => !entry.isNote && !before.includes(entry.hash));
  if (fresh.length === 0 || (open && plan.known[open.id]?.deleted)) return;
  const text = renderOutcome(fresh, writingOf(input));
  const hash = hashOf(text);
  if (open?.hash === hash) {
    if (sealed) plan.own.outcome = { ...open, sealed };
    return;
  }
  const ordinal = last === null ? 0 : last.ordinal + Number(last.sealed);
  const own = { hash, at: now, entries: fresh.map((entry) => entry.hash), before, sealed, ordinal };
  const key = commentKey(room, uid, '#outcome', ordinal);
  plan.comments.push({ kind: 'outcome', key, id: open?.id ?? null, text, own });
}
