// What a pull request's state means for people. Pure.
import type { PullRequest } from './review-shapes.ts';

/** Its checks taken together; null where there are none. */
function checksOf({ checks }: PullRequest): PullRequest['checks'][number]['state'] | null {
  const states = checks.map(({ state }) => state);
  return (['failed', 'pending', 'passed'] as const).find((state) => states.includes(state)) ?? null;
}

/** Nothing stands in its way but that nobody reviewed it. */
export function awaitsReview(pull: PullRequest): boolean {
  const { state, draft, verdict, mergeable } = pull;
  const isGreen = [null, 'passed'].includes(checksOf(pull));
  return state === 'open' && !draft && verdict === 'none' && mergeable !== false && isGreen;
}

const CHECKS = { failed: 'a check failed', pending: 'checks run', passed: 'checks passed' };

/** Its state in a few words each. */
export function pullWords(pull: PullRequest): string[] {
  const { state, draft, verdict, mergeable, trouble } = pull;
  const checks = checksOf(pull);
  if (state !== 'open') return [state];
  return [
    draft ? 'draft' : 'open',
    ...(verdict === 'none' ? [] : [verdict.replace('_', ' ')]),
    ...(checks === null ? [] : [CHECKS[checks]]),
    ...(mergeable === false ? ['has conflicts'] : []),
    ...(trouble === null ? [] : [`not looked at since: ${trouble}`]),
  ];
}
