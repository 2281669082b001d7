// The tracker's part of a plan: comments first, so that an Outcome stands before its issue closes, then the fields. What
// an earlier sync may have sent is found out before anything is planned.
import { nameOfPath } from '../../core/task/names.ts';
import type { Profile, RemoteChange, RemoteTask } from '../../providers/provider.ts';
import type { MirrorRow } from '../../store/ledger/mirrors/mirrors.ts';
import { baseAfterComment, baseAfterGone, baseAfterPush, packBase } from '../plan/base.ts';
import { ISSUE_FIELDS, LOCAL_KEYS, missingFrom, sameText } from '../plan/fields.ts';
import { type Base, baseOf, type CommentPush, type LocalSide, type MirrorPlan } from '../plan/plan-data.ts';
import type { SyncPass } from '../sync-pass.ts';
import { type SendResult, send, waitingReason } from './outbox.ts';

type UpdatePayload = { change: RemoteChange; side: LocalSide };

export interface PushResult {
  outcome: 'done' | 'conflict' | 'gone';
  refused: string | null; // Why the tracker does not take something; null when it took all.
  again: boolean; // Something is to be planned again at once.
  waitUntil: number | null; // When what waits may be tried, epoch ms.
}

/** Sends what the plan says.
 * @param side the file's side as it is now
 * @throws RoomError of a tracker that fails; what was sent before is recorded */
export async function pushPlan(
  pass: SyncPass,
  row: MirrorRow,
  plan: MirrorPlan,
  side: LocalSide,
  remote: RemoteTask | null,
): Promise<PushResult> {
  const pushed: PushResult = { outcome: 'done', refused: null, again: false, waitUntil: null };
  const total = plan.comments.length + (plan.push ? 1 : 0);
  const gone = { comments: [] as CommentPush[], change: {} as RemoteChange };
  try {
    for (const [index, push] of plan.comments.entries()) {
      pass.reportProgress('sending', index, total);
      const sent = await sendComment(pass, row, push);
      if (sent.outcome === 'sent') gone.comments.push(push);
      take(pass, row, pushed, sent, 'comment');
      // What comes after it is not to stand before it.
      if (pushed.outcome !== 'done' || (sent.outcome === 'waiting' && sent.inDoubt)) return pushed;
    }
    if (plan.push && pass.provider.write) {
      const expected = remote ?? expectedOf(baseOf(pass.deps.ledger.mirrors.get(row.task) ?? row));
      if (expected === null) return { ...pushed, outcome: 'conflict' };
      pass.reportProgress('sending', total - 1, total);
      const sent = await sendUpdate(pass, row, { change: plan.push, side }, expected);
      if (sent.outcome === 'sent') {
        gone.change = plan.push;
        reportDropped(pass, row, plan.push, sent.result);
      }
      take(pass, row, pushed, sent, 'issue');
    }
    dropUnwanted(pass, row, plan);
    return pushed;
  } finally {
    // Also when a later write fails.
    const { status = null, ...fields } = gone.change;
    const comments = gone.comments.filter((push) => push.kind === 'entry' || push.id === null).length;
    const counts = { status, fields: Object.keys(fields), comments, edited: gone.comments.length - comments };
    const told = { id: row.task, name: nameOfPath(side.path), ref: `${row.provider}:${row.ref}` };
    if (gone.comments.length > 0 || Object.keys(gone.change).length > 0)
      pass.deps.events.emit({ type: 'mirror.pushed', ...told, ...counts });
  }
}

/** Names that a tracker passes over without a word, of people who can't be assigned say. */
function reportDropped(pass: SyncPass, row: MirrorRow, change: RemoteChange, result: RemoteTask): void {
  for (const what of ['labels', 'assignees'] as const) {
    if (!change[what] || result.silent.includes(what)) continue;
    for (const name of missingFrom(change[what].add, result[what]))
      pass.skip({ ref: row.ref, task: row.task, what, why: `${JSON.stringify(name)} was not taken there` });
  }
}

function take(pass: SyncPass, row: MirrorRow, pushed: PushResult, sent: SendResult<unknown>, what: string) {
  switch (sent.outcome) {
    case 'sent':
      pushed.again ||= sent.stale;
      pass.mirrorsChanged = true;
      if (what === 'comment') pass.report.commentsOut += 1;
      else pass.report.pushed += 1;
      return;
    case 'waiting':
      pushed.waitUntil = Math.max(pushed.waitUntil ?? 0, sent.until);
      if (sent.inDoubt) pass.skip({ ref: row.ref, task: row.task, what, why: waitingReason(sent.until) });
      return;
    case 'refused':
      pushed.refused = sent.error.message;
      pass.skip({ ref: row.ref, task: row.task, what, why: sent.error.message });
      return;
    default:
      pushed.outcome = sent.outcome;
  }
}

