// The plan for the body: an edit of either side is carried into the other line by line, and each side keeps its own
// spelling of what nobody edited. Normalised texts are compared, never written.

import { mergeSpellings, type TwoSpellings } from '../../core/merge/spelling-merge.ts';
import { once } from '../../core/once.ts';
import { normaliseForeign } from '../../core/task/body/foreign-text.ts';
import type { PlanInput, RemoteFields } from './plan-data.ts';
import { type FieldPlan, mergeText, planScalar } from './plan-fields.ts';
import { cutText, withRest } from './upstream-text.ts';

export function planBody(input: PlanInput, remote: RemoteFields): FieldPlan<string> {
  const { base, local, profile } = input;
  const { limits, normalise } = profile;
  const said = normaliseForeign(remote.body);
  const mine = local.body ?? '';
  const localBase = base?.local.body ?? mine;
  const remoteChanged = base !== null && remote.body !== base.remote.body;
  // What was cut upstream is in the file alone: their edit is of the part that was sent, never of the rest.
  const from = normaliseForeign(base?.remote.body ?? '');
  const whole = remoteChanged ? withRest(localBase, from, said) : null;
  const wasCut = remoteChanged && whole === null && localBase.length > limits.body && localBase !== from;
  const theirs = whole ?? said;
  const isCut = whole !== null || wasCut || localBase.length > limits.body;
  const means = (a: string, b: string): boolean => normalise(cutText(a, limits.body)) === normalise(b);
  const carry = (bodies: TwoSpellings): Carried => {
    const both = isCut ? null : mergeSpellings(bodies, normalise);
    return both !== null && means(both.local, both.remote) ? both : null;
  };
  const now: TwoSpellings = { localBase, remoteBase: from, local: mine, remote: said };
  const both = once(() => carry(now));
  const plan = planScalar(input, 'body', {
    local: mine,
    remote: theirs,
    localBase,
    localSpeaks: local.body !== null,
    localChanged: mine !== localBase || wasCut,
    remoteChanged,
    same: means(mine, said),
    merged: () =>
      isCut ? mergeText(whole === null ? from : localBase, mine, theirs) : (both()?.local ?? null),
  });
  if (base === null) return plan;
  const ownLetters = spelled(plan, {
    up: () => (plan.reason === 'merged' ? both() : carry({ ...now, remote: from }))?.remote ?? null,
    down: () => carry({ ...now, local: localBase })?.local ?? null,
  });
  return withLineEnds(ownLetters, remote.body);
}

type Carried = { local: string; remote: string } | null;

/**
 * The plan with each side's words in that side's spelling, where they can be told apart.
 * @param carried their text with our edits (`up`), ours with theirs (`down`); null where neither is known
 */
function spelled(
  plan: FieldPlan<string>,
  carried: Record<'up' | 'down', () => string | null>,
): FieldPlan<string> {
  switch (plan.reason) {
    case 'remote_changed':
    case 'conflict_remote_wins': {
      const value = carried.down() ?? plan.agreed;
      return { ...plan, down: { value }, agreed: value };
    }
    case 'local_changed':
    case 'conflict_local_wins':
    case 'merged': {
      const agreed = plan.reason === 'local_changed' ? plan.agreed : (carried.down() ?? plan.agreed);
      if (!plan.up) return { ...plan, agreed };
      return { ...plan, agreed, up: { value: carried.up() ?? plan.up.value } };
    }
    default:
      return plan;
  }
}

/** A browser's line ends upstream stay what they are. */
function withLineEnds(plan: FieldPlan<string>, remote: string): FieldPlan<string> {
  if (!plan.up || !remote.includes('\r\n') || /(^|[^\r])\n/.test(remote)) return plan;
  return { ...plan, up: { value: plan.up.value.replaceAll('\n', '\r\n') } };
}
