// One line of the live log as data, before it is laid out: what every kind of event is told in.
import { formatProblem, type Problem } from '../../../../core/errors.ts';
import type { Paint } from '../../paint.ts';

export interface LogLine {
  /** Painted. */
  glyph: string;
  /** Of the task, chore or turn; '' for what concerns the room. */
  name: string;
  text: string;
  /** What went wrong is told to its end, over more than one row where it must. */
  long?: boolean;
}

export function problemLines(name: string, problems: readonly Problem[], paint: Paint): LogLine[] {
  return problems.map((problem) => ({
    glyph: paint('red', '!'),
    name,
    text: formatProblem(problem),
    long: true,
  }));
}
