// The tracker's part of a plan: comments first, so that an Outcome stands before its issue closes, then the fields. What
// an earlier sync may have sent is found out before anything is planned.
import type { RemoteChange, RemoteTask } from '../providers/provider.ts';
import type { MirrorRow } from '../store/ledger/mirrors.ts';
import { baseAfterComment, baseAfterGone, baseAfterPush } from './base.ts';
import { landed, notHeld, sameText } from './landed.ts';
import { baseOf, packBase } from './mirror-row.ts';
import type { Base, CommentPush, LocalSide, MirrorPlan } from './model.ts';
import { type Sent, send } from './outbox.ts';
import { createPushNews } from './push-news.ts';
import { type Run, skip } from './run.ts';

interface UpdatePayload {
  change: RemoteChange;
  side: LocalSide;
}

export interface Pushed {
  outcome: 'done' | 'conflict' | 'gone';
  /** Why the tracker does not take something; null when it took all. */
  refused: string | null;
  /** Something is to be planned again at once. */
  again: boolean;
  /** When what waits may be tried, epoch ms. */
  waitUntil: number | null;
}

/**
 * Sends what the plan says.
 * @param side the file's side as it is now
 * @throws RoomError of a tracker that fails; what was sent before is recorded
 */
export async function pushPlan(
  run: Run,
  row: MirrorRow,
  plan: MirrorPlan,
  side: LocalSide,
  remote: RemoteTask | null,
): Promise<Pushed> {
  const pushed: Pushed = { outcome: 'done', refused: null, again: false, waitUntil: null };
  const news = createPushNews(run, row, plan, side);
  try {
    for (const push of plan.comments) {
      news.next();
      const sent = await sendComment(run, row, push);
      if (sent.outcome === 'sent') news.sentComment(push);
      take(run, row, pushed, sent, 'comment');
      if (pushed.outcome !== 'done') return pushed;
    }
    if (plan.push && run.provider.write) {
      const expected = remote ?? expectedOf(baseOf(run.deps.ledger.mirrors.byTask(row.task) ?? row));
      if (expected === null) return { ...pushed, outcome: 'conflict' };
      news.next();
      const sent = await sendUpdate(run, row, plan.push, side, expected);
      if (sent.outcome === 'sent') {
        news.sentChange(plan.push);
        tellDropped(run, row, plan.push, sent.result);
      }
      take(run, row, pushed, sent, 'issue');
    }
    dropLeftovers(run, row, plan);
    return pushed;
  } finally {
    news.end();
  }
}

/** Names that a tracker passes over without a word, of people who can't be assigned say. */
function tellDropped(run: Run, row: MirrorRow, change: RemoteChange, result: RemoteTask): void {
  for (const what of ['labels', 'assignees'] as const) {
    if (!change[what] || result.silent.includes(what)) continue;
    for (const name of notHeld(change[what].add, result[what]))
      skip(run, { ref: row.ref, task: row.task, what, why: `${JSON.stringify(name)} was not taken there` });
  }
}

function take(run: Run, row: MirrorRow, pushed: Pushed, sent: Sent<unknown>, what: string): void {
  switch (sent.outcome) {
    case 'sent':
      pushed.again ||= sent.stale;
      run.mirrorsChanged = true;
      if (what === 'comment') run.report.commentsOut += 1;
      else run.report.pushed += 1;
      return;
    case 'waiting':
      pushed.waitUntil = Math.max(pushed.waitUntil ?? 0, sent.until);
      return;
    case 'refused':
      pushed.refused = sent.error.message;
      skip(run, { ref: row.ref, task: row.task, what, why: sent.error.message });
      return;
    default:
      pushed.outcome = sent.outcome;
  }
}

