// What becomes of comments: theirs come in, changed and deleted ones show, ours go up once and are known by the ids
// we recorded; Progress and Outcome are comments of ours that are edited in place.
import type { CommentEntry, OutcomeEntry } from '../core/entries.ts';
import { isFinished } from '../core/status.ts';
import type { RemoteComment } from '../providers/provider.ts';
import { commentKey, hashOf } from './keys.ts';
import type { Base, CommentPush, KnownComment, Loss, OwnComment, PlanInput } from './model.ts';
import { renderComment, renderOutcome, renderProgress } from './render.ts';
import { isTrusted } from './trust.ts';

export const DELETED_TEXT = '*(deleted upstream)*';
// Progress goes up at most this often, so that a busy agent does not flood the followers.
const PROGRESS_EVERY_MS = 60_000;

export interface CommentsPlan {
  comments: Base['comments'];
  progress: OwnComment | null;
  outcome: OwnComment | null;
  fresh: RemoteComment[];
  edited: { entry: string; text: string }[];
  deleted: { entry: string }[];
  heard: RemoteComment[];
  losses: Loss[];
  pushes: CommentPush[];
  skipped: { field: 'comments' | 'progress' | 'outcome'; why: string }[];
  dueAt: number | null;
}

/** The id of the entry that shows a remote comment. */
export function entryOf(provider: string, id: string): string {
  return `${provider}:${id}`;
}

export function planComments(input: PlanInput): CommentsPlan {
  const { base } = input;
  const plan: CommentsPlan = {
    comments: { ...base?.comments },
    progress: base?.progress ?? null,
    outcome: base?.outcome ?? null,
    fresh: [],
    edited: [],
    deleted: [],
    heard: [],
    losses: [],
    pushes: [],
    skipped: [],
    dueAt: null,
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
    if (entry && entry.text !== DELETED_TEXT) {
      plan.deleted.push({ entry: entry.id });
      plan.losses.push({ field: 'comments', side: 'local', text: entry.raw });
    }
  }
}

/** What the keys of comments we may have sent stand for: a crash can leave one upstream without a record. */
function keysOfOurs({ base, local, remote }: PlanInput): Map<string, string> {
  const uid = (remote ?? base?.remote)?.uid;
  // Without a base there may be as many as there are comments of ours.
  const more = remote?.comments.items.filter(({ mine }) => mine).length ?? 0;
  const keys = new Map<string, string>();
  if (uid === undefined) return keys;
  for (const entry of local.comments) keys.set(commentKey(uid, entry.id), entry.id);
  for (const what of ['#progress', '#outcome'] as const) {
    const next = (base?.[what === '#progress' ? 'progress' : 'outcome']?.ordinal ?? -1) + 1 + more;
    for (let ordinal = 0; ordinal <= next; ordinal += 1)
      keys.set(commentKey(uid, what, ordinal), `${what}:${ordinal}`);
  }
  return keys;
}

