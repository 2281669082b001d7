// An agent's plan as steps of its task. The steps a person or an earlier turn wrote stand: they are ticked where the plan
// names them, and only a task without any gets those of the plan.
import { isRoomError } from '../../core/errors.ts';
import type { Step } from '../../core/task/task.ts';
import { createRounds } from '../../effects.ts';
import { listOf, oneLine, textOf } from '../command/reading/fields.ts';
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
    .map(({ content, status }) => ({
      title: oneLine(textOf(content), LONGEST_TITLE),
      done: status === 'completed',
    }))
    .filter(({ title }) => title !== '')
    .slice(0, MOST_STEPS);
}

/** Writes one plan after another into the task; of those that come while one is written, the newest alone. */
export function createPlanKeeper(services: Pick<TurnServices, 'read' | 'addStep' | 'setStep'>) {
  let plan: PlanEntry[] = [];
  let mayAdd: boolean | null = null;
  /** How the file spells what was added. */
  const spelled = new Map<string, string>();
  const readSteps = async () => (await services.read()).task.steps;
  const placeOf = (title: string, steps: readonly Step[]) => {
    const names = [title, spelled.get(title)];
    return steps.findIndex((step) => names.includes(step.title));
  };

  async function write(): Promise<void> {
    let steps = await readSteps();
    mayAdd ??= steps.length === 0;
    for (const { title, done } of plan) {
      let at = placeOf(title, steps);
      if (at === -1 && mayAdd && steps.length < MOST_STEPS) {
        await services.addStep(title);
        steps = await readSteps();
        spelled.set(title, steps.at(-1)?.title ?? title);
        at = placeOf(title, steps);
      }
      if (done && steps[at]?.done === false) {
        await services.setStep(at, true);
        steps = await readSteps();
      }
    }
  }

  const rounds = createRounds(() =>
    write().catch((error: unknown) => {
      if (!isRoomError(error)) throw error;
    }),
  );
  let written: Promise<void> = Promise.resolve();
  return {
    take(next: PlanEntry[]) {
      plan = next;
      written = rounds.ask();
      written.catch(() => {});
    },
    /** Resolves when the last plan is written. */
    settled: () => written,
  };
}
