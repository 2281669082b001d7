// Sections that go up as comments of ours, edited in place: Progress, Outcome and, where `push:` names them, Notes and
// Steps. The file is the truth of them; each is sent again only when its words changed.
import { withoutNotes } from '../../core/task/body/entries.ts';
import { isFinished } from '../../core/task/status.ts';
import { commentKey, hashOf } from './keys.ts';
import { type Base, type CommentPush, type PlanInput, SENT_SECTIONS, type SentSection } from './plan-data.ts';
import { renderOutcome, renderProgress, renderSection, writingOf } from './upstream-text.ts';

interface SectionsPlan {
  known: Base['comments'];
  own: Base['own'];
  comments: CommentPush[];
  dueAt: number | null;
}

/** A section's comment before anything is known of it. */
export const NEW_SECTION = { hash: '', at: 0, entries: [], before: [], sealed: false, ordinal: 0 };

// An edited section goes up at most this often, so that a busy agent does not flood the followers.
const EDIT_EVERY_MS = 60_000;

export function planSectionComments(plan: SectionsPlan, input: PlanInput, uid: string): void {
  for (const kind of SENT_SECTIONS) {
    if (!input.config.push.includes(kind)) continue;
    if (kind !== 'outcome') planSection(plan, input, uid, kind);
    // Of a running turn it is not the last word yet.
    else if (!input.running) planOutcome(plan, input, uid);
  }
}

function planSection(
  plan: SectionsPlan,
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
  if (readyAt > now && !isFinished(local.status)) {
    plan.dueAt = Math.min(readyAt, plan.dueAt ?? readyAt);
    return;
  }
  const own = { ...NEW_SECTION, hash, at: now };
  plan.comments.push({ kind, key: commentKey(room, uid, `#${kind}`), id: before?.id ?? null, text, own });
}

function planOutcome(plan: SectionsPlan, input: PlanInput, uid: string): void {
  const { local, now, room } = input;
  const last = plan.own.outcome ?? null;
  // A sealed comment stays as it is: what came since goes into another one.
  const open = last === null || last.sealed ? null : last;
  const sealed = isFinished(local.status);
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
