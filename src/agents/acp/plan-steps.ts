// An agent's plan as steps of its task. The steps a person or an earlier turn wrote stand: they are ticked where the plan
// names them, and only a task without any gets those of the plan.
import { isRoomError } from '../../core/errors.ts';
import type { Step } from '../../core/task/task.ts';
import { listOf, textOf } from '../command/reading/fields.ts';
import type { TurnServices } from '../runner.ts';

export interface PlanEntry {
  title: string;
  done: boolean;
}

/** A plan that is longer is no plan for people. */
const MOST_STEPS = 40;
const LONGEST_TITLE = 200;

export function readPlanEntries(entries: unknown): PlanEntry[] {
  return listOf(entries)
    .map(({ content, status }) => ({ title: titleOf(textOf(content)), done: status === 'completed' }))
    .filter(({ title }) => title !== '')
    .slice(0, MOST_STEPS);
}

function titleOf(content: string): string {
  const line = content.replace(/\s+/g, ' ').trim();
  return line.length <= LONGEST_TITLE ? line : `${line.slice(0, LONGEST_TITLE - 1)}…`;
}

/** It takes the plan as it stands now: what is being written is followed by the newest one alone. */
export function createPlanKeeper(services: Pick<TurnServices, 'read' | 'addStep' | 'setStep'>) {
  let next: PlanEntry[] | null = null;
  let writing: Promise<void> | null = null;
  let unwritten: string | null = null;
  let mayAdd: boolean | null = null;
  /** How the file spells what was added. */
  const spelled = new Map<string, string>();

  async function write(): Promise<void> {
    try {
      for (let plan = next; plan !== null; plan = next) {
        next = null;
        try {
          await follow(plan);
        } catch (error) {
          if (!isRoomError(error)) throw error;
          unwritten = error.message;
        }
      }
    } finally {
      // In the same breath as the last look: a plan that comes now begins anew.
      writing = null;
    }
  }

  async function follow(plan: PlanEntry[]): Promise<void> {
    let { steps } = (await services.read()).task;
    mayAdd ??= steps.length === 0;
    for (const { title, done } of plan) {
      let at = placeOf(title, steps);
      if (at === -1 && mayAdd && steps.length < MOST_STEPS) {
        await services.addStep(title);
        steps = (await services.read()).task.steps;
        spelled.set(title, steps.at(-1)?.title ?? title);
        at = placeOf(title, steps);
      }
      if (done && steps[at]?.done === false) {
        await services.setStep(at, true);
        steps = (await services.read()).task.steps;
      }
    }
  }

  const placeOf = (title: string, steps: readonly Step[]) => {
    const names = [title, spelled.get(title)];
    return steps.findIndex((step) => names.includes(step.title));
  };

  return {
    take(plan: PlanEntry[]) {
      next = plan;
      writing ??= write();
      writing.catch(() => {});
    },
    async settled() {
      await writing;
      return unwritten;
    },
  };
}
