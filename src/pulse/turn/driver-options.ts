import type { Base, Feedback } from '../base.ts';
import type { PulseDependencies } from '../ports.ts';
import type { Agents } from '../runnable-agents.ts';

export interface DriverOptions
  extends Pick<Base, 'deps' | 'onTrouble'>,
    Pick<PulseDependencies, 'tasks' | 'runChecks' | 'workspaces' | 'bridges'> {
  agents: Pick<Agents, 'find'>;
  feedback: Pick<Feedback, 'lookAtTask' | 'observed'>;
  /** The loop is being stopped: what can't be written now is left to the next start. */
  isStopping(): boolean;
}
