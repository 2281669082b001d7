// The checks of a task as people are shown them.
import type { TurnId } from '../../core/ids.ts';
import type { CheckResult, CheckState } from '../../core/rules/checks.ts';

/** What decides whether a done of the task's turn counts, and how that went last. */
export interface ChecksView {
  commands: string[];
  /** What `checks:` of the file says that does not count, since an agent may have written it. */
  unconfirmed: string[];
  /** Of the newest turn that had checks. */
  last: { turn: TurnId; state: CheckState; failures: number; results: CheckResult[] } | null;
}
