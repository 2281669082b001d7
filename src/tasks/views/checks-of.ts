// The checks of a task as people are shown them: those that count, those that do not, and how the last ones went.
import type { TurnId } from '../../core/ids.ts';
import type { CheckResult, CheckState } from '../../core/rules/checks.ts';
import { sameWords } from '../../core/rules/said-words.ts';
import type { Task } from '../../core/task/task.ts';
import { checksThatCount } from '../../store/files/trusted-words.ts';
import type { RoomHandle } from '../room-handle.ts';

/** What decides whether a done of the task's turn counts, and how that went last. */
interface ChecksView {
  commands: string[];
  /** What `checks:` of the file says that does not count, since an agent may have written it. */
  unconfirmed: string[];
  /** Of the newest turn that had checks. */
  last: { turn: TurnId; state: CheckState; failures: number; results: CheckResult[] } | null;
}

/** Null for a task that no check is asked of. */
export function checksOf({ deps }: RoomHandle, task: Task): ChecksView | null {
  const { ledger, config, agents } = deps;
  const written = task.checks ?? [];
  if (task.id === null)
    return written.length === 0 ? null : { commands: written, unconfirmed: [], last: null };
  const commands = checksThatCount(ledger, task.id, agents().get(task.owner ?? config().defaultAgent));
  const said = ledger.checks.saidBy(`task:${task.id}`);
  // Seen and not said: whoever wrote it, no person did for sure.
  const isUnconfirmed = said !== null && !sameWords(said.said, said.seen);
  const unconfirmed = isUnconfirmed ? written.filter((command) => !commands.includes(command)) : [];
  const newest = ledger.checks.newest(task.id);
  if (commands.length + unconfirmed.length === 0 && newest === null) return null;
  if (newest === null) return { commands, unconfirmed, last: null };
  const { turn, state, failures, results } = newest;
  return { commands, unconfirmed, last: { turn, state, failures, results } };
}
