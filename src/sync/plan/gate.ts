// The gate of a mirrored task: words of somebody the mirror does not trust wait for a person, and so does an issue that
// such a person opened again. Who did it counts where the tracker names him, else the author.
import { isFinished } from '../../core/task/status.ts';
import type { RemoteAct } from '../../providers/provider.ts';
import type { PlanInput, RemoteFields } from './plan-data.ts';
import type { FieldPlan } from './plan-fields.ts';
import { isTrusted, noteOf, READ_IT, type Stranger, whyShut } from './trust.ts';

export interface GatePlan {
  /** As in the base. */
  gate: string | null;
  pause: boolean;
  notes: string[];
}

interface Words {
  title: FieldPlan<string>;
  body: FieldPlan<string>;
  status: FieldPlan<PlanInput['local']['status']>;
}

/** Whether title or body are others upstream than when both sides agreed. */
export function isReworded({ base, remote }: Pick<PlanInput, 'base' | 'remote'>): boolean {
  return (
    base !== null &&
    remote !== null &&
    (remote.title !== base.remote.title || remote.body !== base.remote.body)
  );
}

/** Whether it was over when both sides agreed, and is not any more. */
export function isReopened({ base, remote }: Pick<PlanInput, 'base' | 'remote'>): boolean {
  return base !== null && remote !== null && isFinished(base.remote.status) && !isFinished(remote.status);
}

export function planGate(input: PlanInput, remote: RemoteFields, { title, body, status }: Words): GatePlan {
  const { base, local, config } = input;
  const isChanged = base === null ? title.down !== undefined || body.down !== undefined : isReworded(input);
  const trusting = config.trust.edits === 'trusted';
  const editor = !isChanged ? null : trusting ? strangerWho(input, remote, 'edited') : 'anybody';
  const shut = editor === null ? (base?.gate ?? null) : whyShut(editor);
  if (local.paused || isFinished(status.down?.value ?? local.status))
    return { gate: shut, pause: false, notes: [] };
  const pause = (reason: string, note: string): GatePlan => ({ gate: reason, pause: true, notes: [note] });
  if (editor !== null) return pause(whyShut(editor), noteOf(editor, 'edited'));
  // By hand it is a person who opens it again; upstream it is somebody, and what was said there meanwhile is unread.
  const isOpenedThere = isFinished(local.status);
  const isKnownToReopen = isOpenedThere && (base === null || isReopened(input));
  const opener = isKnownToReopen ? strangerWho(input, remote, 'reopened') : null;
  if (opener !== null) return pause(whyShut(opener), noteOf(opener, 'reopened'));
  if (isOpenedThere && shut !== null) return pause(shut, `Changed upstream: ${shut}. ${READ_IT}`);
  return { gate: null, pause: false, notes: [] };
}

/** Who did this and is not trusted: the first of those the tracker names, or the author where it names none. */
function strangerWho(
  { acts, config, profile }: PlanInput,
  remote: RemoteFields,
  what: RemoteAct['what'],
): Stranger | null {
  if (acts === null) return isTrusted(remote, config, profile) ? null : remote;
  const done = acts.filter((act) => act.what === what);
  if (done.length === 0) return 'nobody named';
  return done.find((act) => !isTrusted(act, config, profile)) ?? null;
}
