// A task of which nothing is due.
import type { DecideInput } from '../../../src/core/rules/decide.ts';

export const quiet: DecideInput = {
  ...{ status: 'todo', paused: false, blocked: false, waiting: false, held: false, running: false },
  ...{ agentProblem: null, revision: 'r1', consumed: 'r1', attempted: null, retryAt: null },
  ...{ inTurn: false, editedOutside: true, wakes: [], now: 1_000_000 },
};
