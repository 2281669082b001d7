// Tells what of one mirror went upstream, also when a later write of it fails; before each write, how many are to go.
import { nameOfPath } from '../../core/task/task-name.ts';
import type { RemoteChange } from '../../providers/provider.ts';
import type { MirrorRow } from '../../store/ledger/mirrors/mirrors.ts';
import type { CommentPush, LocalSide, MirrorPlan } from '../plan/plan-data.ts';
import { type SyncPass, tell } from '../sync-pass.ts';

export function createPushReport(pass: SyncPass, row: MirrorRow, plan: MirrorPlan, side: LocalSide) {
  const total = plan.comments.length + (plan.push ? 1 : 0);
  let begun = 0;
  let wrote = false;
  const sent = { status: null as LocalSide['status'] | null, fields: [] as string[], comments: 0, edited: 0 };
  return {
    /** Another write begins. */
    next() {
      tell(pass, 'sending', begun, total);
      begun += 1;
    },
    sentComment(push: CommentPush) {
      wrote = true;
      if (push.kind === 'entry' || push.id === null) sent.comments += 1;
      else sent.edited += 1;
    },
    sentChange({ status, ...fields }: RemoteChange) {
      wrote = true;
      sent.status = status ?? null;
      sent.fields = Object.keys(fields);
    },
    /** Tells what was sent, if anything was. */
    end() {
      if (!wrote) return;
      const name = nameOfPath(side.path);
      const ref = `${row.provider}:${row.ref}`;
      pass.deps.events.emit({ type: 'mirror.pushed', id: row.task, name, ref, ...sent });
    },
  };
}
