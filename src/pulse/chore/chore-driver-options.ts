// What driving a prompt chore's turn needs of the loop around it.
import type { KnownChores } from '../../chores/known-chores.ts';
import type { DriverOptions } from '../turn/driver-options.ts';

export interface ChoreDriverOptions
  extends Pick<
    DriverOptions,
    'deps' | 'queue' | 'agents' | 'bridges' | 'withheldEnv' | 'isStopping' | 'onTrouble'
  > {
  known: Pick<KnownChores, 'find'>;
}