/** Recognises a comment of ours by account and key together; true when it is one. */
function adopt(
  plan: CommentsPlan,
  { local, profile }: PlanInput,
  comment: RemoteComment,
  ours: ReadonlyMap<string, string>,
): boolean {
  const what = comment.mine && comment.key !== null ? ours.get(comment.key) : undefined;
  if (what === undefined) return false;
  const hash = hashOf(comment.body);
  const [own, ordinal] = what.startsWith('#') ? what.split(':') : [null, '0'];
  if (own === null) {
    const entry = local.comments.find(({ id }) => id === what);
    const known = { remote: hash, text: hashOf(entry?.text ?? ''), local: what, deleted: false };
    plan.comments[comment.id] = known;
    if (!entry || entry.text === DELETED_TEXT) return true;
    const sent = renderComment(entry.author, entry.text, profile.limits.comment);
    if (hashOf(profile.normalise(sent)) === hashOf(profile.normalise(comment.body))) return true;
    // Edited since, here more likely than there: the entry goes up, and what it writes over is kept.
    known.text = '';
    plan.losses.push({ field: 'comments', side: 'remote', text: comment.body });
    return true;
  }
  plan.comments[comment.id] = { remote: hash, text: hash, local: own!, deleted: false };
  const slot = own === '#progress' ? 'progress' : 'outcome';
  if ((plan[slot]?.ordinal ?? -1) < Number(ordinal))
    plan[slot] = {
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
  if (input.base !== null && !comment.mine && isTrusted(comment, config, profile)) plan.heard.push(comment);
  if (!entry) plan.fresh.push(comment);
  else if (hashOf(entry.text) !== hash) {
    // Without a record nobody knows who changed it: what stands here is kept.
    plan.losses.push({ field: 'comments', side: 'local', text: entry.raw });
    plan.edited.push({ entry: entry.id, text: comment.body });
  }
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
  // Somebody edited our Progress or Outcome upstream: the sections are the truth of those.
  if (known.local?.startsWith('#')) return;
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
  if (hashOf(entry.text) !== known.text)
    plan.losses.push({ field: 'comments', side: 'local', text: entry.raw });
  plan.comments[comment.id]!.text = hash;
  plan.edited.push({ entry: entry.id, text: comment.body });
}

function sendOut(plan: CommentsPlan, input: PlanInput, uid: string): void {
  const { config, profile, local } = input;
  const can = profile.writable.includes('comments');
  const pushes = (what: 'comments' | 'progress' | 'outcome'): boolean => config.push.includes(what) && can;
  const unsent = local.comments.filter((entry) => isUnsent(plan, input, entry));
  if (pushes('comments')) for (const entry of unsent) sendEntry(plan, input, uid, entry);
  else if (unsent.length > 0)
    plan.skipped.push({
      field: 'comments',
      why: can ? '`push:` does not name comments' : 'the tracker takes no comments',
    });
  if (pushes('progress')) sendProgress(plan, input, uid);
  if (pushes('outcome') && !input.running) sendOutcome(plan, input, uid);
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

function sendEntry(plan: CommentsPlan, { profile }: PlanInput, uid: string, entry: CommentEntry): void {
  // Its new words from upstream are about to be written into it.
  if (plan.edited.some((edit) => edit.entry === entry.id)) return;
  const text = renderComment(entry.author, entry.text, profile.limits.comment);
  const [id] = mappingOf(plan, entry.id) ?? [];
  const push = { key: commentKey(uid, entry.id), entry: entry.id, text, hash: hashOf(entry.text) };
  plan.pushes.push(id === undefined ? { kind: 'entry', ...push } : { kind: 'edit', id, ...push });
}

function sendProgress(plan: CommentsPlan, { local, profile, now }: PlanInput, uid: string): void {
  const before = plan.progress;
  if (local.progress.length === 0 || (before && plan.comments[before.id]?.deleted)) return;
  const text = renderProgress(local.progress, profile.limits.comment);
  const hash = hashOf(text);
  if (before?.hash === hash) return;
  // A clock that was set back must not hold it for long.
  const readyAt = before === null || before.at > now ? 0 : before.at + PROGRESS_EVERY_MS;
  if (readyAt > now && !isFinished(local.status)) {
    plan.dueAt = readyAt;
    return;
  }
  const own = { hash, at: now, entries: [], before: [], sealed: false, ordinal: 0 };
  plan.pushes.push({
    kind: 'progress',
    key: commentKey(uid, '#progress'),
    id: before?.id ?? null,
    text,
    own,
  });
}

function sendOutcome(plan: CommentsPlan, { local, profile, now }: PlanInput, uid: string): void {
  const last = plan.outcome;
  const finished = isFinished(local.status);
  const before = last === null ? [] : last.sealed ? [...last.before, ...last.entries] : last.before;
  const entries = local.outcome.filter((entry) => !before.includes(hashOfEntry(entry)));
  if (entries.length === 0 || (last && !last.sealed && plan.comments[last.id]?.deleted)) return;
  const text = renderOutcome(entries, profile.limits.comment);
  const hash = hashOf(text);
  if (last && !last.sealed && last.hash === hash) {
    if (finished) plan.outcome = { ...last, sealed: true };
    return;
  }
  const ordinal = last === null ? 0 : last.ordinal + Number(last.sealed);
  const own = { hash, at: now, entries: entries.map(hashOfEntry), before, sealed: finished, ordinal };
  const id = last && !last.sealed ? last.id : null;
  plan.pushes.push({ kind: 'outcome', key: commentKey(uid, '#outcome', ordinal), id, text, own });
}

function hashOfEntry({ raw }: OutcomeEntry): string {
  return hashOf(raw);
}
