// Scopes as lines of a terminal.
import type { OutputOf } from '../../../operations/client.ts';
import { cleanLine, fit, plural } from '../lines/display-text.ts';
import type { Paint } from '../paint.ts';

const NAME_CELLS = 36;

export function scopeLines({ scopes }: OutputOf<'listScopes'>, paint: Paint): string[] {
  if (scopes.length === 0) return [paint('dim', 'no scopes')];
  return scopes.map(({ name, created_by, counts }) => {
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const tasks = total === 0 ? 'no tasks' : `${counts.done} of ${plural(total, 'task')} done`;
    const isPersons = created_by === null || created_by === 'owner';
    return `  ${fit(cleanLine(name), NAME_CELLS)}  ${tasks}${isPersons ? '' : paint('dim', `  ${cleanLine(created_by)}`)}`;
  });
}
