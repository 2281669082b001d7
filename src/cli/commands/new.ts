// `taskroom new`: what it has beside the operation, an editor and a word for whom nothing runs the room.

import type { Beside } from '../command.ts';
import { tellChange } from '../invocation/changes.ts';

export const beside: Beside = {
  options: [['--edit', 'open it in your editor afterwards']],
  async tell(call, made, runtime) {
    const { options, terminal, paint, json } = call;
    if (options.flag('edit')) {
      const { editTask } = await import('./edit.ts');
      await editTask(call, runtime, made.id);
      return true;
    }
    if (json) return false;
    tellChange(call, made, `is written: ${made.path}`);
    const isPerson = runtime.caller.kind === 'person' && terminal.outIsTerminal;
    if (isPerson && !options.flag('draft') && runtime.here?.standing().holder === null)
      terminal.write(paint('dim', '  nothing runs this room now: taskroom up, or taskroom once\n'));
    return true;
  },
};
