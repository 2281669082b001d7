// What becomes of comments: theirs come in, changed and deleted ones show, ours go up once and are known by the ids
// we recorded; sections that go up are comments of ours that are edited in place (section-comments.ts).
import type { CommentEntry } from '../../core/task/body/entries.ts';
import { isOpen, isQuestionMark, type Question, questionMark } from '../../core/task/body/questions.ts';
import type { RemoteComment } from '../../providers/provider.ts';
import { commentKey, entryOf, hashOf } from './keys.ts';
import {
  type Answering,
  type Base,
  type CommentPush,
  type KnownComment,
  type Loss,
  type PlanInput,
  SENT_SECTIONS,
  type SentSection,
} from './plan-data.ts';
import { NEW_SECTION, planSectionComments } from './section-comments.ts';
import { isTrusted } from './trust.ts';
import { renderEntry, writingOf } from './upstream-text.ts';

export const DELETED_TEXT = '*(deleted upstream)*';

type CommentsPlan = ReturnType<typeof newPlan>;

function newPlan({ base }: PlanInput) {
  return {
    comments: { ...base?.comments } as Base['comments'],
    own: { ...base?.own } as Base['own'],
    fresh: [] as RemoteComment[],
    edited: [] as { entry: string; text: string }[],
    deleted: [] as { entry: string }[],
    heard: [] as RemoteComment[],
    answers: [] as Answering[],
    losses: [] as Loss[],
    pushes: [] as CommentPush[],
    skipped: [] as { field: 'comments'; why: string }[],
    dueAt: null as number | null,
    /** A comment with a key of this room's that this room never sent, as far as it knows. */
    stranger: null as string | null,
  };
}

export function planComments(input: PlanInput): CommentsPlan {
  const plan = newPlan(input);
  if (input.remote && !input.remote.silent.includes('comments')) takeIn(plan, input, input.remote.comments);
  const uid = (input.remote ?? input.base?.remote)?.uid;
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

/** What a comment of ours says: an entry of the file, or one of its sections. */
type Ours = { entry: string } | { entry: null; kind: SentSection; ordinal: number };

/** What the keys of comments we may have sent stand for: a crash can leave one upstream without a record. */
function keysOfOurs({ base, local, remote, room }: PlanInput): Map<string, Ours> {
  const uid = (remote ?? base?.remote)?.uid;
  // Without a base there may be as many as there are comments of ours.
  const more = remote?.comments.items.filter(({ mine }) => mine).length ?? 0;
  const keys = new Map<string, Ours>();
  if (uid === undefined) return keys;
  for (const { id } of local.comments) keys.set(commentKey(room, uid, id), { entry: id });
  for (const kind of SENT_SECTIONS) {
    const next = (base?.own[kind]?.ordinal ?? -1) + 1 + more;
    for (let ordinal = 0; ordinal <= next; ordinal += 1)
      keys.set(commentKey(room, uid, `#${kind}`, ordinal), { entry: null, kind, ordinal });
  }
  return keys;
}

/** Recognises a comment of ours by account and key together; true when it is one. */
function adopt(
  plan: CommentsPlan,
  input: PlanInput,
  comment: RemoteComment,
  keys: ReadonlyMap<string, Ours>,
): boolean {
  const { local, profile, base, intended } = input;
  const { id, mine, key, body, createdAt } = comment;
  const ours = mine && key !== null ? keys.get(key) : undefined;
  if (ours === undefined || key === null) return false;
  const remote = hashOf(body);
  const known = { remote, text: remote, deleted: false };
  let isRecorded: boolean;
  if (ours.entry === null) {
    const { kind, ordinal } = ours;
    isRecorded = (plan.own[kind]?.ordinal ?? -1) >= ordinal;
    plan.comments[id] = { ...known, local: `#${kind}` };
    if (!isRecorded) plan.own[kind] = { ...NEW_SECTION, id, ordinal };
  } else {
    isRecorded = mappingOf(plan, ours.entry) !== null;
    const entry = local.comments.find((one) => one.id === ours.entry);
    const at = isQuestionMark(ours.entry) ? { at: createdAt } : {};
    plan.comments[id] = { ...known, text: hashOf(entry?.text ?? ''), local: ours.entry, ...at };
    const sent = entry && entry.text !== DELETED_TEXT ? renderEntry(entry, writingOf(input)) : body;
    if (hashOf(profile.normalise(sent)) !== hashOf(profile.normalise(body))) {
      // Edited since, here more likely than there: the entry goes up, and what it writes over is kept.
      plan.comments[id].text = '';
      plan.losses.push({ field: 'comments', side: 'remote', text: body });
    }
  }
  // With a record of this mirror, whatever we send is on record before it is sent; a second one is a copy of its text.
  if (base !== null && !isRecorded && !intended.has(key)) plan.stranger = id;
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

/**
 * Which questions a trusted comment upstream answers: those that stood there when it was written. Trackers have no replies to
 * single comments everywhere, so that one comment answers all that were open, unless it quotes one of them.
 * @returns their keys; empty when the file has this very answer already, null for a comment that answers none
 */
export function answeredBy(
  { base, local, provider }: Pick<PlanInput, 'base' | 'local' | 'provider'>,
  comment: RemoteComment,
): string[] | null {
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
  const [first = ''] = question.trim().split('\n');
  if (first === '') return false;
  return body
    .split(/\r?\n/)
    .some((line) => /^>/.test(line) && line.replace(/^>\s*/, '').trim() === first.trim());
}
