// What changed while a turn ran and opens rights: a line each for the inbox, with what is different.
import { hashText } from '../../core/task/read-task.ts';
import type { SaidSource } from '../../store/ledger/tasks/waits.ts';
import type { TaskRoom } from '../task-room.ts';

export interface Unsaid {
  source: SaidSource;
  /** A file's path, or the id of a task. */
  what: string;
  task: string | null;
  name: string;
  /** Changes with what stands there. */
  hash: string;
  text: string;
}

const MOST_LINES = 3;
const MOST_CHARS = 100;

export function readUnsaid({ ledger, agents }: Pick<TaskRoom, 'ledger' | 'agents'>): Unsaid[] {
  // What nobody has read since it changed is taken in.
  agents();
  return ledger.checks.unsaid().flatMap(({ source, said, seen }): Unsaid[] => {
    const at = source.indexOf(':');
    const [kind, what] = [source.slice(0, at), source.slice(at + 1)];
    const hash = hashText(seen.join('\n')).slice(0, 12);
    if (kind === 'file') {
      const text = `${what} was changed while a turn ran (${difference(said[0], seen[0])}); what it said before counts`;
      return [{ source, what, task: null, name: what, hash, text }];
    }
    const task = ledger.tasks.get(what);
    if (task === null || task.path === null || (kind !== 'owner' && kind !== 'task')) return [];
    const text =
      kind === 'owner'
        ? `waits: ${seen[0]}`
        : `its checks (${seen.join('; ') || 'none'}) are not yours: ${said.join('; ') || 'none'} counts`;
    return [{ source, what, task: task.id, name: task.name, hash, text }];
  });
}

/** The lines that one text has and the other lacks, a few of them. */
function difference(before: string | undefined, after: string | undefined): string {
  if (after === undefined) return 'removed';
  if (before === undefined) return 'new';
  const [old, fresh] = [before, after].map((text) => text.split('\n').map((line) => line.trim()));
  const lost = old!.filter((line) => line !== '' && !fresh!.includes(line)).map((line) => `− ${shown(line)}`);
  const come = fresh!.filter((line) => line !== '' && !old!.includes(line)).map((line) => `+ ${shown(line)}`);
  const all = [...lost.slice(0, MOST_LINES), ...come.slice(0, MOST_LINES)];
  const more = lost.length + come.length - all.length;
  if (all.length === 0) return 'its lines stand in another order';
  return `${all.join('  ')}${more > 0 ? `  and ${more} lines more` : ''}`;
}

function shown(line: string): string {
  return line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS - 1).toWellFormed()}…` : line;
}