async function sendComment(run: Run, row: MirrorRow, push: CommentPush): Promise<Sent<unknown>> {
  const { comment } = run.provider;
  const { task, ref } = row;
  if (!comment) return { outcome: 'waiting', until: 0 };
  const edited = push.kind === 'entry' ? null : push.id;
  const kind = edited === null ? 'comment' : 'edit';
  const key = edited === null ? push.key : `edit:${row.provider}:${row.uid}:${edited}`;
  const sent = await send(
    run,
    { kind, task, key, payload: push, doubted: row.base === null },
    (payload, attempt) => {
      const id = payload.kind === 'entry' ? null : payload.id;
      return id === null
        ? comment.add(ref, payload.text, attempt, run.signal)
        : comment.edit(ref, id, payload.text, run.signal);
    },
    (payload, result) => moveBase(run, row, (base) => baseAfterComment(base, payload, result)),
  );
  if (sent.outcome !== 'gone' || edited === null) return sent;
  // The comment alone was deleted: it is not made anew.
  run.deps.ledger.transaction(() => moveBase(run, row, (base) => baseAfterGone(base, edited)));
  return { outcome: 'refused', error: sent.error };
}

function sendUpdate(
  run: Run,
  row: MirrorRow,
  change: RemoteChange,
  side: LocalSide,
  expected: RemoteTask,
): Promise<Sent<RemoteTask>> {
  const payload: UpdatePayload = { change, side };
  const key = `update:${row.provider}:${row.uid}`;
  return send(
    run,
    { kind: 'update', task: row.task, key, payload },
    (intended) => run.provider.write!.update(row.ref, intended.change, expected, run.signal),
    (intended, result) => {
      moveBase(run, row, (base) => baseAfterPush(base, intended.change, result, intended.side));
      run.deps.ledger.mirrors.update(row.task, { remoteUpdatedAt: result.updatedAt, url: result.url });
    },
  );
}

function moveBase({ deps }: Run, { task }: MirrorRow, move: (base: Base) => Base): void {
  const row = deps.ledger.mirrors.byTask(task);
  const base = row && baseOf(row);
  if (!base) return;
  deps.ledger.mirrors.update(task, { base: packBase(move(base)), syncedAt: Math.trunc(deps.effects.now()) });
}

/** The last agreement, as what the tracker is expected to say still. */
export function expectedOf(base: Base | null): RemoteTask | null {
  return base && { ...base.remote, comments: { complete: false, items: [] } };
}

/** Intents that no plan asks for any more: their words were taken back meanwhile. */
function dropLeftovers({ deps }: Run, { task }: MirrorRow, plan: MirrorPlan): void {
  const asked = new Set(plan.comments.map(({ key }) => key));
  for (const left of deps.ledger.outbox.ofTask(task)) {
    if (left.kind === 'comment' && !asked.has(left.key)) deps.ledger.outbox.delete(left.id);
  }
}

/** Whether an earlier sync began writes whose end it did not record, and that are found out by looking. */
export function hasUnproved(run: Run, row: MirrorRow): boolean {
  return run.deps.ledger.outbox.ofTask(row.task).some(({ kind }) => kind === 'update' || kind === 'edit');
}

/** Takes into the base what an earlier sync sent and did not record, as far as the tracker shows it. */
export function proveEarlier(run: Run, row: MirrorRow, remote: RemoteTask): void {
  const { ledger } = run.deps;
  ledger.transaction(() => {
    for (const intent of ledger.outbox.ofTask(row.task)) {
      if (intent.kind === 'update') {
        // Without a side it canceled the issue of a deleted file, which is there again: that is news of the tracker's.
        const { change, side } = JSON.parse(intent.payload) as Partial<UpdatePayload>;
        const part = change && side ? landed(change, remote, run.provider.profile) : null;
        if (part && side) moveBase(run, row, (base) => baseAfterPush(base, part, remote, side));
      } else if (intent.kind === 'edit') {
        const push = JSON.parse(intent.payload) as Exclude<CommentPush, { kind: 'entry' }>;
        const comment = remote.comments.items.find(({ id }) => id === push.id);
        if (comment && sameText(comment.body, push.text, run.provider.profile))
          moveBase(run, row, (base) => baseAfterComment(base, push, comment));
      } else continue;
      ledger.outbox.delete(intent.id);
    }
  });
}
