// Tells once which chore files can't be read, and once that they can again.
import type { EventBus } from '../core/events.ts';
import type { InvalidChore } from '../store/chore-files.ts';

export interface InvalidChoreReport {
  /** `invalid` is all there is now. */
  tell(invalid: readonly InvalidChore[]): void;
}

export function createInvalidChoreReport(events: EventBus): InvalidChoreReport {
  let told = new Map<string, string>();
  return {
    tell(invalid) {
      const now = new Map(invalid.map(({ path, problems }) => [path, JSON.stringify(problems)]));
      for (const { path, problems } of invalid)
        if (told.get(path) !== now.get(path)) events.emit({ type: 'chore.invalid', path, problems });
      for (const path of told.keys()) if (!now.has(path)) events.emit({ type: 'chore.mended', path });
      told = now;
    },
  };
}