async function sendComment(pass: SyncPass, row: MirrorRow, push: CommentPush): Promise<SendResult<unknown>> {
  const { comment } = pass.provider;
  const { task, ref } = row;
  if (!comment) return { outcome: 'waiting', until: 0, inDoubt: false };
  const edited = push.kind === 'entry' ? null : push.id;
  const kind = edited === null ? 'comment' : 'edit';
  const key = edited === null ? push.key : `edit:${row.provider}:${row.uid}:${edited}`;
  const sent = await send(
    pass,
    { kind, task, key, payload: push, doubted: row.base === null },
    (payload, attempt) => {
      const id = payload.kind === 'entry' ? null : payload.id;
      return id === null
        ? comment.add(ref, payload.text, attempt, pass.signal)
        : comment.edit(ref, id, payload.text, pass.signal);
    },
    (payload, result) => updateBase(pass, row, (base) => baseAfterComment(base, payload, result)),
  );
  if (sent.outcome !== 'gone' || edited === null) return sent;
  // The comment alone was deleted: it is not made anew.
  pass.deps.ledger.transaction(() => updateBase(pass, row, (base) => baseAfterGone(base, edited)));
  return { outcome: 'refused', error: sent.error };
}

function sendUpdate(pass: SyncPass, row: MirrorRow, payload: UpdatePayload, expected: RemoteTask) {
  const key = `update:${row.provider}:${row.uid}`;
  return send(
    pass,
    { kind: 'update', task: row.task, key, payload },
    (intended) => pass.provider.write!.update(row.ref, intended.change, expected, pass.signal),
    (intended, result) => {
      updateBase(pass, row, (base) => baseAfterPush(base, intended.change, result, intended.side));
      pass.deps.ledger.mirrors.update(row.task, { remoteUpdatedAt: result.updatedAt, url: result.url });
    },
  );
}

function updateBase({ deps }: SyncPass, { task }: MirrorRow, move: (base: Base) => Base): void {
  const row = deps.ledger.mirrors.get(task);
  const base = row && baseOf(row);
  if (!base) return;
  deps.ledger.mirrors.update(task, { base: packBase(move(base)), syncedAt: Math.trunc(deps.effects.now()) });
}

/** The last agreement, as what the tracker is expected to say still. */
export const expectedOf = (base: Base | null): RemoteTask | null =>
  base && { ...base.remote, comments: { complete: false, items: [] } };

/** Intents that no plan asks for any more: their words were taken back meanwhile. */
function dropUnwanted({ deps }: SyncPass, { task }: MirrorRow, plan: MirrorPlan): void {
  const asked = new Set(plan.comments.map(({ key }) => key));
  for (const left of deps.ledger.outbox.all({ task: task })) {
    if (left.kind === 'comment' && !asked.has(left.key)) deps.ledger.outbox.delete(left.id);
  }
}

/** Whether an earlier sync began writes whose end it did not record, and that are found out by looking. */
export const hasUnrecordedWrites = (pass: SyncPass, row: MirrorRow): boolean =>
  pass.deps.ledger.outbox.all({ task: row.task }).some(({ kind }) => kind === 'update' || kind === 'edit');

/** Takes into the base what an earlier sync sent and did not record, as far as the tracker shows it. */
export function recordEarlierWrites(pass: SyncPass, row: MirrorRow, remote: RemoteTask): void {
  const { ledger } = pass.deps;
  ledger.transaction(() => {
    for (const intent of ledger.outbox.all({ task: row.task })) {
      if (intent.kind === 'update') {
        // Without a side it canceled the issue of a deleted file, which is there again: that is news of the tracker's.
        const { change, side } = JSON.parse(intent.payload) as Partial<UpdatePayload>;
        const part = change && side ? takenPart(change, remote, pass.provider.profile) : null;
        if (part && side) updateBase(pass, row, (base) => baseAfterPush(base, part, remote, side));
      } else if (intent.kind === 'edit') {
        const push = JSON.parse(intent.payload) as Exclude<CommentPush, { kind: 'entry' }>;
        const comment = remote.comments.items.find(({ id }) => id === push.id);
        if (comment && sameText(comment.body, push.text, pass.provider.profile))
          updateBase(pass, row, (base) => baseAfterComment(base, push, comment));
      } else continue;
      ledger.outbox.delete(intent.id);
    }
  });
}

/** The fields of `change` that the issue shows: after a crash nobody recorded the answer. Null when it shows none of them. */
function takenPart(change: RemoteChange, remote: RemoteTask, profile: Profile): RemoteChange | null {
  const part = LOCAL_KEYS.flatMap((key) => {
    const sent = change[key];
    return sent !== undefined && ISSUE_FIELDS[key].shows(remote, sent, profile) ? [[key, sent]] : [];
  });
  return part.length === 0 ? null : Object.fromEntries(part);
}
