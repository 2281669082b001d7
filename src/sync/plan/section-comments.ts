// Sections that go up as comments of ours, edited in place: Progress, Outcome and, where `push:` names them, Notes and
// Steps. The file is the truth of them; each is sent again only when its words changed.
import { type OutcomeEntry, withoutNotes } from '../../core/task/body/entries.ts';
import { isFinished } from '../../core/task/status.ts';
import { commentKey, hashOf } from './keys.ts';
import { type Base, type CommentPush, type PlanInput, SENT_SECTIONS, type SentSection } from './plan-data.ts';
import { renderOutcome, renderProgress, renderSection, writingOf } from './upstream-text.ts';

export interface SectionsPlan {
  comments: Base['comments'];
  own: Base['own'];
  pushes: CommentPush[];
  dueAt: number | null;
}

/** Of a section's comment before anything is known of it. */
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

function textOf(kind: Exclude<SentSection, 'outcome'>, input: PlanInput, isKnown: boolean): string | null {
  const { local } = input;
  const writing = writingOf(input);
  if (kind === 'progress') {
    const said = local.progress.filter(({ isNote }) => !isNote);
    return said.length === 0 ? null : renderProgress(said, writing);
  }
  const said = kind === 'notes' ? withoutNotes(local.notes) : local.steps;
  return said === '' && !isKnown ? null : renderSection(kind, said, writing);
}

function planSection(
  plan: SectionsPlan,
  input: PlanInput,
  uid: string,
  kind: Exclude<SentSection, 'outcome'>,
): void {
  const { local, now } = input;
  const before = plan.own[kind];
  const text = textOf(kind, input, before !== undefined);
  if (text === null || (before && plan.comments[before.id]?.deleted)) return;
  const hash = hashOf(text);
  if (before?.hash === hash) return;
  // A clock that was set back must not hold it for long.
  const readyAt = before === undefined || before.at > now ? 0 : before.at + EDIT_EVERY_MS;
  if (readyAt > now && !isFinished(local.status)) {
    plan.dueAt = Math.min(readyAt, plan.dueAt ?? readyAt);
    return;
  }
  const own = { ...NEW_SECTION, hash, at: now };
  plan.pushes.push({ kind, key: commentKey(input.room, uid, `#${kind}`), id: before?.id ?? null, text, own });
}

function planOutcome(plan: SectionsPlan, input: PlanInput, uid: string): void {
  const { local, now, room } = input;
  const last = plan.own.outcome ?? null;
  const finished = isFinished(local.status);
  const before = last === null ? [] : last.sealed ? [...last.before, ...last.entries] : last.before;
  const entries = local.outcome.filter((entry) => !entry.isNote && !before.includes(hashOfEntry(entry)));
  if (entries.length === 0 || (last && !last.sealed && plan.comments[last.id]?.deleted)) return;
  const text = renderOutcome(entries, writingOf(input));
  const hash = hashOf(text);
  if (last && !last.sealed && last.hash === hash) {
    if (finished) plan.own.outcome = { ...last, sealed: true };
    return;
  }
  const ordinal = last === null ? 0 : last.ordinal + Number(last.sealed);
  const own = { hash, at: now, entries: entries.map(hashOfEntry), before, sealed: finished, ordinal };
  const id = last && !last.sealed ? last.id : null;
  plan.pushes.push({ kind: 'outcome', key: commentKey(room, uid, '#outcome', ordinal), id, text, own });
}

function hashOfEntry({ raw }: OutcomeEntry): string {
  return hashOf(raw);
}
